"""The Rules page: exchanges with decisions, a rule that is typed, previewed, saved and undone."""

from __future__ import annotations

import pytest

from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.gatekeeper import load_gatekeeper
from convgate.ui.navigation import LIBRARY
from convgate.ui.rules.editor import EXAMPLE
from tests.rules_page import (
    RULES,
    SKIP_BUILD,
    choose,
    click,
    editor,
    library,
    open_page,
    rules_file,
    said,
    shown,
    sound,
    texts,
    write,
)


@pytest.fixture
def keys() -> dict[str, str]:
    """The library's conversations."""
    return library()


def test_exchanges_are_listed_with_their_decisions_and_filtered(keys: dict[str, str]) -> None:
    app = open_page(conversation=keys["First"])
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


def test_the_address_restores_the_view_and_reports_invalid_parts(keys: dict[str, str]) -> None:
    app = open_page(conversation=keys["First"], show="skipped", look="conversation", page="x")
    assert len(shown(app)) == 2
    assert "page=x" in said(app)
    assert dict(app.query_params) == {"conversation": keys["First"], "show": "skipped"}
    app = open_page(look="nothing", change="<b>")
    assert "look=nothing" in said(app)
    assert shown(app), "the newest conversation is shown"


def test_a_rule_is_previewed_saved_and_undone(keys: dict[str, str]) -> None:
    app = open_page(conversation=keys["First"], look="changes")
    write(app, SKIP_BUILD)
    assert not shown(app), "the preview is on demand"
    click(app, "rules.preview")
    assert len(shown(app)) == 2
    assert "kept before" in texts(app)[0]
    assert "Before: Kept: nothing says that it can be left out" in texts(app)[0]
    assert {"**First**", "**Second**"} <= {one.value for one in app.markdown}
    assert "**2 changed decisions**" in said(app)
    choose(app, "rules.change", "kept")
    assert not shown(app)
    write(app, SKIP_BUILD + "# the same rules\n")
    assert "2 changed decisions" in said(app)
    write(app, SKIP_BUILD.replace("build", "e"))
    assert "changed decisions" not in said(app), "another text needs another preview"
    write(app, SKIP_BUILD)
    assert not rules_file().exists(), "nothing is written before it is saved"

    click(app, "rules.save")
    assert rules_file().read_text() == SKIP_BUILD
    assert rules_file().stat().st_mode & 0o077 == 0
    assert not load_gatekeeper().decide(Exchange("the build is red again, and I am sad")).keep
    click(app, "rules.undo")
    assert rules_file().read_text() == editor(app) == ""
    click(app, "rules.undo")
    assert rules_file().read_text() == SKIP_BUILD == editor(app), "a second undo restores the save"


def test_problems_are_shown_by_line_and_a_broken_draft_is_neither_saved_nor_lost(
    keys: dict[str, str],
) -> None:
    rules_file().write_text(SKIP_BUILD)
    app = open_page(conversation=keys["First"], show="own")
    broken = "skip_patterns:\n  - pattern: 'a(b'\n  - pattern: '.*'\n    colour: <b>red</b>\n"
    write(app, broken)
    for line in ("**Line 2:**", "**Line 4:**", "pattern: 'a(b'", "colour: <b>red</b>"):
        assert line in said(app)
    assert len(shown(app)) == 1, "the rules of the file decide meanwhile"
    assert app.button(key="rules.save").disabled
    sound(app.switch_page(LIBRARY).run())
    sound(app.switch_page(RULES).run())
    assert editor(app) == broken
    click(app, "rules.discard")
    assert editor(app) == SKIP_BUILD


def test_a_file_changed_by_another_program_is_not_overwritten(keys: dict[str, str]) -> None:
    rules_file().write_text(SKIP_BUILD)
    app = open_page(conversation=keys["First"])
    mine, theirs = SKIP_BUILD + "# mine\n", SKIP_BUILD + "# theirs\n"
    rules_file().write_text(theirs)
    sound(app.run())
    assert editor(app) == theirs, "without a draft the file is followed"
    write(app, mine)
    rules_file().write_text(SKIP_BUILD)
    click(app, "rules.save")
    assert rules_file().read_text() == SKIP_BUILD
    assert editor(app) == mine
    click(app, "rules.save")
    assert rules_file().read_text() == mine, "a second save overwrites it"
    write(app, SKIP_BUILD)
    rules_file().write_text(theirs)
    sound(app.run())
    click(app, "rules.discard")
    assert editor(app) == theirs


@pytest.mark.parametrize(
    "content",
    [b"skip_patterns: [", b"# a\n\xff\xfe", b"#" * 300_000],
    ids=["broken", "not UTF-8", "too large"],
)
def test_a_file_that_cannot_be_used_is_reported_and_left_alone(keys: dict[str, str], content: bytes) -> None:
    rules_file().write_bytes(content)
    app = open_page(conversation=keys["First"], show="own")
    assert app.error
    assert not shown(app)
    click(app, "rules.save") if not app.button(key="rules.save").disabled else None
    assert rules_file().read_bytes() == content
    is_text = b"\xff" not in content
    assert app.text_area[0].disabled is not is_text
    assert editor(app) == (content.decode() if is_text else "")


def test_an_empty_library_still_has_the_editor() -> None:
    app = open_page()
    assert "There is no conversation yet" in said(app)
    click(app, "rules.example")
    assert editor(app) == EXAMPLE
    assert not app.button(key="rules.save").disabled


def test_statistics_count_the_conversation_or_the_library(keys: dict[str, str]) -> None:
    app = open_page(conversation=keys["First"])
    assert "**60% kept:** 3 of 5 exchanges; 2 skipped." in said(app)
    choose(app, "rules.look", "library")
    assert app.query_params["look"] == "library"
    assert "**71% kept:** 5 of 7 exchanges" in said(app)
    choose(app, "rules.show", "default")
    assert len(shown(app)) == 4
    write(app, SKIP_BUILD)
    assert "**43% kept:** 3 of 7 exchanges" in said(app)
    assert app.dataframe[0].value.query("Category == 'noise'").values.tolist() == [["noise", 0, 2]]


def test_a_save_that_fails_leaves_the_file_and_the_draft(
    keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(conversation=keys["First"])
    write(app, SKIP_BUILD)

    def fail(*_: object, private: bool) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("convgate.ui.rules.rules_file.write_whole", fail)
    click(app, "rules.save")
    assert "No space left on device" in said(app)
    assert not rules_file().exists()
    assert editor(app) == SKIP_BUILD
