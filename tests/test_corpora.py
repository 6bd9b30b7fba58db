"""The public corpora as relevance sets, and `convgate corpus`."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from convgate.core.errors import TranscriptError
from convgate.transcripts import RelevanceSet, read_relevance_set
from tools.corpora.__main__ import convert
from tools.corpora.cast import FILE as CAST_FILE
from tools.corpora.cast import read_cast
from tools.corpora.irc import read_irc
from tools.corpora.locomo import FILE as LOCOMO_FILE
from tools.corpora.locomo import read_locomo
from tools.corpora.mtrag import FILE as MTRAG_FILE
from tools.corpora.mtrag import read_mtrag
from tools.corpora.tiage import read_tiage


def question(number: int, text: str, **depends: Any) -> dict[str, Any]:
    rewritten = {"manual_rewritten_utterance": f"{text} (in full)"}
    return {"number": number, "raw_utterance": text, **rewritten, **depends}


QUESTIONS = [
    question(1, "How do bees make honey?", canonical_result_id="MARCO_1"),
    question(2, "Why doesn’t it spoil?", query_turn_dependence=[1]),
    question(3, "What else do they make?", query_turn_dependence=[1], result_turn_dependence=2),
    question(4, "How do I keep bread?"),
    question(5, "And cheese?", query_turn_dependence=[4, 2]),
    question(6, "Which one?", result_turn_dependence=5),
]
TOPIC = {"number": 181, "title": "Honey", "description": "", "turn": QUESTIONS}


def write_topics(checkout: Path, *topics: Any) -> Path:
    file = checkout / CAST_FILE
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(topics, indent=2))
    return file


def test_relevant_are_both_kinds_of_dependence_from_the_third_question_on(tmp_path: Path):
    write_topics(tmp_path, TOPIC)
    cases = read_cast(tmp_path).cases
    assert [(case.id, sorted(case.relevant)) for case in cases] == [
        ("cast2020-181-2", [0, 1]),
        ("cast2020-181-3", []),
        ("cast2020-181-4", [1, 3]),
        ("cast2020-181-5", [4]),
    ]


DIALOGUE = [
    ["hi , any plans for today ?", "-1"],
    ["i will bake bread .", "0"],
    ["do you have pets ?", "1"],
    ["two cats .", "0"],
    ["nice , what are they called ?", "0"],
    ["i work in a bakery , by the way .", "1"],
    ["so that is where the bread comes from !", "0"],
]


def write_part(checkout: Path, dialogues: Any, split: str = "train") -> Path:
    file = checkout / "data" / "personachat" / "anno" / split / f"anno_{split}.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(dialogues))
    return file


def test_relevant_is_the_present_topic_from_the_fourth_turn_on(tmp_path: Path):
    write_part(tmp_path, {"7": DIALOGUE})
    cases = read_tiage(tmp_path).cases
    assert {case.id: sorted(case.relevant) for case in cases} == {
        "tiage-train-7-3": [2],
        "tiage-train-7-4": [2, 3],
        "tiage-train-7-5": [],
        "tiage-train-7-6": [5],
    }


def utterance(speaker: str, text: str) -> dict[str, Any]:
    return {"speaker": speaker, "text": text, "metadata": {"created_at": 1732000000}}


def task(id: str, questions: int, *, collection: str = "clapnq", answer: str = "so") -> dict[str, Any]:
    """A line as of the turn after so many questions."""
    conversation = [
        turn
        for number in range(questions)
        for turn in (utterance("user", f"{id} q{number}"), utterance("agent", f"{id} a{number}"))
    ]
    return {
        "conversation_id": id,
        "task_id": f"{id}<::>{questions}",
        "Collection": collection,
        "contexts": [],
        "input": conversation[:-1],
        "targets": [utterance("agent", f"{id} {answer}")],
    }


def write_tasks(checkout: Path, *tasks: Any) -> Path:
    file = checkout / MTRAG_FILE
    file.parent.mkdir(parents=True)
    file.write_text("".join(f"{json.dumps(line)}\n" for line in tasks))
    return file


def test_a_conversation_is_its_longest_input_with_the_target_behind_it(tmp_path: Path):
    write_tasks(tmp_path, task("ab", 1), task("cd", 2), task("ab", 3, answer="yes"), task("ab", 2))
    relevance_set = read_mtrag(tmp_path)
    assert (relevance_set.name, list(relevance_set.conversations)) == ("mtrag", ["mtrag-ab", "mtrag-cd"])
    turns = relevance_set.conversations["mtrag-ab"].turns
    assert [turn.text for turn in turns] == ["ab q0", "ab a0", "ab q1", "ab a1", "ab q2", "ab yes"]
    assert [turn.role for turn in turns] == ["user", "assistant"] * 3
    assert relevance_set.cases == ()


CONVERSATION = {
    "speaker_a": "Ada",
    "speaker_b": "Ben",
    "session_2_date_time": "12:09 am on 13 September, 2023",
    "session_2": [
        {"speaker": "Ben", "dia_id": "D2:1", "text": "I adopted a dog! "},
        {
            "speaker": "Ada",
            "dia_id": "D2:2",
            "text": "Look at mine.",
            "img_url": ["https://example.org/dog.jpg"],
            "blip_caption": "a photo of a dog on a sofa",
            "query": "dog",
        },
    ],
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [
        {"speaker": "Ada", "dia_id": "D1:1", "text": "Hey Ben!"},
        {"speaker": "Ben", "dia_id": "D1:2", "text": "Hey, I moved to Graz."},
    ],
    "session_3_date_time": "9:00 am on 1 October, 2023",
}


def question_line(question: str, *evidence: Any, category: int = 4) -> dict[str, Any]:
    return {"question": question, "answer": 2023, "evidence": list(evidence), "category": category}


def sample(*questions: Any, id: str = "conv-1", **changes: Any) -> dict[str, Any]:
    return {
        "sample_id": id,
        "conversation": {**CONVERSATION, **changes},
        "qa": list(questions),
        "observation": {},
    }


def write_samples(checkout: Path, *samples: Any) -> Path:
    file = checkout / LOCOMO_FILE
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(samples, indent=2))
    return file


WHERE = question_line("Where does Ben live?", "D1:2")


def test_a_question_stands_after_the_whole_conversation_with_its_evidence(tmp_path: Path):
    write_samples(tmp_path, sample(WHERE, question_line("Who has a dog?", "D2:1", "D2:2", category=1)))
    relevance_set = read_locomo(tmp_path)
    assert [(case.id, case.turn, sorted(case.relevant), case.tags) for case in relevance_set.cases] == [
        ("locomo-conv-1-q0", None, [1], ("category-4",)),
        ("locomo-conv-1-q1", None, [2, 3], ("category-1",)),
    ]
    current, history = relevance_set.current(relevance_set.cases[1])
    assert (current.turn.role, current.turn.text, len(history)) == ("user", "Who has a dog?", 4)
    assert relevance_set.problems == ()


def test_evidence_that_names_no_turn_is_dropped_counted_and_reported(tmp_path: Path):
    vain = question_line("Q?", "D:11:26")
    write_samples(
        tmp_path, sample(question_line("Q?", "D1:1", "D9:17", "D"), question_line("Q?"), vain, WHERE)
    )
    relevance_set = read_locomo(tmp_path)
    assert [case.id for case in relevance_set.cases] == ["locomo-conv-1-q0", "locomo-conv-1-q3"]
    assert sorted(relevance_set.cases[0].relevant) == [0]
    problems = [(problem.field, problem.message) for problem in relevance_set.problems]
    assert problems == [
        ("[0].qa[0].evidence[1]", "no turn is 'D9:17'; left out"),
        ("[0].qa[0].evidence[2]", "no turn is 'D'; left out"),
        ("[0].qa[2].evidence[0]", "no turn is 'D:11:26'; left out"),
        (None, "left out in all: 3 references to no turn and 2 questions without evidence"),
    ]
    assert {problem.severity for problem in relevance_set.problems} == {"warning"}


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


def relevant(relevance_set: RelevanceSet) -> dict[int, list[int]]:
    return {case.turn: sorted(case.relevant) for case in relevance_set.cases if case.turn is not None}


def test_messages_are_users_with_names_at_the_times_of_the_day_in_the_file_name(tmp_path: Path):
    lines = ["[23:59] <ann> hi there ", "[00:01] <bob>  * no, <ann> ", "[00:02]  * cat [x] waves to bob"]
    write_log(tmp_path, lines, ["0 1"])
    relevance_set = read_irc(tmp_path)
    (conversation,) = relevance_set.conversations.values()
    assert (relevance_set.name, conversation.id) == ("irc.train", f"irc-{STEM}")
    assert [(turn.role, turn.name, turn.text) for turn in conversation.turns] == [
        ("user", "ann", "hi there"),
        ("user", "bob", "* no, <ann>"),
        ("user", "cat", "[x] waves to bob"),
    ]
    assert [turn.timestamp.isoformat() for turn in conversation.turns if turn.timestamp] == [
        "2008-04-27T23:59:00",
        "2008-04-27T00:01:00",
        "2008-04-27T00:02:00",
    ]


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
    relevant_turns = relevant(read_irc(tmp_path))
    assert (relevant_turns[24], relevant_turns[25], relevant_turns[26]) == ([20], [22], [20, 22, 24, 25])


def test_a_training_file_gives_120_cases_drawn_by_one_generator_seeded_with_7(tmp_path: Path):
    lines = [f"[06:00] <ann> line {number}" for number in range(300)]
    links = [f"{number} {number}" for number in range(100, 300)]
    for stem in ("2005-01-01.train-a", "2005-01-02.train-b"):
        write_log(tmp_path, lines, links, stem=stem)
    relevance_set = read_irc(tmp_path)
    turns = [
        [case.turn for case in relevance_set.cases if case.conversation == id]
        for id in relevance_set.conversations
    ]
    generator = random.Random(7)
    assert turns == [sorted(generator.sample(range(100, 300), 120)) for _ in turns]


def test_the_set_goes_to_a_file_that_reads_back(tmp_path: Path):
    write_part(tmp_path, {"7": DIALOGUE}, split="dev")
    convert("tiage", [tmp_path], tmp_path / "set.jsonl", split="dev")
    relevance_set = read_relevance_set(tmp_path / "set.jsonl")
    assert (len(relevance_set.conversations), len(relevance_set.cases), relevance_set.problems) == (1, 4, ())


def test_a_folder_that_is_no_checkout_is_refused(tmp_path: Path):
    for corpus in ("cast", "irc", "tiage", "mtrag", "locomo"):
        with pytest.raises(TranscriptError, match="name a checkout of"):
            convert(corpus, [tmp_path], tmp_path / "set.jsonl")
