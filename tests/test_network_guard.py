"""The network guard of the tests: it refuses and logs connections to other hosts."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.network_guard.loopback_only import ATTEMPTS, LOG_VARIABLE, NetworkForbiddenError, is_local


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log of this test's own, so that its attempts are not held against it."""
    monkeypatch.setenv(LOG_VARIABLE, str(tmp_path / "attempts.log"))
    return tmp_path / "attempts.log"


@pytest.mark.parametrize("address", [("127.0.0.1", 80), ("::1", 80, 0, 0), ("localhost", 80), "/run/x.sock"])
def test_this_machine_is_local(address: object) -> None:
    assert is_local(address)


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80, 0, 0), ("example.invalid", 80)])
def test_another_machine_is_not(address: object) -> None:
    assert not is_local(address)


def test_a_connection_to_another_machine_is_refused_and_noted(log: Path) -> None:
    with pytest.raises(NetworkForbiddenError, match=r"connect to 192\.0\.2\.1"), socket.socket() as line:
        line.connect(("192.0.2.1", 80))
    assert ATTEMPTS == ["socket.connect to 192.0.2.1"]


def test_looking_up_a_name_is_refused(log: Path) -> None:
    with pytest.raises(NetworkForbiddenError, match=r"getaddrinfo to example\.invalid"):
        socket.getaddrinfo("example.invalid", 443)


def test_a_child_process_is_guarded_and_its_attempt_is_noted_even_when_it_hides_the_error(log: Path) -> None:
    code = """
import socket
try:
    socket.create_connection(("192.0.2.1", 80))
except Exception:
    pass
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert "192.0.2.1" in log.read_text()


def test_loopback_is_allowed(log: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass
    assert not log.exists()
