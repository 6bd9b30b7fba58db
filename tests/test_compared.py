"""docs/compared.md: every test that it names exists. Tests of complaints that no other file covers."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from pathlib import Path

from convgate.core.conversation import Conversation
from convgate.core.settings import load_settings
from convgate.gatekeeper.exchange import exchanges_of
from convgate.gatekeeper.gatekeeper import load_gatekeeper
from convgate.policies.sessions.policy import SessionPolicy
from convgate.store import Conversations, Store
from convgate.transcripts import turns_from_messages
from tests.commands import Run
from tests.selectors import chat, make_selector, turns_by_section

TESTS = Path(__file__).resolve().parent
COMPARED = TESTS.parent / "docs" / "compared.md"
CASE = re.compile(r"^\*\*(\d+)\. .*?^Tests: (.*?)(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)


def test_every_test_that_the_comparison_names_exists() -> None:
    cases = CASE.findall(COMPARED.read_text(encoding="utf-8"))
    assert [int(number) for number, _ in cases] == list(range(1, 19))
    for number, tests in cases:
        named = re.findall(r"`(\w+(?:/\w+)*\.py)::(\w+)`", tests)
        assert named, f"complaint {number} names no test"
        assert len(named) == tests.count("`") / 2, f"complaint {number}: {tests}"
        for file, name in named:
            source = (TESTS / file).read_text(encoding="utf-8")
            assert re.search(rf"^ *def {name}\(", source, re.MULTILINE), f"complaint {number}: {file}::{name}"


def test_a_correction_applies_to_the_request_that_states_it() -> None:
    messages = chat("The limit must be 300 words.", "Noted.", "No, I meant 500 words.")
    assert make_selector().select(messages[:1]).indices == [0]
    assert make_selector().select(messages).decisions.of(0).rule == "superseded"


def test_rules_and_the_task_cross_an_idle_gap_that_drops_the_rest() -> None:
    texts = ("You must never delete the backups.", "Fine.", "LEARNING why tea?", "Because.",
             "TASK write the importer", "It reads CSV.", "TASK so")  # fmt: skip
    hours = (0, 0, 0.1, 0.1, 0.2, 0.2, 8)
    messages = [
        {**message, "timestamp": (datetime(2025, 3, 1, 9) + timedelta(hours=hour)).isoformat()}
        for message, hour in zip(chat(*texts), hours, strict=True)
    ]
    policy = SessionPolicy(idle_gap_seconds=3600.0, scope="session")
    conversation = Conversation("live", turns_from_messages(messages))
    assert not policy.decide(*conversation.at(6)).kept.any()
    selection = make_selector(policy=policy).select(messages)
    sections = turns_by_section(selection)
    assert (sections["rules"], sections["task_state"]) == ([0], [4])
    assert {1, 2, 3}.isdisjoint(selection.indices)


def test_messages_that_a_selection_adds_are_in_no_exchange() -> None:
    rule = "You must never delete the backups."
    selection = make_selector(set()).select(
        chat(f"{'word ' * 60}. {rule}", "Fine.", "TASK so"), budget=40, capsules=["So far: a long talk."]
    )
    added = [m["content"] for m, at in zip(selection.messages, selection.places, strict=True) if at is None]
    assert len(added) == 2
    answered = [*selection.messages, {"role": "assistant", "content": "Done."}]
    [placed] = exchanges_of(Conversation("live", turns_from_messages(answered)))
    assert (placed.exchange.user, placed.exchange.assistant) == ("TASK so", "Done.")
    assert placed.exchange.previous == ()


def test_an_import_stores_what_the_gatekeeper_would_skip(run: Run, tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "ok"}, {"role": "assistant", "content": "Done."}]
    assert not load_gatekeeper().decide_messages(messages).keep
    file = tmp_path / "talk.json"
    file.write_text(json.dumps(messages))
    code, out, _ = run("import", file, "--json")
    assert code == 0
    store = Store(load_settings().database)
    stored = Conversations(store).get(json.loads(out)["conversations"][0]["key"])
    store.close()
    assert [turn.text for turn in stored.conversation.turns] == ["ok", "Done."]
