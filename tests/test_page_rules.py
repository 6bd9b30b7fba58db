"""Rules as a person uses it: what is kept and why, a rule that is typed, looked at, saved, and taken back."""

from __future__ import annotations

from dataclasses import replace

import pytest
import streamlit as st

from convgate.conversation import Turn
from convgate.gatekeeper.errors import ModelError
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.gatekeeper import load_gatekeeper
from convgate.gatekeeper.model_answer import Answer
from convgate.gatekeeper.model_use import ModelUse
from convgate.settings import load_settings
from convgate.ui.navigation import LIBRARY
from convgate.ui.rules import editing, looking
from convgate.ui.rules.adding import EXAMPLE
from convgate.ui.rules.draft import DRAFT, Draft
from convgate.ui.rules.editing import EDITOR
from convgate.ui.rules.making import NOTE
from convgate.ui.rules.rules_file import read_file
from tests.rules_page import (
    HOSTILE,
    RULES,
    SKIP_BUILD,
    add,
    choose,
    click,
    click_first,
    editor,
    library,
    metric,
    open_page,
    rules_file,
    said,
    shown,
    sound,
    talk,
    texts,
    write,
)


@pytest.fixture
def keys() -> dict[str, str]:
    """The library's conversations."""
    return library()


def test_each_exchange_stands_with_its_decision_and_filters_choose_among_them(keys: dict[str, str]) -> None:
    app = open_page(conversation=keys["First"])
    assert [metric(app, name) for name in ("Exchanges", "Kept", "Skipped", "Kept by default")] == [
        "5", "3", "2", "2",
    ]  # fmt: skip
    greeting, preference, _, hostile, _ = shown(app)
    assert "○ skipped" in greeting
    assert ">greeting<" in greeting
    assert 'title="preference: I prefer">I prefer</mark> dark mode' in preference
    assert "<b>x</b>" not in hostile
    assert "&lt;b&gt;x&lt;/b&gt; [l](https://a.example) $x^2$ :smile:" in hostile
    links = [one.proto.query_string for one in app.get("page_link") if one.proto.query_string]
    assert links[1] == f"conversation={keys['First']}&selected=3"

    choose(app, "rules.show", "skipped")
    assert len(shown(app)) == 2
    choose(app, "rules.show", "default")
    assert len(shown(app)) == 2
    assert app.query_params["show"] == "default"
    choose(app, "rules.show", "all")
    sound(app.text_input(key="rules.search").set_value("RED logs").run())
    (found,) = texts(app)
    assert "build is red" in found
    sound(app.selectbox(key="rules.category").set_value("greeting").run())
    assert not shown(app)
    click(app, "rules.show_all")
    assert len(shown(app)) == 5


def test_the_address_reopens_what_was_looked_at_and_says_what_means_nothing(keys: dict[str, str]) -> None:
    app = open_page(
        conversation=keys["First"], show="skipped", category="greeting", look="exchanges", page="x"
    )
    assert len(shown(app)) == 1
    assert "page=x, which is not a number" in said(app)
    again = dict(app.query_params)
    assert again == {"conversation": keys["First"], "show": "skipped", "category": "greeting"}
    app = open_page(look="nothing", only="<b>")
    assert "look=nothing" in said(app)
    assert metric(app, "Exchanges") in ("5", "2"), "the newest conversation is shown"


def test_a_list_has_pages_which_the_address_names() -> None:
    said_often = tuple((f"what is to be done about the parcel number {n}?", "It is late.") for n in range(23))
    key = add(talk("Many", said_often))
    app = open_page(conversation=key, page="2")
    assert len(shown(app)) == 10
    assert "turn 21" in texts(app)[0]
    (pages,) = app.get("pagination")
    assert pages.value == 2  # type: ignore[union-attr]
    sound(pages.set_value(3).run())  # type: ignore[union-attr]
    assert len(shown(app)) == 3
    assert app.query_params["page"] == "3"
    choose(app, "rules.show", "kept")
    assert "page" not in app.query_params
    choose(app, "rules.show", "all")
    app.query_params["page"] = "2"  # as on the way back
    sound(app.run())
    (pages,) = app.get("pagination")
    assert (pages.value, len(shown(app))) == (2, 10)  # type: ignore[union-attr]
    app = open_page(conversation=key, page="99")
    assert "turn 45" in texts(app)[-1], "the last page stands for one that there is not"


def test_a_rule_shows_what_it_changes_before_it_is_saved_and_is_taken_back(keys: dict[str, str]) -> None:
    app = open_page(conversation=keys["First"])
    assert "You have no rules of your own yet" in said(app)
    assert app.button(key="rules.save").disabled
    write(app, SKIP_BUILD)
    assert "**What changes in the library: 2 exchanges** of 7 change: ↓\u00a02 skipped now" in said(app)
    assert metric(app, "By your rules") == "1"
    assert not rules_file().exists(), "nothing is written before it is saved"
    click(app, "rules.show_changes")
    assert len(shown(app)) == 2
    assert "kept before" in texts(app)[0]
    assert "Before: Kept: nothing says that it can be left out" in texts(app)[0]
    assert {"**First**", "**Second**"} <= {one.value for one in app.markdown}
    assert "| 2 | skip bbuildb | 2 |" in said(app)
    choose(app, "rules.only", "kept")
    assert not shown(app)

    click(app, "rules.save")
    assert rules_file().read_text() == SKIP_BUILD
    assert rules_file().stat().st_mode & 0o077 == 0
    assert "Agents that are running take these rules at their next decision" in said(app)
    assert "What changes in the library" not in said(app)
    assert not load_gatekeeper().decide(Exchange("the build is red again, and I am sad")).keep

    click(app, "rules.undo")
    assert rules_file().read_text() == ""
    assert editor(app)["text"] == ""
    click(app, "rules.undo")
    assert rules_file().read_text() == SKIP_BUILD == editor(app)["text"], "undone again it is back"


def test_a_broken_draft_is_told_line_by_line_never_saved_and_never_lost(keys: dict[str, str]) -> None:
    rules_file().write_text(SKIP_BUILD)
    app = open_page(conversation=keys["First"])
    broken = "skip_patterns:\n  - pattern: 'a(b'\n  - pattern: '.*'\n    colour: <b>red</b>\n"
    write(app, broken)
    problems = editor(app)["problems"]
    assert [line for line, _ in problems] == [2, 3, 4]
    assert problems[0][1].startswith("“a(b”: this is no regular expression")
    assert "**3 problems:**" in said(app)
    assert app.button(key="rules.save").disabled
    assert metric(app, "By your rules") == "1", "the rules of the file decide meanwhile"
    sound(app.switch_page(LIBRARY).run())
    sound(app.switch_page(RULES).run())
    assert editor(app)["text"] == broken
    assert rules_file().read_text() == SKIP_BUILD
    click(app, "rules.discard")
    assert editor(app)["text"] == SKIP_BUILD


def test_one_click_makes_a_rule_of_a_message_or_of_words_typed(keys: dict[str, str]) -> None:
    app = open_page(conversation=keys["First"])
    click(app, "rules.example")
    assert editor(app)["text"] == EXAMPLE
    click_first(app, "Skip such", 3)
    draft = app.session_state[DRAFT]
    assert r"pattern: '^<b>x</b> \[l\]\(https://a\.example\) \$x\^2\$ :smile:" in draft.text
    assert draft.text.startswith(EXAMPLE.partition("keep_patterns")[0]), "comments stay"
    assert editor(app)["reveal"] == draft.text[: draft.text.index("<b>x")].count("\n") + 1
    assert metric(app, "Skipped") == "3"
    click_first(app, "Skip such", 3)
    assert "already, in line" in said(app)
    assert app.session_state[DRAFT].text == draft.text

    app.text_input(key="rules.words").set_value("the build")
    click(app, "rules.words_keep")
    assert "pattern: '\\bthe build\\b'" in app.session_state[DRAFT].text
    assert metric(app, "By your rules") == "2"
    assert len(HOSTILE) > 80, "a long message gives its first words"


def test_a_file_changed_by_another_program_is_told_and_not_overwritten(keys: dict[str, str]) -> None:
    rules_file().write_text(SKIP_BUILD)
    app = open_page(conversation=keys["First"])
    mine, theirs = SKIP_BUILD + "# mine\n", SKIP_BUILD + "# theirs\n"
    rules_file().write_text(theirs)
    sound(app.run())
    assert editor(app)["text"] == theirs, "without a draft the file is followed"
    write(app, mine)
    rules_file().write_text(SKIP_BUILD)
    sound(app.run())
    assert "changed by another program" in said(app)
    assert app.button(key="rules.save").disabled
    assert "+# mine" in app.code[0].value
    click(app, "rules.keep_mine")
    click(app, "rules.save")
    assert rules_file().read_text() == mine
    rules_file().write_text(theirs)
    sound(app.run())
    assert "rules.undo" not in [one.key for one in app.button], "what another program wrote is not taken back"
    write(app, mine)
    rules_file().write_text(SKIP_BUILD)
    click(app, "rules.save")
    assert "changed by another program since it was read here" in said(app)
    assert rules_file().read_text() == SKIP_BUILD
    click(app, "rules.take_file")
    assert editor(app)["text"] == SKIP_BUILD


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"skip_patterns: [", "The file cannot be used as it is"),
        (b"# a\n\xff\xfe", "line 2: this is not UTF-8"),
        (b"#" * 300_000, "300,000 bytes"),
    ],
    ids=["broken", "not UTF-8", "too large"],
)
def test_a_file_that_cannot_be_used_is_told_and_no_rule_of_it_decides(
    keys: dict[str, str], content: bytes, told: str
) -> None:
    rules_file().write_bytes(content)
    app = open_page(conversation=keys["First"])
    assert told in said(app)
    assert "An agent that runs keeps the rules it had before" in said(app)
    assert metric(app, "By your rules") == "0"
    assert rules_file().read_bytes() == content
    if told.startswith("The file"):
        assert editor(app)["text"] == content.decode()
        assert editor(app)["problems"]
    else:
        assert editor(app)["locked"]
        assert all(one.disabled for one in app.button if one.label in ("Skip such", "Save", "Skip"))


def test_an_empty_library_still_has_the_editor_and_a_place_to_try_a_rule() -> None:
    app = open_page()
    assert "There is no conversation yet" in said(app)
    click(app, "rules.example")
    assert "no exchange in the library yet" in said(app)
    sound(app.text_input(key="rules.try_user").set_value("Ticket 12 is done, <i>finally</i>").run())
    (tried,) = shown(app)
    assert ">Ticket 12</mark> is done, &lt;i&gt;finally" in tried
    assert ">ticket<" in tried
    write(app, "keep_patterns: [")
    assert "custom" not in texts(app)[0]
    assert "so the rules of the file decide here" in said(app)


def test_statistics_count_the_conversation_or_the_library_and_list_what_is_kept_by_default(
    keys: dict[str, str],
) -> None:
    app = open_page(conversation=keys["First"], look="statistics")
    assert "**60% kept:** 3 of 5 exchanges; 2 skipped." in said(app)
    choose(app, "rules.scope", "The library")
    assert app.query_params["on"] == "library"
    assert "**71% kept:** 5 of 7 exchanges" in said(app)
    assert "**Kept by default: 4**" in said(app)
    assert len(shown(app)) == 4
    write(app, SKIP_BUILD)
    assert "**43% kept:** 3 of 7 exchanges" in said(app)
    assert "**Kept by default: 2**" in said(app)
    tables = [one.proto.body for one in app.get("html") if 'class="tally"' in one.proto.body]
    assert "<td>noise</td><td>0</td><td>2</td>" in tables[0]
    assert r"<td>your rule \bbuild\b</td><td>0</td><td>2</td>" in tables[1]
    click_first(app, "Keep such")
    assert "**Kept by default: 1**" in said(app)


def test_a_large_library_is_looked_through_in_part_unless_a_person_wants_all(
    keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "AT_ONCE", 4)
    app = open_page(conversation=keys["First"])
    write(app, "skip_patterns:\n  - pattern: 'e'\n")
    assert "(e) alone skips 4 of 5 exchanges: more than half." in said(app)
    assert "The newest 1 conversation of 2" in said(app)
    assert app.button(key="rules.rest").label == "Look through the rest (4 turns)"
    click(app, "rules.rest")
    assert "of 7 change" in said(app)
    click(app, "rules.save")
    assert "(e) alone skips" in said(app)  # what is saved is warned of as well
    assert "rules.rest" not in [one.key for one in app.button]


class _Model:
    use = ModelUse(prompt_tokens=210, completion_tokens=14)

    def __init__(self) -> None:
        self.asked: list[Exchange] = []

    def ask(self, exchange: Exchange) -> Answer:
        self.asked.append(exchange)
        if exchange.user == "ok":
            raise ModelError("no answer within 1 s")
        return Answer(True, "policy", "it is <b>a rule</b>")

    def close(self) -> None:
        self.asked.append(Exchange("closed"))


def test_a_model_is_asked_only_when_a_person_says_so(
    keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = _Model()
    monkeypatch.setenv("CONVGATE_GATEKEEPER_MODE", "hybrid")
    monkeypatch.setattr("convgate.gatekeeper.model.LanguageModel.of", lambda settings: model)
    app = open_page(conversation=keys["First"])
    assert "Mode **hybrid**" in said(app)
    assert not model.asked
    click_first(app, "Ask the model", 2)
    assert [one.user for one in model.asked][1:] == ["closed"]
    assert model.asked[0].previous[0] == Turn.of("user", "hello"), "with what was said before"
    assert "The model says **● keep**, policy: it is <b>a rule</b>" in said(app)
    assert "224 tokens" in said(app)
    click_first(app, "Ask the model", 4)
    assert "The model gave no decision" in said(app)
    assert len(model.asked) == 4

    monkeypatch.setenv("CONVGATE_GATEKEEPER_MODE", "disabled")
    sound(app.run())
    assert "switched off: agents store everything" in said(app)


def test_a_save_that_fails_leaves_the_file_and_says_why(
    keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(conversation=keys["First"])
    write(app, SKIP_BUILD)

    def full(*_: object, private: bool) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("convgate.ui.rules.rules_file.write_whole", full)
    click(app, "rules.save")
    assert "cannot be written: No space left on device. It is as it was." in said(app)
    assert not rules_file().exists()
    assert editor(app)["text"] == SKIP_BUILD, "the draft is still there"


def test_what_comes_back_from_the_editor_is_taken_unless_its_text_was_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draft = Draft("", read_file(rules_file()), revision=3)
    session: dict[str, object] = {DRAFT: draft, EDITOR: {"typed": {"text": "# a\r\n", "revision": 3}}}
    monkeypatch.setattr(st, "session_state", session)
    editing.take_typed()
    assert session[DRAFT] == replace(draft, text="# a\n")
    for value in ({"text": "# b", "revision": 2}, {"text": 1, "revision": 3}, {"text": "# b"}, None, "x"):
        session[EDITOR] = {"typed": value}
        editing.take_typed()
        assert session[DRAFT] == replace(draft, text="# a\n")

    session[EDITOR] = {"save": {"text": "keep_patterns: [", "revision": 3}}
    editing.save_by_key(load_settings())
    assert "Not saved" in str(session[NOTE])
    assert not rules_file().exists()
    session[EDITOR] = {"save": {"text": SKIP_BUILD, "revision": 3}}
    editing.save_by_key(load_settings())
    assert rules_file().read_text() == SKIP_BUILD
    assert not session[DRAFT].is_changed  # type: ignore[attr-defined]
