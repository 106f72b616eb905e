"""Reads the command line, runs a command, and turns errors into one line each."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

from ..errors import FogoError


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, like all others of fogo."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"fogo: {message}; see {self.prog} --help\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (default: this process's); returns the exit status.

    0: done; 2: an error, told in one line on stderr; 130: interrupted. With
    FOGO_DEBUG=1 the traceback is shown too.
    """
    chosen = build_parser().parse_args(arguments)
    try:
        status: int = chosen.run(chosen)
        return status
    except KeyboardInterrupt:
        return _fail("stopped", 130)
    except FogoError as error:
        return _fail(str(error))
    except OSError as error:
        return _fail(f"{error.filename}: {error.strerror}" if error.filename else error)
    except Exception as error:
        kind = type(error).__name__
        return _fail(f"internal: {kind}: {error}; FOGO_DEBUG=1 shows where", 1)


def _fail(reason: object, status: int = 2) -> int:
    if os.environ.get("FOGO_DEBUG", "0") not in ("", "0"):
        traceback.print_exc()
    print("fogo: " + " ".join(str(reason).split()), file=sys.stderr)
    return status


def build_parser() -> Parser:
    """Describe every command; nothing heavy is imported before one runs."""
    parser = Parser(prog="fogo", description="A deep-learning runtime in Python.")
    parser.add_argument("--version", action=_Version, nargs=0, help="say the version")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    listing = commands.add_parser("devices", help="list what this machine has")
    listing.set_defaults(run=_devices)
    demos = commands.add_parser("demo", help="run a demonstration").add_subparsers(
        dest="demo", required=True, metavar="demo"
    )
    _add_mnist(demos.add_parser("mnist", help="train on digits, then draw your own"))
    return parser


def _add_mnist(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--device", help="train here (default: the best; see `fogo devices`)")
    add("--epochs", type=_positive, help="default: enough for about 1,500 batches")
    add("--seed", type=int, default=0, help="fixes every random choice (0)")
    add("--host", default="127.0.0.1", help="address to serve on (127.0.0.1)")
    add("--port", type=_port, default=8000, help="port; 0 picks a free one (8000)")
    add("--out", default="site-out", help="folder for the site (site-out)")
    add("--cdn", action="store_true", help="let the page load Python from a CDN")
    add("--no-serve", action="store_true", help="stop when the site is built")
    add("--no-browser", action="store_true", help="open no browser")
    parser.set_defaults(run=_mnist)


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from fogo import __version__

        print("fogo " + __version__)
        parser.exit()


def _devices(_: argparse.Namespace) -> int:
    from .devices import show_devices

    return show_devices()


def _mnist(options: argparse.Namespace) -> int:
    from .mnist import run_mnist

    return run_mnist(options)


def _positive(text: str) -> int:
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"a whole number from 1 up; given {text!r}")
    return number


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a port is 0 to 65535; given {text!r}")
    return int(text)
