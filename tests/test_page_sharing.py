"""Explore shares its decisions: a link to the view, and an HTML file."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl

import pytest

from tests.fakes import FakeEncoder
from tests.page_app import HOSTILE, TURNS, add_conversation, open_page, use_encoder
from tests.page_app import downloads as downloads


@pytest.fixture
def key(convgate_home: object, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> str:
    use_encoder(fake_encoder, monkeypatch)
    return add_conversation(*TURNS, title=HOSTILE)


def test_the_file_has_the_decisions_that_the_page_shows(key: str, downloads: dict[str, Any]) -> None:
    open_page("Explore", conversation=key, policy="last_k(k=2)", turn="6")
    page = downloads["decisions.html"]()
    assert page.count('<details class="kept" open>') == 3, "two turns, and the instruction"
    assert page.count('<details class="dropped">') == 2
    assert "Message 6" in page
    assert "Last 2 turns" in page
    assert "<b>x</b>" not in page


def test_the_link_restores_the_view(key: str) -> None:
    query = {"conversation": key, "turn": "6", "selected": "3", "policy": "last_k(k=2)"}
    app = open_page("Explore", **query)
    components = app.get("bidi_component")
    [button] = [each for each in components if "copy_link" in each.proto.component_name]
    assert dict(parse_qsl(json.loads(button.proto.json)["query"])) == query
