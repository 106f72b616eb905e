"""`fogo demo mnist`: train on digits, then draw your own in a page."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fogo

from ..demo.training import train_mnist
from ..train import make_renderer
from .checks import check_port, check_writable

if TYPE_CHECKING:
    from ..device import Device

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def run_mnist(options: argparse.Namespace) -> int:
    """Check, train, build the site, serve it until interrupted; the exit status."""
    out = check_writable(options.out)
    if not options.no_serve:
        check_port(options.host, options.port)
    site, server = _web("site"), _web("server")
    device = _choose(options.device)
    with make_renderer() as renderer:
        renderer.message(f"device: {device.name} ({device.reason})")
        _prepare(site, out / "site", options.cdn, renderer.message)
        trained = train_mnist(
            device,
            out / "mnist.safetensors",
            epochs=options.epochs,
            seed=options.seed,
            renderer=renderer,
        )
    right = 100 * trained.history.accuracies[-1]
    print(f"{right:.1f} % of the held-out digits right; weights in {trained.weights}")
    site.build_site(out / "site", trained.weights, cdn=options.cdn, progress=print)
    if not options.no_serve:
        _serve(server, out / "site", options)
    return 0


def _choose(name: str | None) -> Device:
    """Open the device asked for, or the best one."""
    if name is None:
        return fogo.best_device()
    device = fogo.device(name)
    device.reason = "asked for"
    return device


def _web(room: str) -> Any:
    """Find a part of fogo.web by name: core stands below it and must not import it."""
    try:
        return import_module("fogo.web." + room)
    except ImportError as error:
        raise fogo.FogoError(
            f"demo: the page needs fogo.web, which is not installed ({error})"
        ) from error


def _prepare(site: Any, folder: Path, cdn: bool, say: Callable[[str], None]) -> None:
    """Gather all the site needs but the weights: what cannot be had fails here."""
    site.check_target(folder)
    check_writable(folder)
    if not cdn:
        assets = _web("assets")
        assets.pyodide_folder(say)
        assets.micropip_wheel(say)


def _serve(server: Any, folder: Path, options: argparse.Namespace) -> None:
    # A page that other machines may open needs a token.
    token = None if options.host in _LOOPBACK else "auto"
    server.serve(
        folder,
        options.host,
        options.port,
        open_browser=not options.no_browser and sys.stdout.isatty(),
        token=token,
        announce=lambda url: print(f"draw digits at {url} (Ctrl-C ends)", flush=True),
    )
