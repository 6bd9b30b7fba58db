"""The library's conversations: adding, finding, renaming, deleting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from convgate.conversation import Conversation, Turn
from convgate.errors import StoreError
from convgate.store import Conversations, NewConversation, Sort, Store


@pytest.fixture
def conversations(tmp_path: Path) -> Iterator[Conversations]:
    store = Store(tmp_path / "convgate.db")
    yield Conversations(store)
    store.close()


def talk(
    *texts: str, title: str | None = None, format: str = "openai", tokens: int | None = None
) -> NewConversation:
    turns = tuple(Turn.of("user", text) for text in texts)
    return NewConversation(Conversation("a", turns, title=title, format=format), "talk.json", tokens)


def titles(conversations: Conversations, search: str = "", sort: Sort = "title") -> list[str]:
    return [row.title for row in conversations.find(search=search, sort=sort, descending=False).rows]


def test_what_was_added_comes_back_equal_and_counted(conversations: Conversations) -> None:
    item = talk("Where is the oasis?", "Two days east.", title="Desert", format="csv", tokens=9)

    [added] = conversations.add([item])
    stored = conversations.get(added.key)

    assert stored.conversation == item.conversation
    assert stored.summary == conversations.find().rows[0]
    assert (stored.summary.title, stored.summary.format) == ("Desert", "csv")
    assert (stored.summary.turns, stored.summary.tokens, stored.summary.origin) == (2, 9, "talk.json")
    assert stored.summary.added.utcoffset() == timedelta(0)


def test_the_same_conversation_under_another_name_is_recognised(conversations: Conversations) -> None:
    first, again, other = conversations.add([talk("Hi", title="One"), talk("Hi", title="Two"), talk("Ho")])

    assert (first.new, again.new, other.new) == (True, False, True)
    assert (again.key, again.title) == (first.key, "One")
    assert conversations.find().total == 2


@pytest.mark.parametrize(
    ("texts", "title"),
    [
        (["\n  first line \nsecond"], "first line"),
        (["", "spoken"], "spoken"),
        (["x" * 200], "x" * 79 + "…"),
        ([], "a"),
    ],
)
def test_a_conversation_without_a_title_is_called_by_its_first_words(
    conversations: Conversations, texts: list[str], title: str
) -> None:
    [added] = conversations.add([talk(*texts)])

    assert added.title == title
    assert conversations.get(added.key).conversation.title is None


def test_a_title_given_by_the_library_stands_before_the_transcripts_own(conversations: Conversations) -> None:
    item = replace(talk("Hi", title="Its own"), title="Given")

    [added] = conversations.add([item])

    assert titles(conversations, "given") == ["Given"]
    assert conversations.get(added.key).conversation.title == "Its own"


def test_search_looks_into_titles_and_texts_for_every_word_even_inside_words(
    conversations: Conversations,
) -> None:
    conversations.add(
        [
            talk("add memoization to fibonacci", title="Coding"),
            talk("the loss is NaN", title="Debugging fibonacci"),
            talk("東京の天気はどうですか", title="天気"),
            talk("Die Straße nach Zürich", title="Reise"),
        ]
    )

    assert titles(conversations, "bonac") == ["Coding", "Debugging fibonacci"]
    assert titles(conversations, "FIBONACCI nan") == ["Debugging fibonacci"]
    assert titles(conversations, '"loss is"') == ["Debugging fibonacci"]
    assert titles(conversations, '"is loss"') == []
    assert titles(conversations, "天気") == ["天気"]
    assert titles(conversations, "ZÜRICH") == ["Reise"]


def test_a_result_shows_where_the_words_stand(conversations: Conversations) -> None:
    conversations.add([talk("x " * 500 + "the needle\nis here " + "y " * 500), talk("hay", title="needle")])

    in_text, in_title = sorted(
        conversations.find(search="Needle").rows, key=lambda row: row.title, reverse=True
    )

    assert in_text.excerpt is not None
    assert "x the needle is here y" in in_text.excerpt
    assert len(in_text.excerpt) < 130
    assert in_title.excerpt is None


@pytest.mark.parametrize(
    ("text", "search", "shown"),
    [
        ("a needle in the hay", "Coding needle", "a needle in the hay"),
        ("İ" * 200 + " die Übung macht es", "ÜBUNG", "İ die Übung macht es"),
        ("x " * 200 + "ΣΊΣΥΦΟΣ", "σίσυφος", "x ΣΊΣΥΦΟΣ"),
        ("nothing of it", "coding", None),
    ],
    ids=["a later word", "letters that grow", "other alphabets", "in the title alone"],
)
def test_a_result_shows_any_of_the_words_in_any_alphabet(
    conversations: Conversations, text: str, search: str, shown: str | None
) -> None:
    conversations.add([talk(text, title="Coding")])

    [row] = conversations.find(search=search).rows

    assert (row.excerpt or "").endswith(shown or "")
    assert (row.excerpt is None) == (shown is None)


@pytest.mark.parametrize(
    "search", ['"', '""', "a*", "NEAR(", "title:x", "-x", "not AND", "^", "100%", "_", "\\", "'; --"]
)
def test_operators_are_plain_letters(conversations: Conversations, search: str) -> None:
    conversations.add(
        [talk("nothing of the kind", title="Other"), talk(f"typed {search} here", title="This")]
    )

    assert titles(conversations, search) == ["This"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=30), st.text(max_size=10))
def test_no_text_and_no_search_breaks_the_library(
    conversations: Conversations, text: str, search: str
) -> None:
    conversations.add([talk(text, "Ω" + search, title=search)])

    everything, found = conversations.find(), conversations.find(search=search)
    assert found.total == everything.total if not search.strip() else found.total <= everything.total


def test_lists_are_sorted_and_paged_with_totals_over_all(conversations: Conversations) -> None:
    conversations.add([talk(*["hi"] * n, str(n), title=f"{n:02d}", tokens=100 - n) for n in range(1, 8)])

    page = conversations.find(sort="turns", page=2, per_page=3)

    assert [row.turns for row in page.rows] == [5, 4, 3]
    assert (page.total, page.turns, page.tokens) == (7, 35, 672)
    assert [row.title for row in conversations.find(sort="tokens", per_page=2).rows] == ["01", "02"]
    assert [row.title for row in conversations.find(per_page=2).rows] == ["01", "02"]
    assert conversations.find(page=4, per_page=3).rows == ()


def test_an_unknown_order_is_refused(conversations: Conversations) -> None:
    with pytest.raises(StoreError, match="sorted by added, title, turns, tokens, format; got 'number; DROP'"):
        conversations.find(sort="number; DROP")  # type: ignore[arg-type]


def test_renaming_changes_the_list_and_the_search_but_not_the_transcript(
    conversations: Conversations,
) -> None:
    [added] = conversations.add([talk("Hi", title="Before")])

    conversations.rename(added.key, "  Afterwards \ud83d")

    assert titles(conversations, "after") == ["Afterwards \ufffd"]
    assert titles(conversations, "before") == []
    assert conversations.get(added.key).conversation.title == "Before"
    with pytest.raises(StoreError, match="at least one"):
        conversations.rename(added.key, " \n")


def test_deleting_can_be_undone(conversations: Conversations) -> None:
    one, two = conversations.add([talk("one", title="One"), talk("two", title="Two")])

    conversations.delete([one.key])

    assert titles(conversations) == ["Two"]
    assert titles(conversations, "one") == []
    assert [row.key for row in conversations.find(deleted=True).rows] == [one.key]
    assert conversations.keys() == {two.key}
    with pytest.raises(
        StoreError, match=f"no conversation '{one.key}'; it was deleted, or is in another library"
    ):
        conversations.get(one.key)

    conversations.undelete([one.key])

    assert titles(conversations) == ["One", "Two"]


def test_everything_deleted_comes_back_however_much_it_is(conversations: Conversations) -> None:
    added = conversations.add(talk(str(number)) for number in range(1_001))
    conversations.delete([addition.key for addition in added])
    assert conversations.find(deleted=True).total == 1_001

    conversations.undelete_all()

    assert conversations.find().total == 1_001


def test_what_is_added_together_keeps_its_order_behind_what_comes_later(conversations: Conversations) -> None:
    conversations.add([talk("1", title="A1"), talk("2", title="A2")])
    conversations.add([talk("3", title="B1"), talk("4", title="B2"), talk("5", title="B3")])

    newest = [row.title for row in conversations.find().rows]
    oldest = [row.title for row in conversations.find(descending=False).rows]

    assert newest == ["B1", "B2", "B3", "A1", "A2"]
    assert oldest == ["A1", "A2", "B1", "B2", "B3"]


def test_adding_a_deleted_conversation_again_brings_it_back(conversations: Conversations) -> None:
    [added] = conversations.add([talk("one", title="One")])
    conversations.rename(added.key, "My own title")
    conversations.delete([added.key])

    [again] = conversations.add([talk("one", title="One")])

    assert again.new
    assert titles(conversations) == ["My own title"]


def test_purging_removes_for_good_only_what_was_deleted_long_enough_ago(conversations: Conversations) -> None:
    one, two = conversations.add([talk("one"), talk("two")])
    conversations.delete([one.key])

    assert conversations.purge(older_than=timedelta(days=30)) == 0
    assert conversations.purge() == 1

    conversations.undelete([one.key])
    assert conversations.keys() == {two.key}
    assert conversations.find(search="one", deleted=True).total == 0


def test_two_thousand_turns_come_back_whole(conversations: Conversations) -> None:
    turns = tuple(Turn.of("user", f"{n} " + "word " * 60, source={"role": "user"}) for n in range(2000))
    [added] = conversations.add([NewConversation(Conversation("long", turns))])

    stored = conversations.get(added.key)

    assert [turn.text for turn in stored.conversation.turns] == [turn.text for turn in turns]
