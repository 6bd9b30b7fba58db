"""Text that is not ours never becomes anything but text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from convgate.transcripts.characters import writable
from convgate.ui.text import literal, shortened

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

    assert as_drawn(markdown) == (" ".join(writable(text).split()) or "–")
    assert not re.search(r"[!-/:-@\[-`{-~]", re.sub(r"\\[!-/:-@\[-`{-~]", "", markdown))


@pytest.mark.parametrize(
    "replaced", [":smile:", ":material/home:", "a -> b", "<-", "--", ">=", "www.x.org", "a@b.org"]
)
def test_what_streamlit_replaces_even_when_escaped_is_broken_up(replaced: str) -> None:
    assert "\u2060" in literal(replaced)


def test_what_no_browser_gets_is_replaced() -> None:
    assert literal("a\ud800b\0c") == "a\ufffdb\ufffdc"


def test_a_plain_name_stays_plain() -> None:
    assert literal("two-people and a cat") == r"two\-people and a cat"
    assert literal(" \n") == "–"
    assert literal("one two three", limit=8) == "one two…"


def test_shortening_counts_the_ellipsis() -> None:
    assert shortened("12345", 5) == "12345"
    assert shortened("123456", 5) == "1234…"


def test_transcript_text_is_drawn_by_the_element_that_parses_nothing() -> None:
    def script() -> None:
        from convgate.ui.text import show_text

        show_text("<b>x</b> $y$\n:smile: [l](http://x)")
        show_text("0123456789", limit=5)

    drawn = AppTest.from_function(script).run()

    assert [element.value for element in drawn.text] == ["<b>x</b> $y$\n:smile: [l](http://x)", "0123…"]
    assert not drawn.markdown
