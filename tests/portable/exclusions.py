"""The shared tests that a MicroPython runtime cannot run: one list, with reasons.

Each row: (runtime, name, reason). `runtime` is "unix", "node" or "*"; `name` is a
test ("tests.shared.test_x::test_y") or a case ("case:add-float32-broadcast"), and a
name that ends in "*" stands for all that begin so.
"""

EXCLUDED = ()


def reason(runtime, name):
    """Return why this test is left out on this runtime, or None."""
    for where, pattern, why in EXCLUDED:
        if where in ("*", runtime) and _matches(pattern, name):
            return why
    return None


def _matches(pattern, name):
    if pattern.endswith("*"):
        return name.startswith(pattern[:-1])
    return name == pattern
