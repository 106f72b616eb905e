"""The assertions themselves: they pass what agrees and fail what does not."""

from tests.shared.check import close, equal, raises

NAN = float("nan")
INF = float("inf")


def test_close_takes_equal_numbers_nan_and_infinities():
    close([[1.0, NAN], [INF, -INF]], [[1.0 + 1e-7, NAN], [INF, -INF]])
    close(3, 3.0)
    close([], ())
    close([True, False], [True, False])


def test_close_names_the_place_that_differs():
    with raises(AssertionError, "values differ at [1][0]", "3.5 instead of 3"):
        close([[1, 2], [3.5, 4]], [[1, 2], [3, 4]])


def test_close_fails_on_everything_else():
    for actual, expected in (
        (1.0, NAN),
        (NAN, 1.0),
        (INF, -INF),
        (1e308, INF),
        ([1.0], 1.0),
        ([1.0], [1.0, 1.0]),
        (True, 1),
        (1.0, 1.001),
    ):
        with raises(AssertionError):
            close(actual, expected)


def test_equal_has_no_tolerance():
    equal([1, 2.5], [1, 2.5])
    with raises(AssertionError):
        equal(1.0, 1.0 + 1e-9)


def test_raises_fails_when_nothing_or_another_error_is_raised():
    with raises(AssertionError, "nothing raised"):
        with raises(ValueError):
            pass
    with raises(KeyError):
        with raises(ValueError):
            raise KeyError("other")
    with raises(AssertionError, "is not in: a message"):
        with raises(ValueError, "absent text"):
            raise ValueError("a message")


def test_device_is_the_one_asked_for(device):
    close(device.name in ("python", "numpy", "webgpu", "wasm"), True)


async def test_coroutines_run_to_their_end(device):
    async def later():
        return device.name

    equal(await later(), device.name)
