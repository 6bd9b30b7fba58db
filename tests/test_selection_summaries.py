"""Summaries of every so many turns, and recall of earlier sessions: what is stored, sent and dropped."""

from __future__ import annotations

from typing import Any

import pytest

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import PolicyError, SettingsError, StoreError
from convgate.language_model import LanguageModel
from convgate.policies.retention.pruning import undo_pruning
from convgate.sessions import SessionManager
from convgate.sessions.summaries import MAX_CHARACTERS, ExtractiveSummarizer, ModelSummarizer, summary_stop
from convgate.store import Conversations, NewConversation, Store
from convgate.store.edits import InvariantEdit, InvariantEdits, PrunedTurn, PrunedTurns
from convgate.store.summaries import Summaries, TurnSummary
from tests import selectors
from tests.llm_server import ChatServer, completion_reply, error_reply
from tests.llm_server import server as server
from tests.session_agents import Clock

TALK = Conversation(
    "",
    tuple(
        Turn.of(role, text)
        for role, text in (
            ("system", "Be brief."),
            ("user", "we sell tea"),
            ("assistant", "noted"),
            ("user", "the shop is in Rome"),
            ("assistant", "noted too"),
            ("user", "where is the shop?"),
        )
    ),
)


def manager(store: Store, workspace: str = "shop", kept: Any = None, **settings: Any) -> SessionManager:
    policy = selectors.FixedPolicy(kept, scores={3: 0.8, 1: 0.6})
    selector = selectors.make_selector(policy=policy, **settings)
    return SessionManager(store, workspace=workspace, clock=Clock(), selector=selector)


def test_an_extract_quotes_the_best_turns_in_order_with_their_numbers() -> None:
    policy = selectors.FixedPolicy({1, 3}, scores={0: 1.0, 1: 0.6, 2: 0.1, 3: 0.8, 4: 0.2})
    short = ExtractiveSummarizer(policy, max_characters=60).summarize(TALK, 5)
    assert short.text == "[1] user: we sell tea\n[3] user: the shop is in Rome"
    assert (short.stop, short.by) == (5, "keeps")
    first = ExtractiveSummarizer(policy).summarize(TALK, 3)
    assert first.text == "[1] user: we sell tea\n[2] assistant: noted"
    assert ExtractiveSummarizer(policy).summarize(TALK, 1) is None, "instructions are not quoted"
    unranked = ExtractiveSummarizer(selectors.FixedPolicy(ranked=False), max_characters=30).summarize(TALK, 5)
    assert unranked.text == "[4] assistant: noted too"


def test_a_language_model_summarises_data_and_an_extract_stands_in_for_it(server: ChatServer) -> None:
    model = LanguageModel("tiny", base_url=server.url, retries=0)
    summarizer = ModelSummarizer(model, ExtractiveSummarizer(selectors.FixedPolicy()))
    server.set_script(completion_reply("<think>hm</think> Tea shop in Rome [3]." + "x" * 9_000))
    summary = summarizer.summarize(TALK, 5)
    assert summary.by == "tiny"
    assert summary.text.startswith("Tea shop in Rome [3].")
    assert len(summary.text) <= MAX_CHARACTERS
    [request] = server.requests
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert "Rome" not in request["messages"][0]["content"]
    server.set_script(error_reply(500))
    assert summarizer.summarize(TALK, 5).by == "keeps"


def test_summaries_are_made_every_so_many_turns_and_sent_as_capsules(store: Store) -> None:
    sessions = manager(store, session={"summary_turns": 2})
    key = sessions.add_message("the shop is in Rome").key
    assert Summaries(store).get(key) is None
    key = sessions.add_message({"role": "assistant", "content": "noted"}).key
    first = Summaries(store).get(key)
    assert (first.stop, first.text) == (2, "[0] user: the shop is in Rome\n[1] assistant: noted")
    key = sessions.add_message("it is small").key
    assert Summaries(store).get(key) == first
    selection = sessions.select()
    [capsule] = selection.section("capsules").turns
    assert capsule.reason == "a summary of messages 0 to 1, by keeps."
    assert first.text in str(selection.messages[0]["content"])
    key = sessions.add_message({"role": "assistant", "content": "noted"}).key
    assert Summaries(store).get(key).stop == 4


def test_without_the_setting_nothing_is_summarised(store: Store) -> None:
    sessions = manager(store)
    key = sessions.add_messages(selectors.chat(*"abcdef")).key
    assert Summaries(store).get(key) is None
    assert summary_stop(6, 0) == 0


def test_a_summary_is_dropped_when_a_turn_that_it_stands_for_changes(store: Store) -> None:
    [added] = Conversations(store).add([NewConversation(TALK)])
    summaries, pruned = Summaries(store), PrunedTurns(store)
    summaries.put(added.key, TurnSummary("tea", 3, "gate"))
    pruned.change(added.key, {3: PrunedTurn("old")})
    assert summaries.get(added.key) is not None, "message 3 is behind it"
    pruned.change(added.key, {2: PrunedTurn("old")})
    assert summaries.get(added.key) is None
    summaries.put(added.key, TurnSummary("tea", 3, "gate"))
    undo_pruning(store, added.key)
    assert summaries.get(added.key) is None, "message 2 is back"
    for stop in (0, 7):
        with pytest.raises(StoreError):
            summaries.put(added.key, TurnSummary("tea", stop, "gate"))


def test_wrong_settings_are_reported_before_a_message_is_stored(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    sessions = manager(store, session={"summary_turns": 2, "summary_model": "tiny"})
    with pytest.raises(SettingsError):
        sessions.add_message("hello")
    assert Conversations(store).keys() == set()
    manager(store).add_message("hello")
    assert not sessions.end().is_active, "a session ends all the same"


def test_a_failing_summary_costs_no_message(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise PolicyError("no scores today")

    monkeypatch.setattr(selectors.FixedPolicy, "decide", fail)
    sessions = manager(store, session={"summary_turns": 1})
    assert Summaries(store).get(sessions.add_message("hello").key) is None


def test_pruned_turns_are_in_no_summary(store: Store) -> None:
    sessions = manager(store, session={"summary_turns": 4})
    key = sessions.add_messages(selectors.chat("secret", "noted", "open")).key
    PrunedTurns(store).change(key, {0: PrunedTurn("old")})
    key = sessions.add_message({"role": "assistant", "content": "fine"}).key
    summary = Summaries(store).get(key)
    assert "secret" not in summary.text
    assert "open" in summary.text


@pytest.fixture
def earlier(store: Store) -> str:
    """A conversation of the workspace shop with a summary and two pinned invariants, one of them ended."""
    sessions = manager(store)
    key = sessions.add_messages(selectors.chat("use tabs. use spaces.", "noted")).key
    Summaries(store).put(key, TurnSummary("The shop is in Rome.", 2, "gate"))
    pinned = (
        InvariantEdit(of="use tabs.", pinned=True),
        InvariantEdit(of="use spaces.", pinned=True, state="ended"),
    )
    InvariantEdits(store).change(key, {0: pinned})
    sessions.end()
    return key


def test_nothing_is_recalled_unless_asked_for(store: Store, earlier: str) -> None:
    sessions = manager(store)
    sessions.add_message("GENERAL hello")
    assert sessions.select().section("capsules").turns == ()


def test_the_policy_ranks_notes_of_earlier_sessions_with_reasons(store: Store, earlier: str) -> None:
    sessions = manager(store, session={"recall": 5})
    sessions.add_message("GENERAL hello")
    capsules = sessions.capsules(sessions.history())
    assert ["The shop is in Rome." in capsules[0].text, "use tabs." in capsules[1].text] == [True, True]
    assert [one.reason.rpartition(": ")[2] for one in capsules] == [
        "score 0.90 by keeps, rank 1 of 2.",
        "score 0.60 by keeps, rank 2 of 2.",
    ]
    assert capsules[0].reason.startswith("a summary of the earlier conversation “use tabs.")
    shown = sessions.select().section("capsules").turns
    assert [turn.reason for turn in shown] == [one.reason for one in capsules]
    one_note = manager(store, session={"recall": 1})
    assert len(one_note.capsules(one_note.history())) == 1


def test_the_threshold_for_turns_does_not_count_for_notes(store: Store, earlier: str) -> None:
    sessions = manager(store, kept={1}, session={"recall": 5})
    sessions.add_message("GENERAL hello")
    texts = [one.text for one in sessions.capsules(sessions.history())]
    assert ["use tabs." in texts[0], "The shop is in Rome." in texts[1]] == [True, True]


def test_without_scores_the_newest_notes_come_first(store: Store, earlier: str) -> None:
    policy = selectors.FixedPolicy(ranked=False)
    selector = selectors.make_selector(policy=policy, session={"recall": 1})
    sessions = SessionManager(store, workspace="shop", clock=Clock(), selector=selector)
    sessions.add_message("GENERAL hello")
    [capsule] = sessions.capsules(sessions.history())
    assert "use tabs." in capsule.text
    assert capsule.reason.endswith("the newest first, rank 1 of 2.")


def test_other_workspaces_deleted_and_own_conversations_are_not_recalled(store: Store, earlier: str) -> None:
    other = manager(store, "lab", session={"recall": 5})
    other.add_message("GENERAL hello")
    assert other.capsules(other.history()) == []
    own = manager(store, session={"recall": 5, "summary_turns": 1})
    own.add_message("GENERAL hello")
    texts = [one.text for one in own.capsules(own.history())]
    assert len([text for text in texts if "this conversation" in text]) == 1
    assert len(texts) == 3
    Conversations(store).delete([earlier])
    assert len(own.capsules(own.history())) == 1


@pytest.mark.parametrize("way", ["a new conversation", "a new session", "end"])
def test_all_of_a_conversation_is_summarised_when_it_ends(store: Store, way: str) -> None:
    clock = Clock()
    selector = selectors.make_selector(session={"summary_turns": 2, "recall": 2})
    sessions = SessionManager(store, workspace="shop", clock=clock, selector=selector)
    first = sessions.add_messages(selectors.chat("the shop is in Rome", "noted", "it is small")).key
    assert Summaries(store).get(first).stop == 2
    if way == "end":
        sessions.end()
    clock.advance(hours=3 if way == "a new session" else 0)
    sessions.add_message("new conversation" if way == "a new conversation" else "GENERAL where is the shop?")
    summary = Summaries(store).get(first)
    assert (summary.stop, "it is small" in summary.text) == (3, True)
    assert any("it is small" in one.text for one in sessions.capsules(sessions.history()))


def test_a_summary_of_turns_that_were_pruned_meanwhile_is_not_stored(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = manager(store, session={"summary_turns": 2})
    first = sessions.add_message("secret").key
    summarize = ExtractiveSummarizer.summarize

    def slow(self: ExtractiveSummarizer, conversation: Conversation, stop: int) -> TurnSummary | None:
        PrunedTurns(store).change(first, {0: PrunedTurn("old")})
        return summarize(self, conversation, stop)

    monkeypatch.setattr(ExtractiveSummarizer, "summarize", slow)
    key = sessions.add_message({"role": "assistant", "content": "noted"}).key
    assert Summaries(store).get(key) is None


def test_an_older_summary_does_not_replace_a_newer_one(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = manager(store, session={"summary_turns": 2})
    newer = TurnSummary("newer", 3, "gate")

    def slow(self: ExtractiveSummarizer, conversation: Conversation, stop: int) -> TurnSummary:
        Summaries(store).put(sessions.history().key, newer)
        return TurnSummary("older", stop, "gate")

    monkeypatch.setattr(ExtractiveSummarizer, "summarize", slow)
    key = sessions.add_messages(selectors.chat("a", "b", "c")).key
    assert Summaries(store).get(key).text == "newer"


def test_a_summary_that_a_pruning_dropped_is_made_again(store: Store) -> None:
    sessions = manager(store, session={"summary_turns": 40})
    first = sessions.add_messages(selectors.chat("secret", "noted", "open")).key
    sessions.end()
    PrunedTurns(store).change(first, {0: PrunedTurn("old")})
    assert Summaries(store).get(first) is None
    key = sessions.add_message("GENERAL hello").key
    summary = Summaries(store).get(first)
    assert (summary.stop, "secret" in summary.text, "open" in summary.text) == (3, False, True)
    assert Summaries(store).get(key) is None, "it is open"
