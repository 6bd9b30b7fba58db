"""The HTML file of decisions: everything is in it, as inert text."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import Conversation, Turn
from convgate.core.settings import Settings
from convgate.figures.share import write_html
from convgate.policies.window import LastK
from convgate.selection.load import selector_of
from tests.commands import Run

HOSTILE = (
    '<script>alert(1)</script></style></details></div><img src=x onerror="alert(1)"> & &lt; &#60; '
    "<!-- <![CDATA[ \u202eevil\u2066 \x1b[31m \ud83d \x00 javascript:alert(1) <a href='https://a.example'>"
)
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "h1", "p", "section", "details", "summary"),
    *("b", "i", "small", "span", "div", "footer"),
}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "class", "open", "dir"}


class Reader(HTMLParser):
    """Collects the elements of a page, and the text of each `div`."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.classes: list[tuple[str, bool]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.style = self.policy = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags.append(tag)
        self.attributes |= values.keys()
        if tag == "details":
            self.classes.append((values.get("class") or "", "open" in values))
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"] or ""
        if tag != "meta":
            self.open.append(tag)
        if tag == "div":
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, "every element is closed in its place"

    def handle_data(self, data: str) -> None:
        if "div" in self.open:
            self.texts[-1] += data
        if self.open and self.open[-1] == "style":
            self.style += data


def write(*turns: Turn, k: int = 1, title: str = "Talk", question: str | None = None) -> str:
    conversation = Conversation("talk", turns, title=title)
    current, history = conversation.find_current(question=question)
    selector = selector_of(LastK(k), Settings(hold_invariants=False))
    return write_html(conversation, current, selector.select_current(current, history), f"last_k {HOSTILE}")


def test_kept_turns_are_open_and_dropped_ones_folded_each_with_its_decision() -> None:
    page = write(*(Turn.of("user", f"text {number}") for number in range(4)))
    reader = Reader(page)
    assert reader.classes == [("dropped", False), ("dropped", False), ("kept", True)]
    assert reader.texts == ["text 3", "text 0", "text 1", "text 2"]
    for words in ("Turn 1 · dropped", "Turn 3 · kept", "Message 4", "1 of 3 earlier turns kept", " token"):
        assert words in page
    assert "Kept: the last turn." in page
    assert "Dropped: older than the last turn." in page


def test_a_typed_question_is_the_message_and_no_added_one() -> None:
    reader = Reader(page := write(Turn.of("user", "a"), Turn.of("assistant", "b"), question="why?"))
    assert "A question" in page
    assert reader.texts == ["why?", "a", "b"]
    assert "Added" not in page


def test_nothing_but_its_own_style_may_load_or_run() -> None:
    reader = Reader(write(Turn.of("user", "a"), Turn.of("user", "b")))
    assert "default-src 'none'" in reader.policy
    [hash] = re.findall(r"style-src '(\S+)'", reader.policy)
    assert hash == f"sha256-{b64encode(sha256(reader.style.encode()).digest()).decode()}"
    assert "url(" not in reader.style
    assert "prefers-color-scheme: dark" in reader.style


@pytest.mark.parametrize("role", ["user", "assistant", "system"])
def test_hostile_texts_are_text_wherever_they_stand(role: str) -> None:
    turn = Turn.of(role, HOSTILE, name=HOSTILE)
    page = write(turn, turn, Turn.of("user", HOSTILE, name=HOSTILE), title=HOSTILE)
    reader = Reader(page)
    assert set(reader.tags) <= TAGS
    assert reader.tags.count("style") == 1
    assert reader.attributes <= ATTRIBUTES
    assert len(reader.texts) == 3
    for text in reader.texts:
        assert "<script>alert(1)</script></style></details></div>" in text
        assert "&lt; &#60;" in text
        assert not set(text) & {"\x00", "\x1b", "\ud83d"}
    page.encode()
    # Marks that change the direction of writing are left in the blocks of their own alone.
    assert "\u202e" not in re.sub(r'<div dir="auto">.*?</div>', "", page, flags=re.DOTALL)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_comes_back_out_of_the_page(text: str, title: str) -> None:
    reader = Reader(write(Turn.of("user", f"({text})"), Turn.of("user", "b"), title=title))
    assert set(reader.tags) <= TAGS
    written = re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "\ufffd", f"({text})".replace("\r\n", "\n"))
    assert reader.texts == ["b", written]


def test_the_command_writes_the_page_to_a_file(run: Run, tmp_path: Path) -> None:
    file, out = tmp_path / "talk.md", tmp_path / "decisions.html"
    file.write_text(f"# user\n\n{'<b>hi</b>'}\n\n# user\n\nAnd now?\n")
    code, printed, err = run("select", file, "--policy", "last_k", "--html", "--out", out)
    assert (code, printed) == (0, ""), err
    reader = Reader(out.read_text(encoding="utf-8"))
    assert reader.texts == ["And now?", "<b>hi</b>"]
    assert run("select", file, "--policy", "last_k", "--html")[1] == out.read_text(encoding="utf-8")
