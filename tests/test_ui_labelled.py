"""Labels together with an exported set of them: repeated turns are reported and counted once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from convgate.core.conversation import Conversation, Turn
from convgate.core.settings import load_settings
from convgate.labels.exchange import write_labels
from convgate.store import Answer, Conversations, CurrentKey, Labels, NewConversation, Store
from convgate.training.library import RelevanceSets
from convgate.ui.shared.frame import App
from convgate.ui.shared.label_sources import LABELS
from convgate.ui.shared.library import library_key
from convgate.ui.train.page import count_together

SHARED = "9 judged turns of exported are in my labels too; each counts once."
ANSWERS: dict[int, Answer] = {0: "relevant", 1: "not_relevant", 3: "relevant"}


@pytest.fixture
def home(convgate_home: Path) -> Path:
    """Three labelled conversations, exported; one has grown since, and was saved again with another end."""
    store = Store(load_settings().database)
    conversations, labels = Conversations(store), Labels(store)
    for number in range(3):
        random = np.random.default_rng(number)
        texts = [" ".join(random.choice(["lake", "boat", "tea", "rain"], 4)) for _ in range(8)]
        turns = [Turn.of("user" if i % 2 == 0 else "assistant", text) for i, text in enumerate(texts)]
        (added,) = conversations.add([NewConversation(Conversation("t", tuple(turns)))])
        labels.answer(CurrentKey(added.key, 6), ANSWERS, by="Ada")
    RelevanceSets(convgate_home).add("exported", write_labels(store, "relevance-set"))
    labels.answer(CurrentKey(added.key, 6), {4: "relevant"}, by="Ada")
    conversations.grow(added.key, [Turn.of("user", "and more")])
    longer = Conversation("t", (*turns, Turn.of("user", "or this")))
    (added,) = conversations.add([NewConversation(longer)])
    labels.answer(CurrentKey(added.key, 6), ANSWERS, by="Ada")
    return convgate_home


def test_what_labels_and_an_exported_set_share_is_reported_and_counted_once(home: Path) -> None:
    settings = load_settings()
    app = App(settings, Store(settings.database))
    within = "3 judged turns of my labels are there in another conversation too; each counts once."
    conversations, overlaps = count_together(app, [LABELS, "exported"])
    assert {overlap.sentence for overlap in overlaps} == {SHARED, within}
    assert conversations == 3, "the grown one is the one that was exported"
    conversations, overlaps = count_together(app, [LABELS])
    assert [overlap.sentence for overlap in overlaps] == [within]
    assert conversations == 3


def test_conversations_of_sets_are_found_in_the_library_by_key_former_key_or_what_was_said(
    convgate_home: Path,
) -> None:
    store = Store(load_settings().database)
    conversations = Conversations(store)
    stored = [
        Conversation(name, (Turn.of("user", name), Turn.of("user", "and?"))) for name in ("a", "b", "c")
    ]
    keys = [added.key for added in conversations.add(map(NewConversation, stored))]
    grown = conversations.grow(keys[0], [Turn.of("user", "and more")]).key
    conversations.delete([keys[2]])
    by_id = [
        (keys[0], stored[0], grown), (keys[1], Conversation("x", ()), keys[1]),
        ("theirs", stored[1], keys[1]), ("deleted", stored[2], None), (keys[2], stored[2], None),
        ("nothing", Conversation("x", ()), None),
    ]  # fmt: skip
    for id, conversation, key in by_id:
        assert library_key(store, replace(conversation, id=id)) == key
