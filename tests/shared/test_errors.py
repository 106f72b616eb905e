"""Each error message once: what was asked, what was given, what to do.

Rows are (class, texts of the message, wrong use). tests/core/test_every_error.py sees
that no message of the core is without a row.
"""

import fogo
from tests.shared.check import raises
from tests.shared.errors_functional import FUNCTIONAL
from tests.shared.errors_tensor import TENSOR_OPS

Shape, DType = fogo.ShapeError, fogo.DTypeError
Device, Autodiff = fogo.DeviceError, fogo.AutodiffError


def ones(d, *shape):
    return fogo.ones(shape, device=d)


def ints(d, *shape):
    return fogo.zeros(shape, dtype="int32", device=d)


def put(x, key, value):
    x[key] = value


TENSORS = (
    (Shape, ("tensor: nested lists", "length 2 at depth 1"),
     lambda d: fogo.tensor([[1, 2], [3]], device=d)),
    (Shape, ("tensor: nested lists", "a list where a number"),
     lambda d: fogo.tensor([1, [2]], device=d)),
    (DType, ("tensor: numbers, lists or arrays", "None"),
     lambda d: fogo.tensor(None, device=d)),
    (DType, ("tensor: numbers only", "'x'"), lambda d: fogo.tensor(["x"], device=d)),
    (DType, ("tensor: int32 holds whole", "nan", "use a float"),
     lambda d: fogo.tensor([float("nan")], dtype="int32", device=d)),
    (DType, ("full: the value", "[0, 255] for uint8", "-1", "a wider dtype"),
     lambda d: fogo.full((2,), -1, dtype="uint8", device=d)),
    (DType, ("tensor: int32 holds whole", "1.5", "use a float"),
     lambda d: fogo.tensor([1.5], dtype="int32", device=d)),
    (DType, ("tensor: the value", "[-128, 127] for int8", "300"),
     lambda d: fogo.tensor([300], dtype="int8", device=d)),
    (DType, ("dtype: no such dtype", "'float'", "float32"),
     lambda d: fogo.dtype("float")),
    (Shape, ("zeros: sizes", "(-1,)"), lambda d: fogo.zeros((-1,), device=d)),
    (Shape, ("arange: the step",), lambda d: fogo.arange(0, 3, 0, device=d)),
    (Shape, ("item: the tensor must have one", "[2]", "tolist()"),
     lambda d: ones(d, 2).item()),
    (DType, ("index: an integer tensor", "float32"),
     lambda d: [1, 2][ones(d).__index__()]),
    (Shape, ("len: a 0-d", "item()"), lambda d: len(ones(d))),
    (Shape, ("assign: shape and dtype", "[3]", "[2]"),
     lambda d: ones(d, 2).assign(ones(d, 3))),
    (Shape, ("randint: the range", "low=1, high=1"),
     lambda d: fogo.randint(1, 1, (2,), device=d)),
)  # fmt: skip

OPERANDS = (
    (Shape, ("add: shapes must broadcast", "[2, 3], [4]"),
     lambda d: ones(d, 2, 3) + ones(d, 4)),
    (DType, ("add: operands", "str", "fogo.tensor(...)"), lambda d: ones(d, 1) + "1"),
    (DType, ("add: at least one operand",), lambda d: fogo.add(1, 2)),
    (DType, ("add: the value", "[0, 255] for uint8", "300", "a wider dtype"),
     lambda d: fogo.zeros(2, dtype="uint8", device=d) + 300),
    (DType, ("greater: the value", "[-128, 127] for int8", "-129"),
     lambda d: fogo.zeros(2, dtype="int8", device=d) > -129),
    (DType, ("bitwise_and: the dtype must be integer or bool", "float32", "astype"),
     lambda d: ones(d, 1) & ones(d, 1)),
    (Shape, ("sum: axis must lie in [-2, 2)", "axis=2", "2-d"),
     lambda d: ones(d, 2, 2).sum(2)),
    (Shape, ("sum: an axis is an integer", "1.0"), lambda d: ones(d, 2, 2).sum(1.0)),
    (Shape, ("sum: axes must differ", "(0, -2)"), lambda d: ones(d, 2, 2).sum((0, -2))),
    (Shape, ("max: needs at least one element", "[0, 2]"),
     lambda d: ones(d, 0, 2).max(0)),
    (Shape, ("matmul: both operands", "float", "use *"),
     lambda d: fogo.matmul(ones(d, 2), 2.0)),
    (Shape, ("matmul: operands need", "use *"), lambda d: ones(d) @ ones(d, 2)),
    (Shape, ("matmul: inner sizes", "x=[4, 3], y=[5, 2], 3 != 5"),
     lambda d: ones(d, 4, 3) @ ones(d, 5, 2)),
    (Shape, ("scaled_dot_product_attention: q is", "k=[3, 5]", "transpose"),
     lambda d: fogo.scaled_dot_product_attention(
         ones(d, 3, 4), ones(d, 3, 5), ones(d, 3, 5))),
    (Shape, ("scaled_dot_product_attention: attn_mask or is_causal", "triangle"),
     lambda d: fogo.scaled_dot_product_attention(
         ones(d, 3, 4), ones(d, 3, 4), ones(d, 3, 4), ones(d, 3, 3),
         is_causal=True)),
    (DType, ("scaled_dot_product_attention: attn_mask holds", "int32", "!= 0"),
     lambda d: fogo.scaled_dot_product_attention(
         ones(d, 3, 4), ones(d, 3, 4), ones(d, 3, 4), ints(d, 3, 3))),
    (Shape, ("scaled_dot_product_attention: attn_mask is", "[2, 4, 3]", "S=3"),
     lambda d: fogo.scaled_dot_product_attention(
         ones(d, 1, 4), ones(d, 3, 4), ones(d, 3, 4), ones(d, 2, 4, 3))),
    (Shape, ("dot: two vectors", "use matmul"),
     lambda d: fogo.dot(ones(d, 2, 2), ones(d, 2))),
    (Shape, ("outer: two vectors", "[2, 2]"),
     lambda d: fogo.outer(ones(d, 2, 2), ones(d, 2))),
)  # fmt: skip

MOVEMENT = (
    (Shape, ("reshape: the number of elements", "[2, 3] (6 elements)", "[4]"),
     lambda d: ones(d, 2, 3).reshape(4)),
    (Shape, ("permute: every axis once", "axes=(0,)", "2-d"),
     lambda d: ones(d, 2, 2).permute((0,))),
    (Shape, ("expand: sizes other than 1", "[2] to [3]"),
     lambda d: ones(d, 2).expand(3)),
    (Shape, ("narrow: start and length", "start=1, length=2, size 2"),
     lambda d: ones(d, 2).narrow(0, 1, 2)),
    (Shape, ("pad: one pair", "[2]"), lambda d: ones(d, 2).pad(((0, -1),))),
    (Shape, ("concat: a list of at least one tensor", "none"),
     lambda d: fogo.concat([])),
    (DType, ("stack: a list of tensors", "fogo.tensor(...)"),
     lambda d: fogo.stack([ones(d, 1), 2.0])),
    (Shape, ("tile: sizes", "(-1,)"), lambda d: ones(d, 2).tile((-1,))),
    (Shape, ("tril: at least two axes", "[2]"), lambda d: fogo.tril(ones(d, 2))),
    (Shape, ("concat: all axes but axis 0", "[2, 2]", "[2, 3]"),
     lambda d: fogo.concat([ones(d, 2, 2), ones(d, 2, 3)])),
    (Shape, ("squeeze: only axes of size 1", "axis 0 of shape [2]"),
     lambda d: ones(d, 2).squeeze(0)),
    (Shape, ("split: sizes must add up", "[1, 2]", "size 4"),
     lambda d: ones(d, 4).split([1, 2])),
    (Shape, ("split: sizes are positive", "0"), lambda d: ones(d, 4).split(0)),
    (Shape, ("chunk: the number of parts", "0"), lambda d: ones(d, 4).chunk(0)),
)  # fmt: skip

INDEX = (
    (Shape, ("index: at most one ...", "3 axes", "[2, 2]"),
     lambda d: ones(d, 2, 2)[0, 0, 0]),
    (Shape, ("index: out of range", "2 for axis 1 of size 2"),
     lambda d: ones(d, 2, 2)[0, 2]),
    (Shape, ("index: the step",), lambda d: ones(d, 2)[::0]),
    (DType, ("index: bounds and steps", "0.5", "round it"),
     lambda d: ones(d, 2)[0.5:]),
    (DType, ("index: integers, slices", "str"), lambda d: ones(d, 2)["a"]),
    (DType, ("index: an index tensor", "float32"), lambda d: ones(d, 2)[ones(d, 1)]),
    (Shape, ("index: a mask has", "[2] for [3, 2]"),
     lambda d: ones(d, 3, 2)[ones(d, 2) > 0]),
    (Shape, ("index: a mask has", "[3] at axis 1 of [2, 2]"),
     lambda d: ones(d, 2, 2)[:, ones(d, 3) > 0]),
    (Shape, ("index: the value must broadcast", "[3] for [1]"),
     lambda d: put(ones(d, 2, 1), 0, ones(d, 3))),
    (Shape, ("index: one value for each true", "3 for 2"),
     lambda d: put(ones(d, 2), ones(d, 2) > 0, ones(d, 3))),
    (Autodiff, ("index: a value with gradients", ".to(...)"),
     lambda d: put(ones(d, 2), 0, ones(d.autodiff()).requires_grad_())),
    (DType, ("take: an index holds integers", "float32", "astype"),
     lambda d: ones(d, 2).take(ones(d, 1))),
    (Shape, ("embedding: the weight", "[2]"),
     lambda d: fogo.embedding(ints(d, 1), ones(d, 2))),
    (Shape, ("take_along_axis: the index has as many", "[1]", "[2, 2]", "use take"),
     lambda d: ones(d, 2, 2).take_along_axis(ints(d, 1))),
    (Shape, ("gather: the index has x's axes", "index=[3, 1] for x=[2, 2]"),
     lambda d: ones(d, 2, 2).gather(1, ints(d, 3, 1))),
    (Shape, ("scatter: src covers", "src=[1, 1], index=[2, 1]"),
     lambda d: ones(d, 2, 2).scatter(1, ints(d, 2, 1), ones(d, 1, 1))),
    (Shape, ("diagonal: two different axes", "0 twice"),
     lambda d: ones(d, 2, 2).diagonal(0, 0, -2)),
    (DType, ("masked_select: the mask holds bools", "float32", "!= 0"),
     lambda d: ones(d, 2).masked_select(ones(d, 2))),
    (Shape, ("masked_scatter: the mask broadcasts to x", "[2, 2]", "[2]"),
     lambda d: ones(d, 2).masked_scatter(ones(d, 2, 2) > 0, ones(d, 4))),
    (Shape, ("nonzero: at least one axis", "bool(x)"), lambda d: fogo.nonzero(ones(d))),
    (Shape, ("topk: k lies in [0, 2]", "k=3"), lambda d: ones(d, 2).topk(3)),
    (Shape, ("searchsorted: x1 is 1-d", "'middle'"),
     lambda d: fogo.searchsorted(ones(d, 2), ones(d, 1), "middle")),
    (Shape, ("cumulative: name the axis", "2-d"),
     lambda d: fogo.cumulative_sum(ones(d, 2, 2))),
    (Shape, ("linear_scan: a and b", "[2] and [3]"),
     lambda d: fogo.linear_scan(ones(d, 2), ones(d, 3))),
)  # fmt: skip


def conv(d, x, w, **options):
    return fogo.conv2d(ones(d, *x), ones(d, *w), **options)


def up(d, x, w, **options):
    return fogo.conv_transpose1d(ones(d, *x), ones(d, *w), **options)


WINDOWS = (
    (Shape, ("conv2d: x is [N, C, 2 spatial axes]", "[4]"),
     lambda d: conv(d, (4,), (1, 1, 1, 1))),
    (Shape, ("conv2d: weight is [O, C/groups, 2 spatial", "[1, 1, 1]"),
     lambda d: conv(d, (1, 1, 4, 4), (1, 1, 1))),
    (Shape, ("conv2d: x has C channels", "x=[1, 3, 4, 4], weight=[2, 2, 1, 1]"),
     lambda d: conv(d, (1, 3, 4, 4), (2, 2, 1, 1))),
    (Shape, ("conv2d: the kernel must fit", "weight=[1, 1, 5, 5]"),
     lambda d: conv(d, (1, 1, 4, 4), (1, 1, 5, 5))),
    (Shape, ("conv2d: stride must be positive", "(0, 1)"),
     lambda d: conv(d, (1, 1, 4, 4), (1, 1, 1, 1), stride=(0, 1))),
    (Shape, ("conv2d: stride is one number, or one per axis", "(1, 1, 1) for 2"),
     lambda d: conv(d, (1, 1, 4, 4), (1, 1, 1, 1), stride=(1, 1, 1))),
    (Shape, ('conv2d: padding="same"', "stride=(2, 2)"),
     lambda d: conv(d, (1, 1, 4, 4), (1, 1, 1, 1), stride=2, padding="same")),
    (Shape, ("conv2d: padding is a number", "'full'"),
     lambda d: conv(d, (1, 1, 4, 4), (1, 1, 1, 1), padding="full")),
    (Shape, ("conv2d: padding is not negative", "-1"),
     lambda d: conv(d, (1, 1, 4, 4), (1, 1, 1, 1), padding=-1)),
    (Shape, ("conv2d: groups must be positive", "0"),
     lambda d: conv(d, (1, 1, 4, 4), (1, 1, 1, 1), groups=0)),
    (Shape, ("conv_transpose1d: x has C channels", "x=[1, 2, 4], weight=[3, 1, 1]"),
     lambda d: up(d, (1, 2, 4), (3, 1, 1))),
    (Shape, ("conv_transpose1d: output_padding", "(1,)"),
     lambda d: up(d, (1, 2, 4), (2, 1, 1), output_padding=1)),
    (Shape, ("conv_transpose1d: the output must not be empty", "padding=((3, 3),)"),
     lambda d: up(d, (1, 2, 4), (2, 1, 1), padding=3)),
    (Shape, ("max_pool2d: x is [N, C, 2 spatial axes]", "[2, 2]"),
     lambda d: fogo.max_pool2d(ones(d, 2, 2), 2)),
    (Shape, ("max_pool2d: padding is at most half", "kernel_size=(2, 2)"),
     lambda d: fogo.max_pool2d(ones(d, 1, 4, 4), 2, padding=2)),
    (Shape, ("max_pool2d: the window must fit", "kernel_size=(5, 5)"),
     lambda d: fogo.max_pool2d(ones(d, 1, 4, 4), 5)),
    (Shape, ("avg_pool2d: divisor_override", "0"),
     lambda d: fogo.avg_pool2d(ones(d, 1, 4, 4), 2, divisor_override=0)),
    (Shape, ("adaptive_avg_pool2d: one output size", "(1, 1, 1)"),
     lambda d: fogo.adaptive_avg_pool2d(ones(d, 1, 4, 4), (1, 1, 1))),
    (Shape, ("adaptive_avg_pool1d: sizes must be positive", "(0,)"),
     lambda d: fogo.adaptive_avg_pool1d(ones(d, 1, 4), 0)),
    (Shape, ("sliding_windows: windows of positive size", "size=3", "size 2"),
     lambda d: fogo.sliding_windows(ones(d, 2), 0, 3)),
    (Shape, ("unfold: x is [N, C, H, W]", "[4, 4]"),
     lambda d: fogo.unfold(ones(d, 4, 4), 2)),
    (Shape, ("fold: x is [N, C * 4, 3 * 3]", "[1, 4, 8]"),
     lambda d: fogo.fold(ones(d, 1, 4, 8), (4, 4), 2)),
    (Shape, ("global_avg_pool: x is [N, C, ...]", "[2, 2]"),
     lambda d: fogo.global_avg_pool(ones(d, 2, 2))),
)  # fmt: skip

LOSSES = (
    (Shape, ("margin_ranking_loss: prediction and target", "[2] and [3]"),
     lambda d: fogo.margin_ranking_loss(ones(d, 2), ones(d, 2), ones(d, 3))),
    (Shape, ("multi_margin_loss: p is 1 or 2", "p=3"),
     lambda d: fogo.multi_margin_loss(ones(d, 2, 3), ints(d, 2), p=3)),
    (Shape, ("cosine_embedding_loss: x1 and x2 are [N, E]", "target=[2, 3]"),
     lambda d: fogo.cosine_embedding_loss(
         ones(d, 2, 3), ones(d, 2, 3), ones(d, 2, 3))),
    (Shape, ("lp_loss: p must be above 0", "0"),
     lambda d: fogo.lp_loss(ones(d, 2), ones(d, 2), 0)),
    (Shape, ("gaussian_nll_loss: var is of x's shape", "var=[3]"),
     lambda d: fogo.gaussian_nll_loss(ones(d, 2, 4), ones(d, 2, 4), ones(d, 3))),
    (Shape, ("dice_loss: x and target are [N, ...]",),
     lambda d: fogo.dice_loss(ones(d), ones(d))),
    (Shape, ("info_nce_loss: query and positive are [N, E]", "[3]"),
     lambda d: fogo.info_nce_loss(ones(d, 3), ones(d, 3))),
    (Shape, ("gram_matrix: x is [N, C, ...]", "[2, 3]"),
     lambda d: fogo.gram_matrix(ones(d, 2, 3))),
)  # fmt: skip

LAYERS = (
    (Shape, ("layer_norm: normalized_shape is the end", "[3] for x=[2, 4]"),
     lambda d: fogo.layer_norm(ones(d, 2, 4), 3)),
    (Shape, ("layer_norm: weight has the normalized shape [4]", "[2]"),
     lambda d: fogo.layer_norm(ones(d, 2, 4), 4, ones(d, 2))),
    (Shape, ("group_norm: x is [N, C, ...]", "[2]"),
     lambda d: fogo.group_norm(ones(d, 2), 1)),
    (Shape, ("group_norm: num_groups must divide", "3 for x=[2, 4]"),
     lambda d: fogo.group_norm(ones(d, 2, 4), 3)),
    (Shape, ("batch_norm: running_mean has one number per channel", "[2]"),
     lambda d: fogo.batch_norm(ones(d, 2, 4), ones(d, 2), ones(d, 4))),
    (Shape, ("batch_norm: training needs more", "[1, 4]"),
     lambda d: fogo.batch_norm(ones(d, 1, 4), None, None, training=True)),
    (Shape, ("instance_norm: more than one place", "[2, 4, 1]"),
     lambda d: fogo.instance_norm(ones(d, 2, 4, 1))),
    (Shape, ("dropout: p lies in [0, 1]", "1.5"),
     lambda d: fogo.dropout(ones(d, 2), 1.5)),
    (Shape, ("gelu: approximate", "'fast'"), lambda d: fogo.gelu(ones(d, 2), "fast")),
    (Shape, ("prelu: one slope", "weight=[3] for x=[2, 2]"),
     lambda d: fogo.prelu(ones(d, 2, 2), ones(d, 3))),
    (Shape, ("glu: the axis must have an even size", "size 3"),
     lambda d: fogo.glu(ones(d, 3))),
    (Shape, ('mse_loss: reduction is "mean"', "'avg'"),
     lambda d: fogo.mse_loss(ones(d, 2), ones(d, 2), "avg")),
    (Shape, ("mse_loss: prediction and target", "[2, 1] and [2]"),
     lambda d: fogo.mse_loss(ones(d, 2, 1), ones(d, 2))),
    (Shape, ("smooth_l1_loss: beta", "-1"),
     lambda d: fogo.smooth_l1_loss(ones(d, 2), ones(d, 2), beta=-1)),
    (Shape, ("huber_loss: delta", "0"),
     lambda d: fogo.huber_loss(ones(d, 2), ones(d, 2), delta=0)),
    (Shape, ("cross_entropy: x is [N, C, ...] or [C]", "x=[2, 3], target=[3]"),
     lambda d: fogo.cross_entropy(ones(d, 2, 3), ints(d, 3))),
    (Shape, ("cross_entropy: one weight per class", "[2] for 3 classes"),
     lambda d: fogo.cross_entropy(ones(d, 2, 3), ints(d, 2), ones(d, 2))),
    (DType, ("nll_loss: class targets are integers", "float32"),
     lambda d: fogo.nll_loss(ones(d, 2, 3), ones(d, 2))),
    (Shape, ("cross_entropy: label_smoothing", "2.0"),
     lambda d: fogo.cross_entropy(ones(d, 2, 3), ints(d, 2), label_smoothing=2.0)),
)  # fmt: skip


def used_up(d):
    x = leaf(d, 1)
    y = (x * x).sum()
    y.backward()
    y.backward()


def other_device():
    return fogo.Device("other", type(fogo.device("python").backend)())


def leaf(d, *shape):
    return ones(d.autodiff(), *shape).requires_grad_()


def without_gradient(d):
    """An op with a float result and no rule for its gradient."""
    from fogo.dispatch import call
    from fogo.ops.record import Op, same

    def kernel(k, x, out):
        c = k.grid(out.shape)
        out[c] = x[c]

    x = leaf(d, 2)
    call(Op("plain_copy", infer=same, kernel=kernel), (x,)).sum().backward()


def ghost():
    """A device whose module is not there."""
    from fogo.device import MODULES

    MODULES["ghost"] = "fogo.ghost"
    try:
        fogo.device("ghost:0")
    finally:
        del MODULES["ghost"]


DEVICES = (
    (Device, ("device: a name or a Device", "3"), lambda d: fogo.device(3)),
    (Device, ("device: no such device", "'tpu'", "use one of cpu"),
     lambda d: fogo.device("tpu")),
    (Device, ("device: ghost is not available", "importing"), lambda d: ghost()),
    (Autodiff, ("to: history does not cross devices", "detach()"),
     lambda d: (leaf(d, 2) * 2).to(other_device())),
    (Shape, ("transpose: T needs a matrix", "[2, 3, 4]"),
     lambda d: ones(d, 2, 3, 4).T),
    (Device, ("add: tensors must be on one device", ".to(...)"),
     lambda d: ones(d, 1) + ones(other_device(), 1)),
    (DType, ("promote: no dtype holds both", "uint64 and int8"),
     lambda d: fogo.promote(fogo.uint64, fogo.int8)),
    (Autodiff, ("inner: only an autodiff device", "fogo.device("), lambda d: d.inner()),
    (Autodiff, ("requires_grad_: gradients exist only", "device.autodiff()"),
     lambda d: ones(d, 1).requires_grad_()),
    (DType, ("requires_grad_: only floats", "int32[1]"),
     lambda d: ints(d.autodiff(), 1).requires_grad_()),
    (Autodiff, ("grad: no gradient reached", "requires_grad_()"),
     lambda d: leaf(d, 1).sum().backward()[ones(d, 1)]),
    (Autodiff, ("backward: the tensor does not depend", "requires_grad_()"),
     lambda d: ones(d.autodiff(), 1).backward()),
    (Shape, ("backward: without a gradient argument", "[2]", "gradient="),
     lambda d: leaf(d, 2).backward()),
    (DType, ("backward: gradient must be a tensor", "fogo.tensor(...)"),
     lambda d: leaf(d, 2).backward([1.0, 1.0])),
    (Shape, ("backward: gradient must have", "float32[3]", "float32[2]"),
     lambda d: leaf(d, 2).backward(ones(d, 3))),
    (Shape, ("backward: gradient must have", "int32[2]", "float32[2]"),
     lambda d: leaf(d, 2).backward(ints(d, 2))),
    (Device, ("backward: gradient must be on", ".to(...)"),
     lambda d: leaf(d, 2).backward(ones(other_device(), 2))),
    (Autodiff, ("backward: this graph was used up", "op ", "retain_graph=True"),
     used_up),
    (Autodiff, ("backward: plain_copy has no gradient", "detach()"), without_gradient),
)  # fmt: skip


def step(x):
    return x * 2


def changing(d):
    """A segment that gives more results, or another shape, when it runs again."""
    counts = []

    def segment(x):
        counts.append(1)
        return (x * 2,) * len(counts)

    fogo.checkpoint(segment, leaf(d, 1))[0].sum().backward()


def growing(d):
    shapes = [(2,), (1, 2)]
    fogo.checkpoint(lambda x: x.reshape(shapes.pop(0)) * 2, leaf(d, 2)).sum().backward()


def anomaly(d):
    with fogo.detect_anomaly(device=d):
        x = fogo.zeros(1, device=d.autodiff()).requires_grad_()
        x.sqrt().sum().backward()


def unscaled_twice(d):
    grads = leaf(d, 1).sum().backward()
    scaler = fogo.amp.GradScaler()
    scaler.unscale_(grads)
    scaler.unscale_(grads)


GRADIENTS = (
    (Autodiff, ("grad: only a tensor that requires grad", "float32[2]"),
     lambda d: ones(d, 2).grad_replace(leaf(d, 1).sum().backward(), ones(d, 2))),
    (Autodiff, ("register_hook: only tensors that require", "requires_grad_()"),
     lambda d: ones(d.autodiff(), 1).register_hook(step)),
    (Autodiff, ("backward: inputs must require grad", "requires_grad_()"),
     lambda d: leaf(d, 1).sum().backward(inputs=[ones(d.autodiff(), 1)])),
    (Autodiff, ("autodiff: checkpointing is", "'all'", "fogo.checkpoint"),
     lambda d: d.autodiff(checkpointing="all")),
    (Autodiff, ("checkpoint: the function must do the same", "2 results", "gave 1"),
     changing),
    (Autodiff, ("checkpoint: the function must do the same", "[1, 2]", "[2]"),
     growing),
    (DType, ("autocast: the dtype is a float of 16 bits", "float32", "float16"),
     lambda d: fogo.autocast("float32")),
    (Autodiff, ("unscale_: these gradients are unscaled", "once"), unscaled_twice),
    (Autodiff, ("update: no gradients were seen", "step()"),
     lambda d: fogo.amp.GradScaler().update()),
    (Autodiff, ("backward: the gradient of sqrt holds inf", "line "),
     anomaly),
    (DType, ("gradcheck: difference quotients need float64", "float32[1]"),
     lambda d: fogo.gradcheck(step, ones(d, 1))),
)  # fmt: skip


def of_complex(name):
    """A primitive of a complex number: formulas refuse it before any device."""
    return fogo.expr.call(name, fogo.expr.var("x", fogo.complex64))


STANDARD = (
    (DType, ("erf: real numbers only", "complex64", "abs()"),
     lambda d: of_complex("erf")),
    (DType, ("cast: a complex number", "float32", "complex64", "real()"),
     lambda d: fogo.expr.cast(fogo.expr.var("x", fogo.complex64), "float32")),
    (DType, ("tensor: int32 holds real numbers", "1j", "complex64"),
     lambda d: fogo.tensor([1j], dtype="int32", device=d)),
    (DType, ("finfo: a float or complex", "int8", "iinfo"),
     lambda d: fogo.finfo(fogo.int8)),
    (DType, ("iinfo: an integer", "float32", "finfo"),
     lambda d: fogo.iinfo(fogo.float32)),
    (DType, ("isdtype: no such kind", "'float'", "real floating"),
     lambda d: fogo.isdtype(fogo.int8, "float")),
    (DType, ("result_type: at least one", "none"), lambda d: fogo.result_type()),
    (Device, ("__array_namespace__: versions up to 2024.12", "'1999.01'"),
     lambda d: ones(d).__array_namespace__("1999.01")),
    (Device, ("to_device: streams", "stream=1"),
     lambda d: ones(d).to_device(d, 1)),
    (Device, ("asarray: copy=False needs an array", "list", "leave copy out"),
     lambda d: fogo.asarray([1], device=d, copy=False)),
    (Device, ("asarray: copy=False keeps dtype", "float32[1]", "int32"),
     lambda d: fogo.asarray(ones(d, 1), "int32", copy=False)),
    (Autodiff, ("__dlpack__: history stays here", "float32[1]", "detach()"),
     lambda d: leaf(d, 1).__dlpack__()),
    (Device, ("__dlpack__: memory is given to the CPU", "(2, 0)", "dl_device=(1, 0)"),
     lambda d: ones(d, 1).__dlpack__(dl_device=(2, 0))),
    (Shape, ("meshgrid: vectors", "'ab'"),
     lambda d: fogo.meshgrid(ones(d, 1), indexing="ab")),
    (Shape, ("repeat: one number for all", "[3]", "size 2"),
     lambda d: fogo.repeat(ones(d, 2), ints(d, 3))),
    (Shape, ("repeat: the number is not negative", "-1"),
     lambda d: fogo.repeat(ones(d, 2), -1)),
    (Shape, ("diff: the order is not negative", "n=-1"),
     lambda d: fogo.diff(ones(d, 2), n=-1)),
    (Shape, ("tensordot: the axes have the same sizes", "[2, 3]", "[2, 2]"),
     lambda d: fogo.tensordot(ones(d, 2, 3), ones(d, 2, 2), 1)),
    (Shape, ("vecdot: vectors have one length", "[2]", "[3]"),
     lambda d: fogo.vecdot(ones(d, 2), ones(d, 3))),
    (Shape, ("reshape: copy=False needs a layout", "[3, 2]", "leave copy out"),
     lambda d: fogo.arange(6, device=d).reshape(2, 3).T.reshape(6, copy=False)),
    (Shape, ("matrix_transpose: at least two axes", "[2]"),
     lambda d: fogo.matrix_transpose(ones(d, 2))),
    (Shape, ("roll: one shift for each axis", "(1, 2)", "(0, 1, 0)"),
     lambda d: fogo.roll(ones(d, 2, 2), (1, 2), (0, 1, 0))),
    (Shape, ("stack: shapes must be equal", "[1]", "[2]", "use concat"),
     lambda d: fogo.stack([ones(d, 1), ones(d, 2)])),
)  # fmt: skip

ALL = (
    TENSORS + OPERANDS + MOVEMENT + INDEX + WINDOWS + LOSSES + LAYERS + DEVICES
    + FUNCTIONAL + GRADIENTS + STANDARD + TENSOR_OPS
)  # fmt: skip


def check(rows, device):
    for kind, texts, wrong in rows:
        with raises(kind, *texts):
            wrong(device)


def test_tensors(device):
    check(TENSORS, device)


def test_operands(device):
    check(OPERANDS, device)


def test_movement(device):
    check(MOVEMENT, device)


def test_index(device):
    check(INDEX, device)


def test_windows(device):
    check(WINDOWS, device)


def test_losses(device):
    check(LOSSES, device)


def test_functional(device):
    check(FUNCTIONAL, device)


def test_statistics_and_places(device):
    check(TENSOR_OPS, device)


def test_array_api(device):
    check(STANDARD, device)


def test_layers(device):
    check(LAYERS, device)


def test_gradients(device):
    check(GRADIENTS, device)


def test_devices_and_gradients(device):
    check(DEVICES, device)


def test_every_error_is_a_fogo_error():
    for kind in (Shape, DType, Device, Autodiff, fogo.FormatError):
        assert issubclass(kind, fogo.FogoError)
