"""Text of users is escaped wherever it is shown."""

from __future__ import annotations

import re
from unicodedata import bidirectional

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from convgate.core.text import isolate, printable, truncate, writable
from convgate.figures.hover import plain
from convgate.ui.shared.text import literal, make_labels_unique

ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])\u2060?|\u2060")


def as_drawn(markdown: str) -> str:
    """What is left of Markdown that holds nothing but escaped text."""
    return ESCAPED.sub(lambda match: match[1] or "", markdown)


@given(st.text(max_size=60))
def test_literal_text_keeps_every_letter_that_can_be_sent_and_leaves_no_punctuation_unescaped(
    text: str,
) -> None:
    text = text.replace("\u2060", "")
    markdown = literal(text)

    assert as_drawn(markdown) == isolate(" ".join(writable(text).split()) or "–")
    assert not re.search(r"[!-/:-@\[-`{-~]", re.sub(r"\\[!-/:-@\[-`{-~]", "", markdown))


@pytest.mark.parametrize(
    "replaced", [":smile:", ":material/home:", "a -> b", "<-", "--", ">=", "www.x.org", "a@b.org"]
)
def test_what_streamlit_replaces_even_when_escaped_is_broken_up(replaced: str) -> None:
    assert "\u2060" in literal(replaced)


CONTROLS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
DIRECTED = st.text(st.sampled_from(f"{CONTROLS}aé1 :שלם"), max_size=30)


def closes(text: str) -> bool:
    """Whether no direction of writing is left open behind the text, or closed that was open before it."""
    depth = 0
    for character in text:
        match bidirectional(character):
            case "LRE" | "RLE" | "LRO" | "RLO" | "PDF":
                return False
            case "LRI" | "RLI" | "FSI":
                depth += 1
            case "PDI":
                depth -= 1
                if depth < 0:
                    return False
    return depth == 0


@given(DIRECTED, st.integers(1, 12))
def test_text_of_any_direction_leaves_the_sentence_around_it_as_it_is(text: str, limit: int) -> None:
    title = make_labels_unique({"a": text})["a"]
    for drawn in (literal(text), literal(text, limit=limit), literal(text, ltr=True), plain(text), title):
        assert closes(drawn)
        if any(bidirectional(character) in ("R", "AL") for character in drawn):
            assert drawn[0] in "\u2066\u2068"
            assert drawn[-1] == "\u2069"


def test_text_from_right_to_left_has_its_letters_and_its_own_direction() -> None:
    assert literal("שלום עולם") == "\u2068שלום עולם\u2069"
    assert literal("مرحبا\u202e", limit=4) == "\u2068مرح…\u2069"
    assert literal("שלום.zip is no version", ltr=True)[0] == "\u2066", "a sentence of ours starts on the left"
    assert literal("Zoë 日本語") == "Zoë 日本語"


@given(DIRECTED)
def test_a_terminal_gets_no_bidirectional_control_characters(text: str) -> None:
    assert not {*CONTROLS} & {*printable(text)}


def test_titles_that_look_alike_are_told_apart() -> None:
    assert len(set(make_labels_unique({"a": "שלום", "b": "שלום\u202e"}).values())) == 2


def test_characters_that_no_browser_gets_are_replaced() -> None:
    assert literal("a\ud800b\0c") == "a\ufffdb\ufffdc"


def test_a_plain_name_stays_plain() -> None:
    assert literal("two-people and a cat") == r"two\-people and a cat"
    assert literal(" \n") == "–"
    assert literal("one two three", limit=8) == "one two…"


def test_shortening_counts_the_ellipsis() -> None:
    assert truncate("12345", 5) == "12345"
    assert truncate("123456", 5) == "1234…"


def test_transcript_text_is_drawn_by_the_element_that_parses_nothing() -> None:
    def script() -> None:
        from convgate.ui.shared.text import show_text

        show_text("<b>x</b> $y$\n:smile: [l](http://x)")
        show_text("0123456789", limit=5)

    drawn = AppTest.from_function(script).run()

    assert [element.value for element in drawn.text] == ["<b>x</b> $y$\n:smile: [l](http://x)", "0123…"]
    assert not drawn.markdown
