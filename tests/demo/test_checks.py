"""What is checked before training: the port and the folder."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from fogo.cli.checks import CheckError, check_port, check_writable


def test_a_free_port_passes_and_stays_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    check_port("127.0.0.1", port)
    check_port("127.0.0.1", port)
    check_port("127.0.0.1", 0)


def test_a_taken_port_is_named_with_the_cure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(CheckError) as caught:
            check_port("127.0.0.1", port)
    assert str(caught.value) == (
        f"demo: the port is taken; host=127.0.0.1, port={port}; "
        "--port 0 picks a free one"
    )


def test_an_address_of_another_machine() -> None:
    with pytest.raises(CheckError, match="the address cannot be used.*--host"):
        check_port("192.0.2.1", 0)  # set aside for documentation: nobody has it


def test_a_folder_is_made_and_left_empty(tmp_path: Path) -> None:
    made = check_writable(tmp_path / "new" / "site")
    assert made == tmp_path / "new" / "site"
    assert list(made.iterdir()) == []


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CheckError, match="cannot be written.*give another --out"):
        check_writable(tmp_path / "file")
    with pytest.raises(CheckError, match="Not a directory"):
        check_writable(tmp_path / "file" / "below")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(CheckError, match="Permission denied"):
        check_writable(tmp_path)
