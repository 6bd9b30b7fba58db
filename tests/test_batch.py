"""Parts, rows and the output folder of a batch, without Ray."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from convgate.batch import decisions
from convgate.batch.decisions import BatchDecider, BatchOptions, PartTables, resolve_options
from convgate.batch.evaluation import split_set
from convgate.batch.inputs import BadRow, Part, list_files, read_parts
from convgate.batch.output import OutputFolder
from convgate.batch.run import write_part
from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import ConvgateError, GateError, PolicyError, TranscriptError
from convgate.core.settings import load_settings
from convgate.evaluation.evaluate import evaluate
from convgate.evaluation.judged_cases import cases_in_order, join_sets, judge_all
from convgate.invariants import find_invariants
from convgate.invariants.judge import load_judge
from convgate.policies.search import BM25
from convgate.policies.window import LastK
from convgate.selection.load import load
from convgate.transcripts import Case, RelevanceSet
from tests.fakes import FakeEncoder


def messages(n: int, name: str = "a") -> list[dict[str, str]]:
    return [
        {"role": ("user", "assistant")[index % 2], "content": f"message {index} of {name}"}
        for index in range(n)
    ]


def write_lines(path: Path, n: int, *, n_turns: int = 4) -> Path:
    lines = [{"id": f"c{index}", "messages": messages(n_turns, f"c{index}")} for index in range(n)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def parts_of(*locations: Path | str, **options: Any) -> list[Part]:
    files = list_files([str(location) for location in locations])
    return [part for file in files for part in read_parts(file, **options)]


def ids_of(parts: list[Part]) -> list[list[str]]:
    return [[conversation.id for conversation in part.conversations] for part in parts]


def resolve(policy: str, version: str | None = None) -> BatchOptions:
    return resolve_options(BatchOptions(load_settings(), policy, version))


def options_of(**changes: Any) -> BatchOptions:
    return replace(resolve("last_k"), **changes)


# Parts


def test_parts_hold_whole_conversations_in_the_order_of_the_file(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", 5)
    parts = parts_of(path, part_turns=7)
    assert ids_of(parts) == [["c0", "c1"], ["c2", "c3"], ["c4"]]
    assert [part.name for part in parts] == [part.name for part in parts_of(path, part_turns=7)]
    assert len({part.name for part in parts}) == 3
    assert sum(part.n_bytes for part in parts) == path.stat().st_size


def test_finished_parts_are_passed_over_and_counted(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", 5)
    names = [part.name for part in parts_of(path, part_turns=7)]
    rest = parts_of(path, part_turns=7, finished=frozenset(names[:1]))
    assert ids_of(rest) == [["c2", "c3"], ["c4"]]
    assert [part.n_skipped for part in rest] == [1, 0]
    (nothing,) = parts_of(path, part_turns=7, finished=frozenset(names))
    assert (nothing.conversations, nothing.n_skipped, nothing.n_bytes) == ((), 3, path.stat().st_size)


def test_bad_lines_are_bad_rows_of_their_part_with_file_line_and_reason(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", 30)
    lines = path.read_text().splitlines()
    lines[21] = '{"id": "c21", "messages": 5}'
    lines[22:24] = ["{broken", '{"messages": [{"content": "nobody"}]}']
    path.write_text("\n".join(lines))
    parts = parts_of(path, part_turns=20)
    assert sum(map(len, ids_of(parts)), 0) == 27
    (bad,) = [part.bad for part in parts if part.bad]
    assert [(row.line, row.field) for row in bad] == [(22, "messages"), (23, None), (24, "messages[0].role")]
    assert all(row.file == str(path) and row.reason for row in bad)


def test_more_bad_lines_than_a_report_lists_are_all_bad_rows(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", 25)
    with path.open("a") as file:
        file.write("{broken\n" * 1_500)
    assert sum(len(part.bad) for part in parts_of(path)) == 1_500


def test_a_file_that_cannot_be_read_is_one_bad_row(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "picture.json").write_bytes(b"\x89PNG" + bytes(range(256)))
    (tmp_path / "cut.zip").write_bytes(b"PK\x03\x04cut")
    (tmp_path / "cut.parquet").write_bytes(b"PAR1cut")
    parts = parts_of(tmp_path)
    assert [[row.file for row in part.bad] for part in parts] == [
        [str(tmp_path / name)] for name in ("cut.parquet", "cut.zip", "empty.jsonl", "picture.json")
    ]


@pytest.mark.parametrize("as_text", [True, False])
def test_parquet_holds_messages_as_json_or_as_structs(tmp_path: Path, as_text: bool) -> None:
    rows = [messages(3), [*messages(2), {"role": "tool", "content": "ok", "tool_call_id": "t1"}]]
    column = [json.dumps(row) for row in rows] if as_text else rows
    parquet.write_table(pa.table({"id": ["x", "y"], "messages": column}), tmp_path / "a.parquet")
    (part,) = parts_of(tmp_path)
    assert ids_of([part]) == [["x", "y"]]
    assert part.conversations[0].turns[0].source == rows[0][0]
    assert part.conversations[1].turns[2].tool_call_id == "t1"


def test_bad_parquet_rows_name_their_row(tmp_path: Path) -> None:
    column = [json.dumps(messages(2)), "{", None, "[]", json.dumps(messages(2)), '[{"role": 5}]']
    parquet.write_table(pa.table({"messages": column}), tmp_path / "a.parquet")
    parquet.write_table(pa.table({"text": ["Hi"]}), tmp_path / "b.parquet")
    first, second = parts_of(tmp_path)
    assert len(first.conversations) == 2
    assert len({conversation.id for conversation in first.conversations}) == 2
    assert [row.row for row in first.bad] == [1, 2, 3, 5]
    assert "column messages" in second.bad[0].reason


def test_a_parquet_row_that_is_not_utf_8_is_a_bad_row(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    names = ["first", "zebra", "last"]
    parquet.write_table(
        pa.table({"messages": [[{"role": "user", "content": name}] for name in names]}),
        path, use_dictionary=False, compression="none", write_statistics=False,
    )  # fmt: skip
    path.write_bytes(path.read_bytes().replace(b"zebra", b"zebr\xff"))
    (part,) = parts_of(path)
    assert [conversation.turns[0].text for conversation in part.conversations] == ["first", "last"]
    assert [row.row for row in part.bad] == [1]


def test_results_in_a_folder_of_the_input_are_not_read(tmp_path: Path) -> None:
    path, out = write_lines(tmp_path / "a.jsonl", 1), tmp_path / "out"
    options, folder = options_of(), OutputFolder.open(str(out))
    (part,) = parts_of(path)
    folder.begin(options, list_files([str(path)]))
    write_part(part, BatchDecider(options), folder)
    files = list_files([str(tmp_path)], out=str(tmp_path / "none" / ".." / "out"))
    assert [file.path for file in files] == [str(path)]


def test_folders_addresses_and_zip_files_are_read(tmp_path: Path) -> None:
    import zipfile

    folder = tmp_path / "deep" / "er"
    folder.mkdir(parents=True)
    write_lines(folder / "a.jsonl", 2)
    (folder / "notes.pdf").write_bytes(b"%PDF")
    (folder / "_half.jsonl").write_text("{")
    with zipfile.ZipFile(folder / "b.zip", "w") as archive:
        archive.write(folder / "a.jsonl", "inner.jsonl")
    assert ids_of(parts_of(tmp_path.as_uri())) == [["c0", "c1"], ["c0", "c1"]]
    with pytest.raises(TranscriptError, match="no such file"):
        list_files([str(tmp_path / "missing")])
    (tmp_path / "none").mkdir()
    with pytest.raises(TranscriptError, match="no file that ends in"):
        list_files([str(tmp_path / "none")])


def test_a_folder_that_is_one_export_is_one_file(tmp_path: Path) -> None:
    channel = tmp_path / "general"
    channel.mkdir()
    for day, text in (("2026-01-01", "first"), ("2026-01-02", "second")):
        message = {"type": "message", "user": "U1", "text": text, "ts": "1767225600.000100"}
        (channel / f"{day}.json").write_text(json.dumps([message]))
    (part,) = parts_of(tmp_path)
    assert [turn.text for turn in part.conversations[0].turns] == ["first", "second"]


# Rows


def test_rows_are_what_a_selector_decides() -> None:
    conversation = Conversation("c", tuple(Turn.of(**_turn(each)) for each in messages(9)))
    tables = BatchDecider(options_of(turns="all")).decide(Part("f", 0, [conversation]))
    selector = load(policy="last_k")
    rows = tables.decisions.to_pylist()
    assert [row["turn"] for row in rows] == [0, 2, 4, 6, 8]
    for row in rows:
        selection = selector.select_at(conversation, row["turn"])
        assert json.loads(row["messages"]) == selection.messages
        assert row["indices"] == selection.indices
        decided = [
            (each.index, each.kept, each.score, each.rule, each.reason) for each in selection.decisions
        ]
        assert [tuple(each.values()) for each in row["decisions"]] == decided
    (last,) = BatchDecider(options_of()).decide(Part("f", 0, [conversation])).decisions.to_pylist()
    assert last == rows[-1]


def _turn(message: dict[str, str]) -> dict[str, str]:
    return {"role": message["role"], "text": message["content"]}


def test_context_adds_mode_and_invariants_at_each_answered_message() -> None:
    texts = ["Never use tabs, only spaces.", "Fine.", "Why does the build fail with error 2?"]
    turns = tuple(
        Turn.of(role, text) for role, text in zip(("user", "assistant", "user"), texts, strict=True)
    )
    tables = BatchDecider(options_of(turns="all", context=True)).decide(
        Part("f", 0, [Conversation("c", turns)])
    )
    judge = load_judge(load_settings())
    for row in tables.decisions.to_pylist():
        expected = [each.to_json() for each in find_invariants(turns[: row["turn"] + 1], judge)]
        assert row["invariants"] == expected
        assert 0 < row["mode_confidence"] <= 1
    assert tables.decisions["mode"].to_pylist()[1] == "DEBUGGING"


def test_embeddings_have_a_row_for_every_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = FakeEncoder()
    monkeypatch.setattr(decisions, "load_encoder", lambda settings: encoder)
    turns = tuple(Turn.of("user" if index % 2 else "assistant", f"word{index}") for index in range(4))
    tables = BatchDecider(options_of(embeddings=True)).decide(Part("f", 0, [Conversation("c", turns)]))
    assert tables.embeddings["turn"].to_pylist() == [0, 1, 2, 3]
    vectors = np.array(tables.embeddings["embedding"].to_pylist(), dtype=np.float32)
    assert np.array_equal(vectors, encoder.encode([turn.text for turn in turns]))


def test_a_conversation_that_cannot_be_decided_is_a_bad_row() -> None:
    good = Conversation("good", (Turn.of("user", "Hi"), Turn.of("user", "Hello")))
    doubtful = Turn.of("assistant", "Yes.", metadata={"confidence": 7})
    bad = Conversation("bad", (Turn.of("user", "Hi"), doubtful, Turn.of("user", "Sure?")))
    tables = BatchDecider(options_of(policy="retention")).decide(Part("f", 0, [bad, good]))
    assert tables.decisions["conversation"].to_pylist() == ["good"]
    assert [(row.file, row.conversation) for row in tables.bad] == [("f", "bad")]


def test_the_active_version_is_named_for_a_policy_with_a_gate() -> None:
    assert resolve("last_k").version is None
    assert resolve("pipeline").version
    with pytest.raises(GateError):
        resolve("gate", "missing")
    with pytest.raises(PolicyError):
        resolve("missing")


# The output folder


def test_what_is_finished_is_passed_over_and_what_is_half_written_removed(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", 5)
    files, options = list_files([str(path)]), options_of(part_turns=8)
    decider = BatchDecider(options)
    folder = OutputFolder.open(str(tmp_path / "out"))
    assert folder.begin(options, files) == frozenset()
    first, second, third = parts_of(path, part_turns=8)
    write_part(first, decider, folder)
    with pytest.raises((AttributeError, TypeError)):  # as when a process ends before the last file of a part
        folder.write(second.name, PartTables(None, None, [BadRow("f", "bad")]))
    write_part(third, decider, folder)
    assert folder.begin(options, files) == {first.name, third.name}
    write_part(second, decider, folder)
    table = parquet.read_table(tmp_path / "out" / "decisions")
    assert sorted(table["conversation"].to_pylist()) == [f"c{index}" for index in range(5)]
    assert not list((tmp_path / "out").rglob("_*"))


def test_other_options_or_a_changed_file_are_refused_and_further_files_accepted(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", 2)
    folder = OutputFolder.open((tmp_path / "out").as_uri())
    folder.begin(options_of(), list_files([str(path)]))
    with pytest.raises(ConvgateError, match="turns was 'last' and is now 'all'"):
        folder.begin(options_of(turns="all"), list_files([str(path)]))
    with pytest.raises(ConvgateError, match="format was None and is now 'openai'"):
        folder.begin(options_of(format="openai"), list_files([str(path)]))
    other = load_settings().updated(session={"new_commands": ("anew",)})
    with pytest.raises(ConvgateError, match=r"session\.new_commands was"):
        folder.begin(options_of(settings=other), list_files([str(path)]))
    write_lines(tmp_path / "b.jsonl", 1)
    folder.begin(options_of(), list_files([str(tmp_path / "b.jsonl")]))
    write_lines(path, 3)
    with pytest.raises(ConvgateError, match="has changed"):
        folder.begin(options_of(), list_files([str(path)]))


# Evaluation in shards


def test_a_set_judged_in_shards_gives_the_same_figures() -> None:
    conversations = {
        f"c{number}": Conversation(
            f"c{number}", tuple(Turn.of(**_turn(each)) for each in messages(6 + number))
        )
        for number in range(5)
    }
    cases = [
        Case(f"{id}-{turn}", id, turn, None, frozenset({turn - 2}), tags=("even",) if turn % 4 else ())
        for id, conversation in conversations.items()
        for turn in range(2, len(conversation), 2)
    ]
    relevance_set = RelevanceSet("set", conversations, tuple(reversed(cases)))
    shards = split_set(relevance_set, 3)
    assert len(shards) == 3
    assert [case for shard in shards for case in shard.cases] == cases_in_order(relevance_set)
    policies = {"bm25": BM25(), "last_k": LastK()}
    parts = [judge_all(shard, policies) for shard in shards]
    joined = {name: join_sets([part[name] for part in parts]) for name in policies}
    whole = judge_all(relevance_set, policies)
    for name, judged in whole.items():
        assert np.array_equal(joined[name].case, judged.case)
        assert np.array_equal(joined[name].terms, judged.terms, equal_nan=True)
    assert evaluate([relevance_set], policies).sets["set"].policies["bm25"].overall.cases == len(cases)
