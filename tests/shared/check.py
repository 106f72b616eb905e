"""Assertions that run under pytest and MicroPython alike."""

import math


class raises:
    """Fail unless the block raises `kind` with every one of `texts` in its message.

    Example:
        >>> with raises(ValueError, "bad") as caught:
        ...     raise ValueError("a bad value")
        >>> str(caught.value)
        'a bad value'
    """

    def __init__(self, kind, *texts):
        self.kind = kind
        self.texts = texts
        self.value = None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if value is None:
            raise AssertionError("nothing raised; expected " + _name(self.kind))
        if not isinstance(value, self.kind):
            return False
        self.value = value
        for text in self.texts:
            if text not in str(value):
                raise AssertionError(repr(text) + " is not in: " + str(value))
        return True


def close(actual, expected, rtol=1e-5, atol=1e-6):
    """Fail unless nested numbers agree in shape and value; NaN equals NaN.

    `actual` may be a tensor, or anything with `tolist`; infinities must be equal.
    """
    problem = _differ(_plain(actual), _plain(expected), rtol, atol, "")
    if problem:
        raise AssertionError(problem)


def equal(actual, expected):
    """Fail unless nested values are exactly equal; NaN equals NaN."""
    close(actual, expected, 0.0, 0.0)


def _plain(value):
    return value.tolist() if hasattr(value, "tolist") else value


def _differ(actual, expected, rtol, atol, at):
    nested = isinstance(expected, (list, tuple))
    if nested != isinstance(actual, (list, tuple)):
        return _message(at, actual, expected, "nesting differs")
    if not nested:
        same = _same(actual, expected, rtol, atol)
        return None if same else _message(at, actual, expected, "values differ")
    if len(actual) != len(expected):
        return _message(at, actual, expected, "lengths differ")
    for i in range(len(expected)):
        here = at + "[" + str(i) + "]"
        problem = _differ(_plain(actual[i]), _plain(expected[i]), rtol, atol, here)
        if problem:
            return problem
    return None


def _same(actual, expected, rtol, atol):
    if isinstance(expected, (bool, str)) or isinstance(actual, (bool, str)):
        return type(actual) is type(expected) and actual == expected
    if actual == expected:
        return True
    if math.isnan(expected) or math.isnan(actual):
        return math.isnan(expected) and math.isnan(actual)
    if math.isinf(expected) or math.isinf(actual):
        return False
    return abs(actual - expected) <= atol + rtol * abs(expected)


def _message(at, actual, expected, what):
    where = " at " + at if at else ""
    return what + where + ": " + repr(actual) + " instead of " + repr(expected)


def _name(kind):
    if isinstance(kind, tuple):
        return " or ".join([k.__name__ for k in kind])
    return kind.__name__
