"""Lists of objects in no known format, read by the fields that a person names."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from convgate.core.errors import TranscriptError
from convgate.transcripts import format_named, read_conversations, read_text
from convgate.transcripts.formats.field_map import FieldMap, lists_in

SAID = ("Is the boat red?", "It is blue.", "And the oars?", "Grey, all four.")
LIST = [
    {"no": n, "from": ("Ana", "Helper")[n % 2], "body": text, "at": f"2026-03-0{n + 1}T09:00:00Z"}
    for n, text in enumerate(SAID)
]
TABLE = "Thread;When;Who said it;What was said\n" + "".join(
    f'{n // 2};2026-03-0{n + 1};{("Ana", "Ben")[n % 2]};"{text}\nIndeed."\n' for n, text in enumerate(SAID)
)
SPOKEN = [{"author": {"name": who}, "msg": {"text": "As you see"}} for who in ("Ana", "Sales bot")]
NESTED = [{"id": name, "title": f"About {name}", "log": SPOKEN} for name in ("boats", "oars")]
SENT = [{"sender": "Ana", "body": "Hi"}, {"sender": "Ben", "body": "Ho"}]
MINE = [{"mine": n % 2 == 0, "data": text} for n, text in enumerate(SAID)]
KINDS = [{"kind": ("human", "bot")[n % 2], "name": "x", "data": text} for n, text in enumerate(SAID)]
OF_LIST = "text=body,speaker=from,time=at,assistant=Helper"
SHAPES: dict[str, tuple[str, str]] = {  # with the guessed fields
    "list": (json.dumps(LIST), OF_LIST),
    "lines": ("\n".join(map(json.dumps, LIST)), OF_LIST),
    "lists in a list": (json.dumps([LIST[:2], LIST[2:]]), OF_LIST),
    "in an object": (json.dumps({"n": 2, "messages": SENT}), "text=body,speaker=sender,items=messages"),
    "in objects": (json.dumps(NESTED), "text=msg.text,speaker=author.name,assistant=Sales bot,items=log"),
    "table": (TABLE, "text=What was said,speaker=Who said it,time=When,conversation=Thread"),
    "truth values": (json.dumps(MINE), "text=data,speaker=mine"),
    "roles": (json.dumps(KINDS), "text=data,speaker=kind"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_fields_are_guessed_and_the_error_names_them(shape: str) -> None:
    text, fields = SHAPES[shape]
    assert str(lists_in(text.encode())[0].guess) == fields
    with pytest.raises(TranscriptError) as raised:
        read_text(text)
    assert fields in " ".join(raised.value.__notes__)


@pytest.mark.parametrize("text", ["Dear diary,\nit rains.", '[{"a": 1}, {"a": 2}]', '{"a": "b c"}', "{"])
def test_nothing_is_guessed_without_a_text_and_a_speaker(text: str) -> None:
    assert not [each for each in lists_in(text.encode()) if each.guess]
    with pytest.raises(TranscriptError) as raised:
        read_text(text)
    assert not hasattr(raised.value, "__notes__")


@pytest.mark.parametrize("shape", ["list", "lines"])
def test_a_list_is_read_by_its_fields(shape: str) -> None:
    (conversation,) = read_text(SHAPES[shape][0], format=SHAPES[shape][1])
    assert [(turn.role, turn.name, turn.text) for turn in conversation.turns] == [
        (("user", "assistant")[n % 2], ("Ana", "Helper")[n % 2], text) for n, text in enumerate(SAID)
    ]
    assert conversation.turns[0].timestamp == datetime(2026, 3, 1, 9, tzinfo=UTC)
    assert format_named(conversation.format).label == "Mapped fields"


def test_conversations_are_told_by_an_id_or_by_their_lists() -> None:
    table = read_text(*SHAPES["table"][:1], format=SHAPES["table"][1])
    assert [(each.id, [turn.name for turn in each.turns]) for each in table] == [
        ("0", ["Ana", "Ben"]), ("1", ["Ana", "Ben"]),
    ]  # fmt: skip
    assert table.conversations[0].turns[0].text == f"{SAID[0]}\nIndeed."
    nested = read_text(SHAPES["in objects"][0], format=SHAPES["in objects"][1])
    assert [(each.id, each.title, [turn.role for turn in each.turns]) for each in nested] == [
        ("boats", "About boats", ["user", "assistant"]), ("oars", "About oars", ["user", "assistant"]),
    ]  # fmt: skip
    assert [
        len(each) for each in read_text(*SHAPES["lists in a list"][:1], format="text=body,speaker=from")
    ] == [2, 2]


@pytest.mark.parametrize(
    ("fields", "roles"),
    [
        ("text=data,speaker=kind", ["user", "assistant"]),  # by their names
        ("text=data,speaker=kind,assistant=human", ["assistant", "user"]),
        ("text=data,speaker=kind,assistant=", ["user", "user"]),
        ("text=data", ["user", "user"]),
    ],
)
def test_who_is_the_assistant_can_be_said(fields: str, roles: list[str]) -> None:
    (conversation,) = read_text(SHAPES["roles"][0], format=fields)
    assert [turn.role for turn in conversation.turns[:2]] == roles


def test_whoever_is_called_like_a_role_but_has_another_keeps_the_name() -> None:
    rows = [{"text": "Aye.", "who": who} for who in ("Claude", "me", "Orr")]
    (conversation,) = read_text(json.dumps(rows), format="text=text,speaker=who,assistant=Orr")
    assert [(turn.role, turn.name) for turn in conversation.turns] == [
        ("user", "Claude"), ("user", None), ("assistant", "Orr"),
    ]  # fmt: skip


def test_numbers_with_a_point_may_say_who_speaks_and_in_which_conversation() -> None:
    rows = [{"text": "Aye.", "who": n % 2 + 0.0, "of": n / 2} for n in range(2)]
    read = read_text(json.dumps(rows), format="text=text,speaker=who,conversation=of,assistant=1.0")
    assert [(each.id, each.turns[0].role) for each in read] == [("0.0", "user"), ("0.5", "assistant")]


def test_truth_values_may_say_who_speaks() -> None:
    (conversation,) = read_text(SHAPES["truth values"][0], format="text=data,speaker=mine,assistant=false")
    assert [turn.role for turn in conversation.turns] == ["user", "assistant"] * 2


def test_what_is_left_out_or_odd_is_counted_and_named() -> None:
    odd = [{**LIST[0], **changed} for changed in ({"from": None}, {"body": None}, {"at": "noon"})]
    items: list[Any] = [*LIST, *odd, 5, {**LIST[0], "body": 5}]
    transcript = read_text(json.dumps(items), format=SHAPES["list"][1], skip_bad=True)
    assert dict(transcript.summary.omitted) == {
        "message of no known speaker": 1,
        "message without content": 1,
    }
    assert [(problem.field, problem.severity) for problem in transcript.problems] == [
        ("[6].at", "warning"), ("[7]", "error"), ("[8].body", "error"),
    ]  # fmt: skip
    wide = read_text(f"{TABLE}1;2\n", format=SHAPES["table"][1], skip_bad=True)
    assert [problem.line for problem in wide.problems] == [10]


@pytest.mark.parametrize(
    ("text", "fields", "message"),
    [
        (SHAPES["list"][0], "mapped", "say which field holds what"),
        (SHAPES["list"][0], "speaker=from", "does not name the field of the text"),
        (SHAPES["list"][0], "body=text,text=body", "does not name the field of the text"),
        (SHAPES["list"][0], "text=body,items=log", "expected a list of messages; got null"),
        (SHAPES["list"][0], "text=other", "no message has a text in 'other'; "),
        (SHAPES["list"][0], "text=body,speaker=who", "a text in 'body' and a speaker in 'who'"),
        ("Dear diary,\nit rains.", "text=body", "expected JSON or a table"),
    ],
)
def test_fields_that_do_not_fit_are_an_error(text: str, fields: str, message: str) -> None:
    with pytest.raises(TranscriptError, match=message):
        read_conversations(text.encode(), format=fields)


def test_a_value_may_have_commas() -> None:
    fields = FieldMap("a, b", "c", assistant="Orr, Ben")
    assert FieldMap.parse(str(fields)) == fields
