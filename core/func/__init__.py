"""Functions of functions: `torch.func`'s names over trees of tensors.

grad, value_and_grad, vjp, jvp, jacrev, jacfwd, hessian, vmap, functional_call, …
Each runs the function on a device one level above its arguments' and takes the results
down again, so that they nest in any order.
"""

from __future__ import annotations

_HOMES = {
    "grad": "reverse", "value_and_grad": "reverse", "grad_and_value": "reverse",
    "vjp": "reverse", "jvp": "forward", "hvp": "jacobians", "vmap": "mapping",
    "jacobian": "jacobians", "jacrev": "jacobians", "jacfwd": "jacobians",
    "hessian": "jacobians", "functional_call": "stateless",
    "stack_module_state": "stateless", "custom_vjp": "custom",
}  # fmt: skip


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError("fogo.func has no attribute %r" % name)
    import sys

    path = __name__ + "." + _HOMES[name]
    __import__(path)
    return getattr(sys.modules[path], name)


def __dir__():
    return sorted(_HOMES)
