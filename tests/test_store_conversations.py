"""The library's conversations: adding, finding, growing, deleting, and their documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from convgate.core.conversation import ContentPart, Conversation, ToolCall, Turn, prefix_hashes
from convgate.core.errors import StoreError
from convgate.store import Conversations, CurrentKey, Labels, NewConversation, Sort, Store, documents
from convgate.store.openings import PrefixIndex
from tests.stores import clear_store


@pytest.fixture
def conversations(tmp_path: Path) -> Iterator[Conversations]:
    store = Store(tmp_path / "convgate.db")
    yield Conversations(store)
    store.close()


def new_conversation(
    *texts: str, title: str | None = None, format: str = "openai", tokens: int | None = None
) -> NewConversation:
    turns = tuple(Turn.of("user", text) for text in texts)
    return NewConversation(Conversation("a", turns, title=title, format=format), "talk.json", tokens)


def titles(conversations: Conversations, search: str = "", sort: Sort = "title") -> list[str]:
    return [row.title for row in conversations.find(search=search, sort=sort, descending=False).rows]


def test_added_conversations_are_read_back_equal_and_counted(conversations: Conversations) -> None:
    item = new_conversation("Where is the oasis?", "Two days east.", title="Desert", format="csv", tokens=9)

    [added] = conversations.add([item])
    stored = conversations.get(added.key)

    assert stored.conversation == item.conversation
    assert stored.summary == conversations.find().rows[0]
    assert (stored.summary.title, stored.summary.format) == ("Desert", "csv")
    assert (stored.summary.turns, stored.summary.tokens, stored.summary.origin) == (2, 9, "talk.json")
    assert stored.summary.added.utcoffset() == timedelta(0)


def test_the_same_conversation_under_another_name_is_recognised(conversations: Conversations) -> None:
    first, again, other = conversations.add(
        [new_conversation("Hi", title="One"), new_conversation("Hi", title="Two"), new_conversation("Ho")]
    )

    assert (first.new, again.new, other.new) == (True, False, True)
    assert (again.key, again.title) == (first.key, "One")
    assert conversations.find().total == 2


def test_search_looks_into_titles_and_texts_for_every_word_even_inside_words(
    conversations: Conversations,
) -> None:
    conversations.add(
        [
            new_conversation("add memoization to fibonacci", title="Coding"),
            new_conversation("the loss is NaN", title="Debugging fibonacci"),
            new_conversation("東京の天気はどうですか", title="天気"),
            new_conversation("Die Straße nach Zürich", title="Reise"),
        ]
    )

    assert titles(conversations, "bonac") == ["Coding", "Debugging fibonacci"]
    assert titles(conversations, "FIBONACCI nan") == ["Debugging fibonacci"]
    assert titles(conversations, '"loss is"') == ["Debugging fibonacci"]
    assert titles(conversations, '"is loss"') == []
    assert titles(conversations, "天気") == ["天気"]
    assert titles(conversations, "ZÜRICH") == ["Reise"]


@pytest.mark.parametrize(
    "search", ['"', '""', "a*", "NEAR(", "title:x", "-x", "not AND", "^", "100%", "_", "\\", "'; --"]
)
def test_operators_are_plain_letters(conversations: Conversations, search: str) -> None:
    conversations.add(
        [
            new_conversation("nothing of the kind", title="Other"),
            new_conversation(f"typed {search} here", title="This"),
        ]
    )

    assert titles(conversations, search) == ["This"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=30), st.text(max_size=10))
def test_no_text_and_no_search_breaks_the_library(
    conversations: Conversations, text: str, search: str
) -> None:
    conversations.add([new_conversation(text, "Ω" + search, title=search)])

    everything, matches = conversations.find(), conversations.find(search=search)
    assert matches.total == everything.total if not search.strip() else matches.total <= everything.total


def test_renaming_changes_the_list_and_the_search_but_not_the_transcript(
    conversations: Conversations,
) -> None:
    [added] = conversations.add([new_conversation("Hi", title="Before")])

    conversations.rename(added.key, "  Afterwards \ud83d")

    assert titles(conversations, "after") == ["Afterwards \ufffd"]
    assert titles(conversations, "before") == []
    assert conversations.get(added.key).conversation.title == "Before"
    with pytest.raises(StoreError):
        conversations.rename(added.key, " \n")


def test_deleting_can_be_undone(conversations: Conversations) -> None:
    one, two = conversations.add([new_conversation("one", title="One"), new_conversation("two", title="Two")])

    conversations.delete([one.key])

    assert titles(conversations) == ["Two"]
    assert titles(conversations, "one") == []
    assert conversations.keys(deleted=True) == {one.key}
    assert conversations.keys() == {two.key}
    with pytest.raises(StoreError):
        conversations.get(one.key)

    conversations.undelete([one.key])

    assert titles(conversations) == ["One", "Two"]


def test_purging_removes_for_good_only_what_was_deleted_long_enough_ago(conversations: Conversations) -> None:
    one, two = conversations.add([new_conversation("one"), new_conversation("two")])
    conversations.delete([one.key])

    assert conversations.purge(older_than=timedelta(days=30)) == 0
    assert conversations.purge() == 1

    conversations.undelete([one.key])
    assert conversations.keys() == {two.key}
    assert conversations.keys(deleted=True) == set()


def make_turns(name: str, turns: int) -> tuple[Turn, ...]:
    return tuple(Turn.of("user" if i % 2 == 0 else "assistant", f"{name} {i}") for i in range(turns))


def item(turns: tuple[Turn, ...], name: str = "t") -> NewConversation:
    return NewConversation(Conversation(name, turns), tokens=10)


def add(store: Store, *conversations: tuple[Turn, ...]) -> list[str]:
    items = [item(turns, f"t{i}") for i, turns in enumerate(conversations)]
    return [added.key for added in Conversations(store).add(items)]


def test_two_conversations_match_whatever_else_a_turn_holds() -> None:
    plain = Turn.of("user", "Hi")
    timed = Turn.of("user", "Hi", id="7", timestamp=datetime(2026, 1, 1, tzinfo=UTC), metadata={"a": 1})
    assert prefix_hashes([plain]) == prefix_hashes([timed])
    others = [Turn.of("assistant", "Hi"), Turn.of("user", "hi"), Turn.of("user", "Hi", name="Ada")]
    assert len({prefix_hashes([turn])[-1] for turn in (plain, *others)}) == 4
    assert prefix_hashes([plain, timed])[:2] == prefix_hashes([plain])


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("openings") / "convgate.db")


@given(st.integers(0, 90), st.integers(0, 90))
def test_beginnings_of_any_length_are_found(shared: Store, turns: int, asked: int) -> None:
    clear_store(shared)
    other, talk_key = add(shared, make_turns("other", 90), make_turns("talk", turns))
    with shared.write() as db:
        openings = PrefixIndex(db)
        hashes = prefix_hashes(make_turns("talk", asked))
        assert openings.same(hashes) == (talk_key if asked == turns else None)
        assert openings.longer(hashes) == (other if asked == 0 else talk_key if asked < turns else None)
        db.execute("UPDATE conversations SET is_live = 1 WHERE number = 2")
        assert openings.live_beginning(hashes) == (talk_key if 0 < turns < asked else None)


def test_deleted_conversations_are_not_found_and_those_with_a_question_do_not_grow(store: Store) -> None:
    first, second, third = add(store, make_turns("a", 4), make_turns("b", 4), make_turns("c", 4))
    Labels(store).answer(CurrentKey(second, None, "and?"), {0: "relevant"}, by="Ada")
    Conversations(store).delete([third])
    with store.write() as db:
        openings = PrefixIndex(db)
        db.execute("UPDATE conversations SET is_live = 1")
        live = [openings.live_beginning(prefix_hashes(make_turns(name, 6))) for name in "abc"]
        same = [openings.same(prefix_hashes(make_turns(name, 4))) for name in "abc"]
        longer = [openings.longer(prefix_hashes(make_turns(name, 2))) for name in "abc"]
    assert (live, same, longer) == ([first, None, None], [first, second, None], [first, second, None])


def test_a_conversation_grows_in_place_and_its_labels_stay(store: Store) -> None:
    conversations, labels = Conversations(store), Labels(store)
    (key,) = add(store, make_turns("talk", 4))
    labels.answer(CurrentKey(key, 2), {0: "relevant"}, by="Ada")
    grown = conversations.grow(key, make_turns("talk", 7)[4:], tokens=5)
    assert grown.key != key
    stored = conversations.get(grown.key)
    assert stored.conversation.turns == make_turns("talk", 7)
    assert (stored.summary.turns, stored.summary.tokens) == (7, 15)
    assert conversations.find(search="talk 6").total == 1
    assert conversations.keys() == {grown.key}
    assert labels.of(CurrentKey(grown.key, 2)).of("Ada") == {0: "relevant"}
    with store.write() as db:
        assert PrefixIndex(db).same(prefix_hashes(make_turns("talk", 7))) == grown.key
        assert PrefixIndex(db).same(prefix_hashes(make_turns("talk", 4))) is None


ANY_TEXT = st.text(st.characters(), max_size=20)  # halves of surrogate pairs included
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=5,
)
OBJECTS = st.dictionaries(ANY_TEXT, JSON, max_size=3)
ZONES = st.none() | st.timezones() | st.integers(-14, 14).map(lambda hours: timezone(timedelta(hours=hours)))
TURNS = st.builds(
    Turn,
    role=ANY_TEXT,
    parts=st.lists(st.builds(ContentPart, ANY_TEXT, ANY_TEXT), max_size=2).map(tuple),
    id=st.none() | ANY_TEXT,
    name=st.none() | ANY_TEXT,
    timestamp=st.none() | st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1), timezones=ZONES),
    tool_calls=st.lists(st.builds(ToolCall, ANY_TEXT, ANY_TEXT, ANY_TEXT), max_size=2).map(tuple),
    tool_call_id=st.none() | ANY_TEXT,
    metadata=OBJECTS,
    source=st.none() | OBJECTS,
)
CONVERSATIONS = st.builds(
    Conversation,
    id=ANY_TEXT,
    turns=st.lists(TURNS, max_size=3).map(tuple),
    title=st.none() | ANY_TEXT,
    metadata=OBJECTS,
    format=ANY_TEXT,
)


def with_fixed_offset(turn: Turn) -> Turn:
    """Return the turn with its zone as an offset: ambiguous times of two zones never compare equal."""
    time = turn.timestamp
    return turn if time is None else replace(turn, timestamp=datetime.fromisoformat(time.isoformat()))


@given(CONVERSATIONS)
def test_a_document_holds_the_whole_conversation(conversation: Conversation) -> None:
    back = documents.load(documents.dump(conversation))

    assert back == replace(conversation, turns=tuple(map(with_fixed_offset, conversation.turns)))
    assert [turn.source for turn in back.turns] == [turn.source for turn in conversation.turns]
    assert documents.content_key(back) == documents.content_key(conversation)


def test_the_key_leaves_out_id_and_title_but_not_what_was_said_or_how_the_file_said_it() -> None:
    turn = Turn.of("user", "Hi", source={"role": "user", "content": "Hi"})
    conversation = Conversation("a", (turn,), title="One")
    key = documents.content_key(conversation)

    assert documents.content_key(Conversation("b", (turn,), title=None)) == key
    assert documents.content_key(Conversation("a", (turn, turn))) != key
    assert documents.content_key(Conversation("a", (Turn.of("user", "Hi"),))) != key
    assert documents.content_key(Conversation("a", (turn,), metadata={"relevant": [1]})) != key
    assert documents.content_key(Conversation("a", (turn,), format="csv")) != key


@pytest.mark.parametrize("document", ["", "[]", "{}", '{"id":"a","format":"x","turns":[{"role":"user"}]}'])
def test_a_damaged_document_is_a_clear_error(document: str) -> None:
    with pytest.raises(StoreError):
        documents.load(document)
