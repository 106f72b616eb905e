"""Statistics where nan, ties and q as a tensor come in: against PyTorch in float64."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import fogo
from tests.shared.check import close, equal

NAN = float("nan")
DATA = [[3.0, NAN, 1.0, 2.0, 5.0], [NAN, NAN, NAN, NAN, NAN], [4.0, 2.0, 2.0, 9.0, 1.0]]


@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_medians_with_nan(name: str, device: fogo.Device) -> None:
    found = getattr(fogo, name)(fogo.tensor(DATA, device=device), 1)
    wanted = getattr(torch, name)(torch.tensor(DATA), 1)
    equal(found.values, wanted.values)
    equal(getattr(fogo, name)(fogo.tensor(DATA, device=device)).item(),
          getattr(torch, name)(torch.tensor(DATA)).item())  # fmt: skip


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_quantiles_with_nan(name: str, device: fogo.Device) -> None:
    shares = [0.0, 0.4, 1.0]
    x = fogo.tensor(DATA, device=device)
    wanted = getattr(torch, name)(torch.tensor(DATA), torch.tensor(shares), 1)
    close(getattr(fogo, name)(x, shares, 1), wanted)
    q = fogo.tensor(shares, device=device)
    close(getattr(fogo, name)(x, q, 1), wanted)
    close(getattr(fogo, name)(x, q[1], 1), wanted[1])


def test_sums_and_means_skip_nan(device: fogo.Device) -> None:
    x = fogo.tensor(DATA, device=device)
    equal(fogo.nansum(x, 1), [11.0, 0.0, 18.0])
    close(fogo.nanmean(x, 1), [2.75, NAN, 3.6])


def test_no_gradient_comes_from_nan(device: fogo.Device) -> None:
    x = fogo.tensor(DATA[0], device=device.autodiff()).requires_grad_()
    equal(fogo.nanmedian(x).backward()[x], [0.0, 0.0, 0.0, 1.0, 0.0])
    equal(fogo.nansum(x * 2.0).backward()[x], [2.0, 0.0, 2.0, 2.0, 2.0])


def test_mode_of_ties_is_the_smallest_at_its_last_place(device: fogo.Device) -> None:
    x = fogo.tensor([[1, 2, 2, 1, 3], [4, 5, 5, 5, 4]], device=device)
    values, places = fogo.mode(x)
    assert values.tolist() == [1, 5] and places.tolist() == [3, 3]


def test_cov_with_weights(device: fogo.Device) -> None:
    rows = np.random.default_rng(3).normal(size=(3, 6))
    times, much = [1, 2, 1, 3, 1, 2], [0.5, 1.0, 2.0, 1.0, 0.25, 1.5]
    wanted = np.cov(rows, ddof=1, fweights=times, aweights=much)
    x = fogo.tensor(rows.tolist(), device=device)
    f, a = fogo.tensor(times, device=device), fogo.tensor(much, device=device)
    close(fogo.cov(x, fweights=f, aweights=a), wanted, 1e-4, 1e-5)
    close(fogo.cov(x, 0, aweights=a), np.cov(rows, ddof=0, aweights=much), 1e-4, 1e-5)


def test_results_in_two_parts_have_names(device: fogo.Device) -> None:
    x = fogo.tensor([3.0, 1.0, 2.0], device=device)
    assert fogo.median(x, 0).indices.item() == 2
    assert fogo.aminmax(x).max.item() == 3.0
