"""How far a result may lie from the reference: one table, by backend and dtype.

|result - reference| <= rtol * |reference| + atol, where the reference is NumPy's in
float64, rounded to the dtype. Integers and bools must be equal. `factor` widens a
bound for ops that add up many terms or lose digits; each row says why it has one.
"""

# (backend, dtype): (rtol, atol). "*" stands for every backend without a row of its own.
FORWARD = {
    ("*", "float16"): (2e-3, 1e-3),
    ("*", "float32"): (1e-6, 1e-6),
    ("*", "float64"): (1e-13, 1e-13),
    ("webgpu", "float16"): (4e-3, 2e-3),
    ("webgpu", "float32"): (4e-6, 2e-6),
    ("cuda", "float16"): (4e-3, 2e-3),
    ("cuda", "float32"): (4e-6, 2e-6),
}

# Gradients round at every step of the chain, and subtract.
GRADIENT = {
    ("*", "float16"): (1e-2, 1e-2),
    ("*", "float32"): (1e-5, 1e-5),
    ("*", "float64"): (1e-11, 1e-11),
    ("webgpu", "float16"): (2e-2, 2e-2),
    ("webgpu", "float32"): (2e-5, 2e-5),
    ("cuda", "float16"): (2e-2, 2e-2),
    ("cuda", "float32"): (2e-5, 2e-5),
}


def lookup(table, backend, dtype, factor=1.0):
    """Return (rtol, atol) for a backend and a dtype; exact for integers and bools.

    Example:
        >>> lookup(FORWARD, "python", "float32")
        (1e-06, 1e-06)
    """
    if not dtype.startswith("float"):
        return 0.0, 0.0
    found = table.get((backend, dtype)) or table[("*", dtype)]
    return found[0] * factor, found[1] * factor
