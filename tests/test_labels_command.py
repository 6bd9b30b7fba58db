"""Labels, feedback and the library in a terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path
from shutil import copyfile

import pytest

from convgate.store import Conversations, CurrentKey, Labels, Store
from tests.commands import Run
from tests.label_files import label, labelled_set
from tests.test_transcripts_field_map import SAID, SHAPES

TRANSCRIPTS = Path(__file__).with_name("transcripts")
SAMPLES = Path(__file__).parent.parent / "sample_conversations"
NAN, SEVERAL = SAMPLES / "nan_and_fibonacci.json", SAMPLES / "nan_and_fibonacci.jsonl"


@pytest.fixture
def key(run: Run) -> str:
    return str(json.loads(run("import", NAN, "--json")[1])["conversations"][0]["key"])


def test_a_bad_row_keeps_nothing_of_any_file(run: Run, store: Store, key: str, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_bytes(labelled_set(store, key, 6, label("Ada", 0, "relevant")))
    wrong = [label("Ada", 1, "perhaps"), label("Ada", 9, "relevant"), *[label("Ada", 2, "?!")] * 30]
    bad.write_bytes(labelled_set(store, key, 6, label("Ada", 0, "relevant"), *wrong))
    assert run("labels", "import", good, bad)[0] == 1
    assert list(Labels(store).entries()) == []
    code, out, err = run("labels", "import", bad, "--annotator", "Ada", "--skip-bad")
    assert (code, "Ada 1" in out, "bad.jsonl, line 2" in err) == (0, True, True)
    assert Labels(store).of(CurrentKey(key, 6)).of("Ada") == {0: "relevant"}
    assert Labels(store).can_undo("Ada") == (True, False)


def test_an_import_is_undone_and_answers_since_stay(
    run: Run, store: Store, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "root")
    labels, place = Labels(store), CurrentKey(key, 6)
    labels.answer(place, {0: "relevant"}, by="Ada")
    rows = [label("Ada", 0, "not_relevant"), label("Bo", 1, "unsure"), label("Bo", 2, "relevant")]
    (tmp_path / "rows.jsonl").write_bytes(labelled_set(store, key, 6, *rows))
    assert run("labels", "import", tmp_path / "rows.jsonl")[0] == 0
    assert [one.name for one in labels.annotators()] == ["Ada", "Bo"]
    labels.answer(place, {2: "unsure"}, by="Bo")
    code, out, _ = run("labels", "undo")
    assert (code, "since: 1." in out) == (0, True)
    assert labels.of(place).of("Ada") == {0: "relevant"}
    assert labels.of(place).of("Bo") == {2: "unsure"}
    code, _, err = run("labels", "undo", "--annotator", "Cy")
    assert (code, "'Cy'" in err) == (1, True)
    assert labels.redo("root") is not None, "in the app, by whoever imported it"
    assert labels.of(place).of("Ada") == {0: "not_relevant"}


def test_the_commands_of_the_documentation_run_as_they_stand(
    run: Run, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (SAMPLES.parent / "docs" / "labels.md").read_text(encoding="utf-8")
    commands = [
        line.partition("  #")[0].split() for line in text.splitlines() if line.startswith("convgate ")
    ]
    assert len(commands) > 7
    monkeypatch.chdir(tmp_path)
    copyfile(NAN, "talk.json")
    line = {"current_turn": 4, "current_text": "Something else.", "relevant_turns": [1]}
    Path("theirs.jsonl").write_text(json.dumps(line))
    assert run(*commands[0][1:])[0] == 0
    (key,) = Conversations(store).keys()
    Labels(store).answer(CurrentKey(key, 6), {0: "relevant"}, by="Ada")
    inline = [span.split() for span in re.findall(r"`convgate ([^`]*)`", text)]
    assert ["labels", "trains", "my-agent", "off"] in inline
    feedback = {"conversation": key, "turn": 2, "relevant": False, "at": 6, "source": "my-agent"}
    Path("FILE.jsonl").write_text(json.dumps(feedback))
    trains = ["labels", "trains", "my-agent", "off"]
    for words in (*(command[1:] for command in commands[1:]), ["feedback", "FILE.jsonl"], trains):
        given = [{"KEY": key}.get(word, word) for word in words]
        code, _, err = run(*given)
        assert (code, err) == (0, ""), words
    assert "Bo" not in {one.name for one in Labels(store).annotators()}, "the import was undone"


def test_text_from_files_is_escaped_on_the_terminal(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "evil.json"
    file.write_text(json.dumps([{"role": "user", "content": "\x1b]0;x\x07\x1b[31mHi"}]))
    assert "\x1b" not in run("import", file)[1]


def test_other_formats_that_fit_as_well_are_named(run: Run, tmp_path: Path) -> None:
    values = [json.loads((TRANSCRIPTS / name).read_text()) for name in ("grok.json", "vscode.json")]
    file = tmp_path / "both.json"
    file.write_text(json.dumps([values[0]["conversations"][0], values[1]]))
    code, _, err = run("import", file)
    assert (code, "--format can choose vscode" in err) == (1, True)
    assert "1 added" in run("import", file, "--format", "vscode", "--skip-bad")[1]


def test_a_list_in_no_known_format_is_added_by_its_fields(run: Run, tmp_path: Path) -> None:
    text, fields = SHAPES["list"]
    (file := tmp_path / "list.json").write_text(text, encoding="utf-8")
    code, _, err = run("import", file)
    assert (code, f"--map {fields}" in err) == (1, True)
    (bad := tmp_path / "sent.json").write_text(SHAPES["in an object"][0], encoding="utf-8")
    assert "--map text=body,speaker=sender,items=messages" in run("import", bad)[2]
    code, out, err = run("import", file, "--map", fields)
    assert (code, "1 added" in out, "4 turns, 2 speakers" in err) == (0, True, True)
    sent = json.loads(run("select", file, "--turn", "2", "--map", fields)[1])["messages"]
    assert (sent[-1]["role"], sent[-1]["content"]) == ("user", SAID[2])


def test_a_dry_run_leaves_the_library_as_it_is(run: Run, tmp_path: Path, convgate_home: Path) -> None:
    file = tmp_path / "talk.md"
    file.write_text("User: Will it freeze?\nAssistant: Yes.\n")
    assert run("import", "--dry-run", file)[0] == 0
    assert not convgate_home.exists()
    run("import", file)
    before = (convgate_home / "convgate.db").read_bytes()
    other = tmp_path / "other.md"
    other.write_text("User: Will it rain?\nAssistant: No.\n")
    assert "1 added" in run("import", "--dry-run", other)[1]
    assert (convgate_home / "convgate.db").read_bytes() == before


def test_a_dry_run_shows_what_an_import_would_add(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "talk.md"
    file.write_text("# Frost\n\nUser: Will it freeze?\nAssistant: Yes.\n")
    for _ in range(2):
        code, out, _ = run("import", "--dry-run", file)
        assert code == 0
        assert "  added  Frost\n1 added, 0 in the library already; this was a dry run." in out
    assert "1 added, 0 in the library already." in run("import", file)[1]
    assert "0 added, 1 in the library already; this was a dry run." in run("import", "--dry-run", file)[1]
