"""The Ubuntu channel as a relevance set."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from convgate.errors import TranscriptError
from convgate.training.corpora.irc import read_irc
from convgate.transcripts import BadLinesError, RelevanceSet

STEM = "2008-04-27.train-a"
CHATTER = [f"[06:{minute:02}] <ann{minute}> line {minute}" for minute in range(40)]


def write_log(
    checkout: Path, lines: Sequence[str], links: Sequence[str], *, split: str = "train", stem: str = STEM
) -> Path:
    folder = checkout / "data" / split
    folder.mkdir(parents=True, exist_ok=True)
    texts = folder / f"{stem}.ascii.txt"
    texts.write_text("".join(f"{line}\n" for line in lines))
    (folder / f"{stem}.annotation.txt").write_text("".join(f"{link} - \n" for link in links))
    return texts


def relevant(found: RelevanceSet) -> dict[int, list[int]]:
    return {case.turn: sorted(case.relevant) for case in found.cases if case.turn is not None}


def test_messages_are_users_with_names_at_the_times_of_the_day_in_the_file_name(tmp_path: Path):
    lines = ["[23:59] <ann> hi there ", "[00:01] <bob>  * no, <ann> ", "[00:02]  * cat [x] waves to bob"]
    write_log(tmp_path, lines, ["0 1"])
    found = read_irc(tmp_path)
    (talk,) = found.conversations.values()
    assert (found.name, talk.id) == ("irc.train", f"irc-{STEM}")
    assert [(turn.role, turn.name, turn.text) for turn in talk.turns] == [
        ("user", "ann", "hi there"),
        ("user", "bob", "* no, <ann>"),
        ("user", "cat", "[x] waves to bob"),
    ]
    assert [turn.timestamp.isoformat() for turn in talk.turns if turn.timestamp] == [
        "2008-04-27T23:59:00",
        "2008-04-27T00:01:00",
        "2008-04-27T00:02:00",
    ]


def test_system_lines_and_lines_without_text_drop_out_but_keep_their_number(tmp_path: Path):
    lines = [*CHATTER[:10], "=== dan has joined", "[07:00] <eve>", "[07:00]  * eve", "[07:01] <eve> back"]
    write_log(tmp_path, lines, ["3 13"])
    found = read_irc(tmp_path)
    (talk,) = found.conversations.values()
    assert [turn.text for turn in talk.turns[9:]] == ["line 9", "back"]
    assert relevant(found) == {10: [3]}


def test_a_thread_is_the_union_of_links(tmp_path: Path):
    write_log(tmp_path, CHATTER, ["20 20", "20 21", "22 22", "23 22", "21 24", "23 24", "20 25"])
    assert relevant(read_irc(tmp_path)) == {
        20: [],
        21: [20],
        22: [],
        23: [22],
        24: [20, 21, 22, 23],
        25: [20, 21, 22, 23, 24],
    }


def test_a_link_from_the_future_joins_no_threads(tmp_path: Path):
    write_log(tmp_path, CHATTER, ["20 26", "22 26", "20 20", "20 24", "22 22", "22 25"])
    found = relevant(read_irc(tmp_path))
    assert (found[24], found[25], found[26]) == ([20], [22], [20, 22, 24, 25])


def test_links_hold_across_a_system_line(tmp_path: Path):
    lines = [*CHATTER[:15], "=== dan is now known as eve", *CHATTER[15:]]
    write_log(tmp_path, lines, ["12 15", "15 20", "20 20"])
    assert relevant(read_irc(tmp_path)) == {19: [12]}


def test_relevant_is_looked_for_among_the_last_100_messages(tmp_path: Path):
    lines = [f"[06:00] <ann> line {number}" for number in range(120)]
    write_log(tmp_path, lines, ["10 11", "11 12", "11 111", "12 112"])
    found = read_irc(tmp_path)
    assert relevant(found)[111] == [11, 12]
    assert relevant(found)[112] == [12, 111]
    assert {case.window for case in found.cases} == {100}
    for case in found.cases:
        _, history = found.situation(case)
        assert case.relevant <= set(range(history.start, history.stop))


def test_a_case_has_at_least_10_messages_before_it(tmp_path: Path):
    write_log(tmp_path, CHATTER, [f"{number} {number}" for number in range(12)])
    assert sorted(relevant(read_irc(tmp_path))) == [10, 11]


def test_only_annotated_messages_are_cases(tmp_path: Path):
    write_log(tmp_path, CHATTER, ["12 20"])
    assert sorted(relevant(read_irc(tmp_path))) == [20]


def test_a_conversation_begins_200_lines_before_the_first_annotated_one(tmp_path: Path):
    lines = ["[05:58] <old> left out", "[05:59] <old> kept", *["=== join"] * 179, *CHATTER]
    write_log(tmp_path, lines, ["0 201", "201 211"])
    found = read_irc(tmp_path)
    (talk,) = found.conversations.values()
    assert [turn.text for turn in talk.turns[:2]] == ["kept", "line 0"]
    assert relevant(found) == {21: [], 31: [21]}


def test_a_training_file_gives_120_cases_drawn_by_one_generator_seeded_with_7(tmp_path: Path):
    lines = [f"[06:00] <ann> line {number}" for number in range(300)]
    links = [f"{number} {number}" for number in range(100, 300)]
    for stem in ("2005-01-01.train-a", "2005-01-02.train-b"):
        write_log(tmp_path, lines, links, stem=stem)
    found = read_irc(tmp_path)
    turns = [[case.turn for case in found.cases if case.conversation == id] for id in found.conversations]
    generator = random.Random(7)
    assert turns == [sorted(generator.sample(range(100, 300), 120)) for _ in turns]


def test_logs_come_in_order_of_their_names(tmp_path: Path):
    stems = [f"20{year:02}-01-01.train-c" for year in range(10, 20)]
    for stem in reversed(stems):
        write_log(tmp_path, CHATTER, ["12 20"], stem=stem)
    assert list(read_irc(tmp_path).conversations) == [f"irc-{stem}" for stem in stems]


@pytest.mark.parametrize("split", ["dev", "test"])
def test_files_that_are_for_measuring_give_all_their_cases(tmp_path: Path, split: str):
    lines = [f"[06:00] <ann> line {number}" for number in range(300)]
    write_log(tmp_path, lines, [f"{number} {number}" for number in range(100, 300)], split=split)
    found = read_irc(tmp_path, split=split)
    assert (found.name, len(found.cases)) == (f"irc.{split}", 200)


def test_either_file_of_a_log_may_be_named_and_its_folder_tells_the_part(tmp_path: Path):
    texts = write_log(tmp_path, CHATTER, ["12 20"], split="dev")
    by_texts = read_irc(texts)
    assert by_texts.name == "irc.dev"
    assert read_irc(texts.with_name(f"{STEM}.annotation.txt")) == by_texts


def test_a_file_in_a_folder_of_another_name_needs_its_part_said(tmp_path: Path):
    texts = write_log(tmp_path, CHATTER, ["12 20"], split="mine")
    with pytest.raises(TranscriptError, match="say train, dev, test"):
        read_irc(texts)
    assert read_irc(texts, split="test").name == "irc.test"


# Bad input


def problems(checkout: Path) -> list[str]:
    with pytest.raises(BadLinesError, match="bad place") as raised:
        read_irc(checkout)
    return [str(problem) for problem in raised.value.problems]


def test_an_annotation_of_a_message_that_does_not_exist_names_file_and_line(tmp_path: Path):
    write_log(tmp_path, CHATTER, ["12 20", "20 40", "20 21"])
    (problem,) = problems(tmp_path)
    place, _, message = problem.partition(": ")
    assert place == f"data/train/{STEM}.annotation.txt, line 2"
    assert message == f"there is no message 40: {STEM}.ascii.txt has lines 0 to 39"
    assert relevant(read_irc(tmp_path, skip_bad=True)) == {20: [12], 21: [12, 20]}


def test_broken_lines_are_told_with_file_and_line(tmp_path: Path):
    lines = [*CHATTER[:12], "06:12] <bob> cut", "[06:99] <bob> late", *CHATTER[14:20]]
    write_log(tmp_path, lines, ["11 18", "12", "x 14"])
    places = [problem.partition(": ")[0] for problem in problems(tmp_path)]
    assert places == [
        f"data/train/{STEM}.ascii.txt, line 13",
        f"data/train/{STEM}.ascii.txt, line 14",
        f"data/train/{STEM}.annotation.txt, line 2",
        f"data/train/{STEM}.annotation.txt, line 3",
    ]
    assert relevant(read_irc(tmp_path, skip_bad=True)) == {16: [11]}


@pytest.mark.parametrize("missing", ["ascii", "annotation"])
def test_half_a_log_names_the_missing_file_and_the_others_can_be_read(tmp_path: Path, missing: str):
    write_log(tmp_path, CHATTER, ["12 20"], stem="2005-01-01.train-a")
    write_log(tmp_path, CHATTER, ["12 20"])
    (tmp_path / "data" / "train" / f"{STEM}.{missing}.txt").unlink()
    (problem,) = problems(tmp_path)
    assert problem.startswith(f"data/train/{STEM}.{missing}.txt: the file cannot be opened")
    assert list(read_irc(tmp_path, skip_bad=True).conversations) == ["irc-2005-01-01.train-a"]


def test_a_log_without_a_link_or_without_a_day_is_told(tmp_path: Path):
    write_log(tmp_path, CHATTER, ["none"])
    write_log(tmp_path, CHATTER, ["12 20"], stem="april")
    told = problems(tmp_path)
    assert any(f"{STEM}.annotation.txt: there is no link in it" in problem for problem in told)
    assert any(
        "april.ascii.txt: the name of the file does not begin with a day" in problem for problem in told
    )


def test_a_folder_without_logs_says_which_files_a_checkout_has(tmp_path: Path):
    with pytest.raises(TranscriptError, match=r"no data/dev/STEM\.ascii\.txt with STEM\.annotation\.txt"):
        read_irc(tmp_path, split="dev")
    with pytest.raises(TranscriptError, match="no such file or folder"):
        read_irc(tmp_path / "nowhere")
    other = tmp_path / "train.tok.txt"
    other.touch()
    with pytest.raises(TranscriptError, match=r"expected a file STEM\.ascii\.txt"):
        read_irc(other)
