"""Refuse connections to other hosts and log who tried.

An audit hook sees what Python's own socket module does, asyncio and http clients included, and cannot be
removed again, so nothing that a test imports can get round it.
"""

from __future__ import annotations

import ipaddress
import os
import sys
from pathlib import Path
from typing import Any

ATTEMPTS: list[str] = []
LOG_VARIABLE = "CONVGATE_TEST_NETWORK_LOG"  # a file that child processes write their attempts to

_LOCAL_NAMES = {"", "localhost", "ip6-localhost"}
_ADDRESS_AT = {"socket.connect": 1, "socket.sendto": 1, "socket.sendmsg": 1}
_WATCHED = frozenset({"socket.getaddrinfo", "socket.gethostbyname", *_ADDRESS_AT})


class NetworkForbiddenError(RuntimeError):
    """Something tried to reach another machine."""


def is_local(address: Any) -> bool:
    """Whether a socket address or host name stays on this machine; Unix sockets and None do."""
    if not isinstance(address, tuple):
        return True
    host = str(address[0]).split("%", maxsplit=1)[0]
    if host in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback or ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def install() -> None:
    """Watch this process from now on."""
    sys.addaudithook(_refuse)


def _refuse(event: str, args: tuple[Any, ...]) -> None:
    if event not in _WATCHED:  # nearly all; Python tells of every file and frame
        return
    if event == "socket.getaddrinfo":
        host = args[0].decode() if isinstance(args[0], bytes) else args[0]
        target: Any = (host or "",)
    elif event == "socket.gethostbyname":
        target = (args[0],)
    else:
        target = args[_ADDRESS_AT[event]]
    if not is_local(target):
        attempt = f"{event} to {target[0]}"
        ATTEMPTS.append(attempt)
        if log := os.environ.get(LOG_VARIABLE):
            with Path(log).open("a") as file:
                file.write(f"{attempt}\n")
        raise NetworkForbiddenError(f"{attempt}: convgate makes no network call of its own")
