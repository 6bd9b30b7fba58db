"""Labels, feedback and the library in a terminal."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from shutil import copyfile

import pytest

from convgate.conversation import Turn
from convgate.settings import load_settings
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


def test_import_adds_to_the_library_and_says_what_it_had(run: Run, store: Store, tmp_path: Path) -> None:
    code, out, _ = run("import", SEVERAL, NAN)
    assert code == 0
    assert out.endswith("5 added, 0 in the library already.\n")
    _, out, _ = run("import", NAN, "--json")
    (row,) = json.loads(out)["conversations"]
    assert (row["new"], row["origin"]) == (False, NAN.name)
    assert Conversations(store).summary(row["key"]).tokens
    grown = Conversations(store).grow(row["key"], [Turn.of("user", "and more")]).key
    assert run("import", NAN)[1].startswith(f"{grown}  was in  {row['title']} (and more of it)\n")
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"messages": [{"role": "user", "content": "new"}]}\n{"messages": 5}\n')
    code, _, err = run("import", NAN, bad)
    assert code == 1
    assert "bad.jsonl, line 2" in err
    assert Conversations(store).find().total == 5
    code, _, err = run("import", bad, "--skip-bad", "--out", tmp_path / "added.json")
    assert (code, "bad.jsonl, line 2" in err) == (0, True)
    assert json.loads((tmp_path / "added.json").read_text())["conversations"][0]["title"] == "new"


def test_what_is_exported_is_imported_into_an_empty_library(
    run: Run, store: Store, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Labels(store).answer(SituationKey(key, 6), {0: "relevant"}, by="Ada")
    Labels(store).answer(SituationKey(key, 6), {0: "unsure"}, by="Bo")
    before = list(Labels(store).entries())
    file = tmp_path / "labels.jsonl"
    assert run("labels", "export", "--out", file)[0] == 0
    assert "exists already" in run("labels", "export", "--out", file)[2]
    _, table, _ = run("labels", "export", "--format", "csv", "--annotator", "Bo")
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [(row["annotator"], row["answer"]) for row in rows] == [("Bo", "unsure")]
    assert run("labels", "export", "--conversation", key)[1] == file.read_text()
    assert "no conversation 'other'" in run("labels", "export", "--conversation", "other")[2]
    code, _, err = run("labels", "export", "--annotator", "Cy")
    assert (code, "nobody called 'Cy' has labelled anything" in err) == (1, True)
    monkeypatch.setenv("CONVGATE_HOME", str(tmp_path / "elsewhere"))
    _, out, _ = run("labels", "import", file, "--dry-run")
    assert "annotators: Ada 1, Bo 1" in out
    assert "added 2, known 0, replaced 0" in out
    elsewhere = Store(load_settings().database)
    assert list(Labels(elsewhere).entries()) == []
    told = json.loads(run("labels", "import", file, "--json")[1])
    assert (told["kept"], told["files"][0]["changed"], told["files"][0]["format"]) == (
        True, 2, "relevance-set",
    )  # fmt: skip
    assert list(Labels(elsewhere).entries()) == before
    assert "added 0, known 2, replaced 0" in run("labels", "import", file)[1]


def test_a_bad_row_keeps_nothing_of_any_file(run: Run, store: Store, key: str, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text(f"conversation,message,turn,answer\n{key},6,0,relevant\n")
    bad.write_text("message,turn,answer\n6,0,relevant\n6,1,perhaps\n6,9,relevant\n" + "6,2,?!\n" * 30)
    code, _, err = run("labels", "import", good, bad, "--annotator", "Ada", "--conversation", key)
    assert code == 1
    told = err.splitlines()
    assert "bad.csv, line 3, field 'answer'" in told[0]
    assert "bad.csv, line 4, field 'turn'" in told[1]
    assert "32 bad places in bad.csv" in told[-1]
    assert list(Labels(store).entries()) == []
    code, out, err = run("labels", "import", bad, "--annotator", "Ada", "--conversation", key, "--skip-bad")
    assert (code, "Ada 1" in out, "bad.csv, line 3" in err) == (0, True, True)
    assert err.endswith("convgate: and 12 more.\n")
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
    assert "there is no import 1; `convgate labels imports` lists" in run("labels", "undo-import", 1)[2]
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


def test_feedback_of_a_file(run: Run, store: Store, tmp_path: Path) -> None:
    messages = [{"role": "user", "content": f"say {i}"} for i in range(4)]
    lines = [{"messages": messages, "turn": turn, "relevant": turn != 1} for turn in (0, 1, 9)]
    file = tmp_path / "told.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    code, _, err = run("feedback", file, "--source", "bot")
    assert (code, "told.jsonl, line 3: turn 9 is not before" in err) == (1, True)
    assert Conversations(store).find().total == 0
    code, out, err = run("feedback", file, "--source", "bot", "--skip-bad", "--dry-run")
    assert (code, out.strip()) == (0, "2 answers new or different; this was a dry run.")
    assert (Conversations(store).find().total, Labels(store).annotators()) == (0, [])
    code, out, err = run("feedback", file, "--source", "bot", "--skip-bad")
    assert (code, out, "line 3" in err) == (0, "2 answers new or different.\n", True)
    (key,) = Conversations(store).keys()
    assert Labels(store).of(SituationKey(key, 3)).of("bot") == {0: "relevant", 1: "not_relevant"}


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
    told = next(words for words in inline if words[:2] == ["feedback", "--conversation"])
    for words in (*(command[1:] for command in commands[1:]), told, ["labels", "trains", "my-agent", "off"]):
        given = [{"KEY": key, "9": "6"}.get(word, word) for word in words]
        code, _, err = run(*given)
        assert (code, err) == (0, ""), words
    assert "Bo" not in Labels(store).people(), "the import was undone"


def test_the_terminal_is_not_steered_by_what_a_file_says(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "evil.json"
    file.write_text(json.dumps([{"role": "user", "content": "\x1b]0;x\x07\x1b[31mHi"}]))
    assert "\x1b" not in run("import", file)[1]
