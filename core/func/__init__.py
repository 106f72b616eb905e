"""Functions of functions: `torch.func`'s names over trees of tensors.

grad, value_and_grad, vjp, jvp, jacrev, jacfwd, hessian, vmap, functional_call, …
Each runs the function on a device one level above its arguments' and takes the results
down again, so that they nest in any order.
"""

from __future__ import annotations

_HOMES = {
    "grad": "grad", "value_and_grad": "grad", "grad_and_value": "grad", "vjp": "grad",
    "jvp": "forward", "hvp": "jacobian", "vmap": "vmap",
    "jacobian": "jacobian", "jacrev": "jacobian", "jacfwd": "jacobian",
    "hessian": "jacobian", "functional_call": "stateless",
    "stack_module_state": "stateless",
}  # fmt: skip


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError("fogo.func has no attribute %r" % name)
    import sys

    path = __name__ + "." + _HOMES[name]
    __import__(path)
    found = getattr(sys.modules[path], name)
    globals()[name] = found  # over the module of the same name
    return found


def __dir__():
    return sorted(_HOMES)
