"""Labels as files on Label: a look before they come in, and out without loss."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from convgate.core.conversation import Conversation, Turn
from convgate.core.settings import load_settings
from convgate.labels.exchange import keep_labels, read_labels, write_labels
from convgate.store import Conversations, CurrentKey, Labels, NewConversation, Store
from tests.label_files import label, set_of
from tests.label_page import (
    HOSTILE,
    TALK,
    add,
    click,
    entries,
    errors,
    held,
    opened,
    place,
    said,
    saved,
    say,
    sound,
    store,
)
from tests.label_page import (
    label_page as label_page,
)

pytestmark = pytest.mark.usefixtures("label_page")


def test_an_empty_library_takes_labels_with_their_conversations() -> None:
    app = opened()
    other = Store(load_settings().home / "other.db")
    (added,) = Conversations(other).add([NewConversation(Conversation("Talk", TALK, title="Talk"))])
    Labels(other).answer(CurrentKey(added.key, 7), {1: "relevant"}, by="Bo")
    sound(app.button_group(key="explore.show").set_value("files").run())
    sound(app.file_uploader[0].upload("labels.jsonl", write_labels(other, "relevance-set")).run())
    assert "1 label on 1 conversation, 1 of them new" in said(app)
    click(app, "label.import.keep")
    assert [(one.turn, one.annotator, one.value) for one in entries()] == [(1, "Bo", "relevant")]
    assert place(app) == (7, 6)


def test_a_file_is_previewed_imported_and_undone_as_one() -> None:
    key, other = add(), add(*TALK[:6])
    say(key, Ada={1: "relevant"})
    app = opened(conversation=key, show="files")
    rows = [label("Ada", 1, "unsure"), label("Bo", 2, "relevant")]
    before = entries()
    content = set_of(store(), key, 7, *rows)
    sound(app.file_uploader[0].upload(f"{HOSTILE[:9]}.jsonl", content).run())
    assert "2 labels on 1 conversation, 0 of them new. By: Ada 1, Bo 1." in said(app)
    assert "1 new, 0 known, 1 replace another." in said(app)
    assert entries() == before
    click(app, "label.import.keep")
    assert "2 answers" in saved(app)
    assert (held(key), held(key, "Bo")) == ({1: "unsure"}, {2: "relevant"})
    assert not app.file_uploader[0].value
    click(app, "answering.undo")
    assert entries() == before
    app = opened(conversation=key, show="files")

    bad = set_of(store(), key, 7, *rows, label("Bo", 99, "relevant"), label("Bo", 3, HOSTILE))
    sound(app.file_uploader[0].upload("bad.jsonl", bad).run())
    assert "2 bad places" in errors(app)
    assert "line 2" in said(app)
    assert not [one for one in app.markdown if HOSTILE in one.value]
    sound(app.toggle(key="label.import.skip").set_value(True).run())
    assert app.button(key="label.import.keep").label == "Import 2 labels"

    lists = json.dumps({"current_turn": 5, "relevant_turns": [1]})
    sound(app.file_uploader[0].upload("peer.jsonl", lists.encode()).run())
    sound(app.selectbox(key="explore.conversation").set_value(other).run())
    click(app, "label.import.keep")
    assert held(other, turn=5)[1] == "relevant", "of the open conversation, by who imports"
    assert not opened(None, conversation=key, show="files").file_uploader


@pytest.fixture
def downloads(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the buttons of the page would give, by file name."""
    files: dict[str, Any] = {}

    def draw(label: str, data: object, *, file_name: str, **_: object) -> bool:
        files[file_name] = data
        return False

    monkeypatch.setattr("streamlit.download_button", draw)
    return files


def test_exports_are_files_that_are_read_back_without_loss(downloads: dict[str, Any], tmp_path: Path) -> None:
    key = add()
    say(key, Ada={1: "relevant", 2: "unsure"}, Bo={1: "not_relevant"})
    opened(conversation=key, show="files")
    other = Store(tmp_path / "other.db")
    Conversations(other).add([NewConversation(Conversation("Talk", TALK, title="Talk", format="openai"))])
    keep_labels(other, read_labels(downloads["labels.jsonl"](), "labels.jsonl", other), by="Ada")
    assert sorted((replace(one, at=None) for one in Labels(other).entries()), key=repr) == entries()


def test_exports_are_redacted_where_that_is_chosen(downloads: dict[str, Any]) -> None:
    secret = "AKIA" + "Z7Q2" * 4  # made up
    key = add(*(Turn.of("user", f"{number}: {secret}") for number in range(8)))
    say(key, Ada={1: "relevant"})
    app = opened(conversation=key, show="files")
    names = ("labels.jsonl", "labels.csv")
    assert all(secret.encode() in downloads[name]() for name in names)
    app.checkbox(key="label.export.redact").check().run()
    assert not any(secret.encode() in downloads[name]() for name in names)
