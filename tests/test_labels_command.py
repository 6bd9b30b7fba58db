"""Labels, feedback and the library in a terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path
from shutil import copyfile

import pytest

from convgate.core.settings import load_settings
from convgate.store import Conversations, Labels, SituationKey, Store
from tests.commands import Run

SAMPLES = Path(__file__).parent.parent / "sample_conversations"
NAN, SEVERAL = SAMPLES / "nan_and_fibonacci.json", SAMPLES / "nan_and_fibonacci.jsonl"


@pytest.fixture
def store() -> Store:
    return Store(load_settings().database)


@pytest.fixture
def key(run: Run) -> str:
    return str(json.loads(run("import", NAN, "--json")[1])["conversations"][0]["key"])


def test_a_bad_row_keeps_nothing_of_any_file(run: Run, store: Store, key: str, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text(f"conversation,message,turn,answer\n{key},6,0,relevant\n")
    bad.write_text("message,turn,answer\n6,0,relevant\n6,1,perhaps\n6,9,relevant\n" + "6,2,?!\n" * 30)
    code, _, err = run("labels", "import", good, bad, "--annotator", "Ada", "--conversation", key)
    assert code == 1
    err.splitlines()
    assert list(Labels(store).entries()) == []
    code, out, err = run("labels", "import", bad, "--annotator", "Ada", "--conversation", key, "--skip-bad")
    assert (code, "Ada 1" in out, "bad.csv, line 3" in err) == (0, True, True)
    assert Labels(store).of(SituationKey(key, 6)).of("Ada") == {0: "relevant"}
    assert Labels(store).can_undo("Ada") == (True, False)


def test_an_import_is_undone_by_its_number_whoever_made_it_and_leaves_nobody_behind(
    run: Run, store: Store, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "root")
    labels, place = Labels(store), SituationKey(key, 6)
    labels.answer(place, {0: "relevant"}, by="Ada")
    for number, rows in enumerate(
        ["6,0,Ada,not relevant\n6,1,Bo,unsure\n6,2,Bo,relevant", "6,3,Bo,relevant"]
    ):
        (tmp_path / f"{number}.csv").write_text(f"message,turn,annotator,answer\n{rows}\n")
        _, out, _ = run("labels", "import", tmp_path / f"{number}.csv", "--conversation", key)
    assert "import 3" in out
    assert [one.name for one in labels.annotators()] == labels.people() == ["Ada", "Bo"]
    labels.answer(place, {2: "unsure"}, by="Bo")
    assert run("labels", "undo-import", 2) == (
        0, "Import 2 is undone; labels as before it: 2. Left alone, because changed since: 1.\n", "",
    )  # fmt: skip
    assert labels.of(place).of("Ada") == {0: "relevant"}
    assert labels.of(place).of("Bo") == {2: "unsure", 3: "relevant"}
    code, _, err = run("labels", "undo-import", 2)
    assert (code, "import 2 of 0.csv was undone already" in err) == (1, True)
    listed = json.loads(run("labels", "imports", "--json")[1])["imports"]
    assert [(one["number"], one["file"], one["by"], one["labels"], one["undone"]) for one in listed] == [
        (3, "1.csv", "root", 1, False), (2, "0.csv", "root", 3, True),
    ]  # fmt: skip
    assert "0.csv" in run("labels", "imports")[1]
    assert labels.redo("root") is not None, "in the app, by whoever imported it"
    assert labels.of(place).of("Ada") == {0: "not_relevant"}
    assert labels.undo("root") is not None
    assert labels.undo("root") is not None
    assert labels.undo("root") is None
    assert labels.of(place).of("Bo") == {2: "unsure"}


def test_the_commands_of_the_documentation_run_as_they_stand(
    run: Run, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (SAMPLES.parent / "docs" / "labels.md").read_text(encoding="utf-8")
    commands = [
        line.partition("  #")[0].split() for line in text.splitlines() if line.startswith("convgate ")
    ]
    assert len(commands) > 8
    monkeypatch.chdir(tmp_path)
    copyfile(NAN, "talk.json")
    line = {"current_turn": 4, "current_text": "Something else.", "relevant_turns": [1]}
    Path("theirs.jsonl").write_text(json.dumps(line))
    assert run(*commands[0][1:])[0] == 0
    (key,) = Conversations(store).keys()
    Labels(store).answer(SituationKey(key, 6), {0: "relevant"}, by="Ada")
    inline = [span.split() for span in re.findall(r"`convgate ([^`]*)`", text)]
    assert ["labels", "trains", "my-agent", "off"] in inline
    feedback = {"conversation": key, "turn": 2, "relevant": False, "at": 6, "source": "my-agent"}
    Path("FILE.jsonl").write_text(json.dumps(feedback))
    trains = ["labels", "trains", "my-agent", "off"]
    for words in (*(command[1:] for command in commands[1:]), ["feedback", "FILE.jsonl"], trains):
        given = [{"KEY": key}.get(word, word) for word in words]
        code, _, err = run(*given)
        assert (code, err) == (0, ""), words
    assert "Bo" not in Labels(store).people(), "the import was undone"


def test_the_terminal_is_not_steered_by_what_a_file_says(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "evil.json"
    file.write_text(json.dumps([{"role": "user", "content": "\x1b]0;x\x07\x1b[31mHi"}]))
    assert "\x1b" not in run("import", file)[1]
