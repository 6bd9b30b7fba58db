"""Fixtures of the adapters' tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.llm_server import ChatServer, completion_reply


@pytest.fixture
def upstream() -> Iterator[ChatServer]:
    """A server that answers "Fine." in OpenAI's form."""
    server = ChatServer()
    server.set_script(completion_reply("Fine."))
    yield server
    server.close()
