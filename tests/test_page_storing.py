"""The page Storing: decisions on exchanges; a rule is typed, previewed, saved and undone."""

from __future__ import annotations

import html
import re
from functools import partial
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Turn
from convgate.core.settings import load_settings
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.gatekeeper import load_gatekeeper
from convgate.ui.shared.navigation import LIBRARY
from convgate.ui.storing.page import EXAMPLE, PHRASE, REASON, TEXT
from convgate.ui.storing.rules_file import rules_path
from tests.page_app import PAGES, add_conversation, check, choose, click, open_page, page_text, use_word_modes

open_storing = partial(open_page, "Storing")
HOSTILE = "<b>x</b> [l](https://a.example) $x^2$ :smile: we need to talk about that at length"
SKIP_BUILD = "skip_patterns:\n  - pattern: '\\bbuild\\b'\n    reason: about builds\n    category: noise\n"

FIRST = (
    ("hello", "Hi, what can I do?"),  # a greeting
    ("I prefer dark mode in every tool that I use", "Noted."),
    ("the build is red again and nobody knows why that is", "Let me look at the logs of the last run."),
    (HOSTILE, "As you like."),
    ("ok", "Good."),
)
SECOND = (
    ("build the site with the flag for the drafts, and tell me what it says", "It says nothing."),
    ("is there a way to see which of the pages are the slowest ones", "There is: the report has a column."),
)


def turns_of(exchanges: tuple[tuple[str, str], ...]) -> list[Turn]:
    """Return the questions with their answers."""
    roles = ("user", "assistant")
    return [Turn.of(role, text) for pair in exchanges for role, text in zip(roles, pair, strict=True)]


def write(app: AppTest, text: str) -> AppTest:
    """Type a text into the editor."""
    return check(app.text_area(key=TEXT).set_value(text).run())


def editor(app: AppTest) -> str:
    """The text in the editor."""
    return str(app.text_area(key=TEXT).value)


def shown_exchanges(app: AppTest) -> list[str]:
    """The exchanges on the screen: their HTML, one after the other."""
    return [one.proto.body for one in app.get("html") if '<div class="exchange' in one.proto.body]


def texts(app: AppTest) -> list[str]:
    """The same without tags."""
    return [html.unescape(re.sub(r"<[^>]+>", " ", body)) for body in shown_exchanges(app)]


def rules_file() -> Path:
    """Where rules stand; its folder is there afterwards."""
    path = rules_path(load_settings())
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@pytest.fixture
def keys() -> dict[str, str]:
    """The keys of the library's two conversations, by title."""
    second = add_conversation(*turns_of(SECOND), title="Second")
    return {"First": add_conversation(*turns_of(FIRST), title="First"), "Second": second}


def test_exchanges_are_listed_with_their_decisions_and_filtered(keys: dict[str, str]) -> None:
    app = open_storing(conversation=keys["First"])
    headings = [one.value for one in app.markdown if "** · " in one.value]
    assert headings[-4:] == [
        "**Skipped: only a greeting** · 1", "**Skipped: only thanks or agreement** · 1",
        "**Kept in full: preferences** · 1", "**Kept in full: other content** · 2",
    ], "what is skipped comes first"  # fmt: skip
    greeting, _, preference, _, hostile = shown_exchanges(app)
    assert 'title="Skipped: a greeting and nothing else (“hello”)."' in greeting
    assert 'title="preference: I prefer">I prefer</mark> dark mode' in preference
    assert "<b>x</b>" not in hostile
    assert "&lt;b&gt;x&lt;/b&gt; [l](https://a.example) $x^2$ :smile:" in hostile
    links = [one.proto.query_string for one in app.get("page_link") if one.proto.query_string]
    assert links[2] == f"conversation={keys['First']}&selected=3"

    choose(app, "storing.show", "skipped")
    assert len(shown_exchanges(app)) == 2
    choose(app, "storing.show", "kept")
    assert len(shown_exchanges(app)) == 3
    assert app.query_params["show"] == "kept"
    choose(app, "storing.show", "all")
    check(app.text_input(key="storing.search").set_value("RED logs").run())
    (found,) = texts(app)
    assert "build is red" in found


def test_the_address_restores_the_view_and_reports_invalid_parts(keys: dict[str, str]) -> None:
    app = open_storing(conversation=keys["First"], show="skipped", look="conversation", page="x")
    assert len(shown_exchanges(app)) == 2
    assert "page=x" in page_text(app)
    assert dict(app.query_params) == {
        "conversation": keys["First"], "show": "skipped", "look": "conversation",
    }  # fmt: skip
    app = open_storing(look="nothing")
    assert "look=nothing" in page_text(app)
    assert app.query_params["look"] == "library"
    assert "Skipped: " in shown_exchanges(app)[0], "the library is shown, what is skipped first"


def test_a_rule_is_previewed_saved_and_undone(keys: dict[str, str]) -> None:
    app = open_storing(conversation=keys["First"], look="changes")
    write(app, SKIP_BUILD)
    assert len(shown_exchanges(app)) == 2
    assert "kept before" in texts(app)[0]
    assert "Before: Kept: it has content" in texts(app)[0]
    assert "**Skipped: your rules \\(noise\\)** · 2" in [one.value for one in app.markdown]
    assert {"First · 5", "Second · 1"} <= {one.proto.label for one in app.get("page_link")}
    assert "Your changes flip 2 decisions" in page_text(app)
    assert not rules_file().exists(), "nothing is written before it is saved"

    click(app, "storing.save")
    assert rules_file().read_text() == SKIP_BUILD
    assert rules_file().stat().st_mode & 0o077 == 0
    assert not load_gatekeeper().decide(Exchange("the build is red again, and I am sad")).keep
    click(app, "storing.undo")
    assert rules_file().read_text() == editor(app) == ""
    click(app, "storing.undo")
    assert rules_file().read_text() == SKIP_BUILD == editor(app), "a second undo restores the save"


def test_problems_are_shown_by_line_and_a_broken_draft_is_neither_saved_nor_lost(
    keys: dict[str, str],
) -> None:
    rules_file().write_text(SKIP_BUILD)
    app = open_storing(conversation=keys["First"], show="own")
    broken = "skip_patterns:\n  - pattern: 'a(b'\n  - pattern: '.*'\n    colour: <b>red</b>\n"
    write(app, broken)
    for line in ("Line 2:", "Line 4:", "pattern: 'a(b'", "colour: <b>red</b>"):
        assert line in page_text(app)
    assert len(shown_exchanges(app)) == 1, "the rules of the file decide meanwhile"
    assert app.button(key="storing.save").disabled
    check(app.switch_page(LIBRARY).run())
    check(app.switch_page(PAGES["Storing"]).run())
    assert editor(app) == broken
    click(app, "storing.discard")
    assert editor(app) == SKIP_BUILD


def test_a_file_changed_by_another_program_is_followed_or_restored_by_an_undo(keys: dict[str, str]) -> None:
    app = open_storing(conversation=keys["First"])
    theirs = SKIP_BUILD + "# theirs\n"
    rules_file().write_text(SKIP_BUILD)
    assert editor(check(app.run())) == SKIP_BUILD, "without a draft the file is followed"
    write(app, SKIP_BUILD + "# mine\n")
    rules_file().write_text(theirs)
    click(app, "storing.save")
    assert rules_file().read_text() == SKIP_BUILD + "# mine\n"
    click(app, "storing.undo")
    assert rules_file().read_text() == theirs == editor(app)


@pytest.mark.parametrize(
    "content",
    [b"skip_patterns: [", b"# a\n\xff\xfe", b"#" * 300_000],
    ids=["broken", "not UTF-8", "too large"],
)
def test_a_file_that_cannot_be_used_is_reported_and_left_alone(keys: dict[str, str], content: bytes) -> None:
    rules_file().write_bytes(content)
    app = open_storing(conversation=keys["First"], show="own")
    assert app.error
    assert not shown_exchanges(app)
    assert "storing.save" not in {button.key for button in app.button}
    assert rules_file().read_bytes() == content
    is_text = b"\xff" not in content
    assert app.text_area[0].disabled is not is_text
    assert editor(app) == (content.decode() if is_text else "")


def test_no_expander_is_inside_another_one(keys: dict[str, str]) -> None:
    app = open_storing()
    assert [each.label for each in app.expander] == ["Add a rule", "Edit all rules as text (YAML)"]
    assert not any(each.expander for each in app.expander)


def test_an_empty_library_shows_the_samples_and_no_empty_editor() -> None:
    app = open_storing()
    assert app.query_params["look"] == "samples"
    assert "Skipped: " in shown_exchanges(app)[0]
    counts = r"(\d+) of \d+ exchanges are kept in full, (\d+) skipped\s+Skipped: [a-z, ]+ \d+ "
    assert re.search(counts, page_text(app))
    assert not any(one.proto.query_string for one in app.get("page_link")), "samples are not in the library"
    assert editor(app) == ""
    assert app.text_area(key=TEXT).placeholder == EXAMPLE


def add(app: AppTest, phrase: str, *, outcome: str = "skip_patterns") -> AppTest:
    """Fill in the form, and press its button."""
    app.text_input(key=PHRASE).set_value(phrase)
    app.text_input(key=REASON).set_value("about builds")
    app.button_group(key="storing.outcome").set_value(outcome)
    (button,) = [button for button in app.button if button.label == "Add"]
    return check(button.click().run())


def test_the_form_writes_a_rule_that_finds_whole_words(keys: dict[str, str]) -> None:
    app = open_storing()
    add(app, "build")
    assert editor(app) == "skip_patterns:\n  - pattern: '\\bbuild\\b'\n    reason: about builds\n"
    assert app.query_params["look"] == "changes"
    assert "Your changes flip 2 decisions" in page_text(app)
    assert not rules_file().exists(), "until it is saved"
    add(app, "a(b", outcome="keep_patterns")
    assert r"pattern: '\ba\(b\b'" in editor(app), "as text"
    assert "Your rules: 1 skip rule and 1 keep rule, not saved yet." in page_text(app)
    before = editor(app)
    for phrase in ("a(b", ""):
        add(app, phrase, outcome="keep_patterns")
        assert app.error, phrase
        assert editor(app) == before
        assert app.text_input(key=PHRASE).value == phrase, "what was refused can be corrected"
    app.text_area(key=TEXT).set_value("skip_patterns: [")
    click(app, "storing.save")
    assert not rules_file().exists(), "what was typed last is checked, not what was drawn"
    write(app, "# mine")
    add(app, "build")
    assert editor(app).startswith("# mine\nskip_patterns:")
    assert app.text_input(key=PHRASE).value == ""
    before = editor(app)
    click(app, "storing.save")
    assert rules_file().read_text() == before


def test_where_nothing_speaks_for_any_exchange_of_the_library_the_samples_are_shown() -> None:
    key = add_conversation(*turns_of(SECOND))
    assert open_storing().query_params["look"] == "samples"
    app = open_storing(conversation=key)
    assert app.query_params["look"] == "conversation"
    assert len(shown_exchanges(app)) == 2


def test_exchanges_of_several_conversations_stand_together_by_what_decides(keys: dict[str, str]) -> None:
    add_conversation(*turns_of((("ok", "Good."), *SECOND[:1])), title="Third")
    app = open_storing(look="library", show="kept")
    assert [one.value for one in app.markdown].count("**Kept in full: other content** · 5") == 1
    places = [one.proto.label for one in app.get("page_link") if " · " in one.proto.label]
    assert sorted(places[-5:]) == ["First · 5", "First · 7", "Second · 1", "Second · 3", "Third · 3"]


def test_what_must_hold_is_a_reason_of_an_exchange_that_is_kept_by_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_word_modes(monkeypatch)
    key = add_conversation(
        Turn.of("user", "I am allergic to hazelnuts, and so is most of my family"),
        Turn.of("assistant", "it is good to know that, there are other recipes"),
    )
    app = open_storing(conversation=key)
    (text,) = shown_exchanges(app)
    assert "by default, and as a safety requirement, always sent (“I am" in text
    assert "**Kept in full: must hold \\(safety requirement\\)** · 1" in [one.value for one in app.markdown]


def test_reasons_are_counted_in_words_about_content() -> None:
    facts = (("My size is 42", "Noted."), ("lol", "Ha."), ("How is the uptime?", "It was 99.98% last year."))
    app = open_storing(conversation=add_conversation(*turns_of(facts)))
    assert "Skipped: small talk 1" in page_text(app)
    assert "Kept in full: a fact in few words 2" in page_text(app)
    assert "only small talk (“lol”)" in shown_exchanges(app)[0]
    choose(app, "storing.show", "kept")
    assert "states a fact (“My size is 42”)" in shown_exchanges(app)[0]
    assert "a question with its answer (“It was 99.98% last year.”)" in shown_exchanges(app)[1]


def test_statistics_count_the_conversation_or_the_library(keys: dict[str, str]) -> None:
    app = open_storing(conversation=keys["First"])
    assert "3 of 5 exchanges are kept in full, 2 skipped" in page_text(app)
    choose(app, "storing.look", "library")
    assert app.query_params["look"] == "library"
    assert "5 of 7 exchanges are kept in full, 2 skipped" in page_text(app)
    choose(app, "storing.show", "kept")
    assert len(shown_exchanges(app)) == 5
    write(app, SKIP_BUILD)
    assert "3 of 7 exchanges are kept in full, 4 skipped" in page_text(app)


def test_a_save_that_fails_leaves_the_file_and_the_draft(
    keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_storing(conversation=keys["First"])
    write(app, SKIP_BUILD)

    def fail(*_: object, private: bool) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("convgate.ui.storing.rules_file.write_whole", fail)
    click(app, "storing.save")
    assert "No space left on device" in page_text(app)
    assert not rules_file().exists()
    assert editor(app) == SKIP_BUILD
