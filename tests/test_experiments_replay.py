"""Replay and ablations: what arms send for labelled cases, at which tokens."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import convgate
from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import ExperimentError
from convgate.core.settings import Settings
from convgate.experiments.ablations import ablate
from convgate.experiments.judge import FunctionModel, Judge, Messages
from convgate.experiments.outcomes import ERROR_KINDS
from convgate.experiments.replay import Replay, ReplayRow, check_by_judge, check_by_tests, load_arms, replay
from convgate.experiments.selection import ArmSelector
from convgate.language_model import ModelError
from convgate.store import Store
from convgate.store.experiments import Experiments
from convgate.transcripts.cases import Case, RelevanceSet
from convgate.transcripts.relevance_sets import write_relevance_set
from tests.commands import Run
from tests.selectors import FixedPolicy, count_words, make_selector

SIZE = 5  # tokens of a turn of one word


def make_set(n: int = 4, *, window: int | None = None) -> RelevanceSet:
    """Return conversations of eight turns, of a word each, whose last message needs turns 1 and 6."""
    talks = {
        f"c{i}": Conversation(
            f"c{i}", tuple(Turn.of(("user", "assistant")[turn % 2], f"word{turn}") for turn in range(9))
        )
        for i in range(n)
    }
    needed = frozenset({1, 6}) if window is None else frozenset({6})
    return RelevanceSet("own", talks, tuple(Case(id, id, 8, None, needed, window) for id in talks))


def arms(**texts: str) -> list[ArmSelector]:
    return load_arms(texts, Settings())


def fixed(name: str, *args: Any, **options: Any) -> ArmSelector:
    """An arm whose policy keeps the same turns always."""
    return ArmSelector.of(name, FixedPolicy(*args, **options), Settings(), alone=True)


def rows(result: Replay) -> dict[tuple[str, object], ReplayRow]:
    return {(row.arm, row.budget): row for row in result.rows()}


def value(row: ReplayRow, name: str) -> float | None:
    return row.measures[name].value


def run_replay(
    chosen: list[ArmSelector], *budgets: Any, **options: Any
) -> dict[tuple[str, object], ReplayRow]:
    return rows(replay(make_set(), chosen, budgets or ("free", "matched"), counter=count_words, **options))


def test_everything_has_every_needed_turn_and_none_has_no_turn() -> None:
    results = run_replay(arms(all="everything", none="none"), "free")
    assert [value(results["all", "free"], name) for name in ("recall", "complete", "token_share")] == [
        1,
        1,
        1,
    ]
    assert [value(results["none", "free"], name) for name in ("recall", "complete", "tokens")] == [0, 0, 0]
    assert value(results["none", "free"], "signal") is None
    assert results["none", "free"].gains["recall"].value == -1
    assert value(results["all", "free"], "signal") == 2 / 8


def test_matched_tokens_are_those_of_the_control_and_the_best_turns_fill_them() -> None:
    chosen = [*arms(last="last_k(k=3)"), fixed("best", (), {1: 0.4, 6: 0.3})]
    results = run_replay(chosen)
    assert ("last", "matched") not in results
    assert value(results["last", "free"], "tokens") == value(results["best", "matched"], "tokens") == 4 * SIZE
    assert value(results["last", "free"], "recall") == 0.5
    assert value(results["best", "matched"], "recall") == 1.0
    assert value(results["best", "free"], "recall") == 0.0
    assert results["best", "matched"].gains["recall"].interval == [0.5, 0.5]


def test_a_share_is_of_the_history_and_binds_sections_too() -> None:
    results = run_replay([*arms(last="alone:last_k(k=8)"), ArmSelector("budgeted", make_selector())], 0.5)
    assert value(results["last", 0.5], "token_share") == 0.5
    assert value(results["last", 0.5], "recall") == 0.5
    share = value(results["budgeted", 0.5], "token_share")
    assert share is not None
    assert 0 < share <= 0.5


def test_policies_without_a_ranking_fill_with_what_they_keep_then_with_the_newest() -> None:
    results = run_replay([fixed("fixed", (1,), ranked=False)], 0.5)
    assert value(results["fixed", 0.5], "recall") == 1.0, "turn 1, turn 0 that opens the list, and 7 and 6"


def test_a_selection_fills_its_budget_but_for_what_its_mode_drops() -> None:
    current = Turn.of("user", "TASK now")  # a mode that drops turns
    turns = (*make_set().conversations["c0"].turns[:8], current)
    case = Case("c", "c", 8, None, frozenset({1, 4}))
    own = RelevanceSet("own", {"c": Conversation("c", turns)}, (case,))
    selector = make_selector(policy=FixedPolicy((1,), {1: 0.05, 4: 0.15}, probabilities=True))
    results = rows(replay(own, [ArmSelector("own", selector)], [0.75], counter=count_words))
    assert value(results["own", 0.75], "tokens") == 6 * SIZE
    assert value(results["own", 0.75], "recall") == 0.5


def test_a_turn_whose_invariant_is_stated_instead_counts_as_sent() -> None:
    first = Turn.of("user", "It must be Python. " + "Here is a story about that. " * 40)
    talk = Conversation("c", (first, Turn.of("assistant", "Noted."), Turn.of("user", "Write it.")))
    own = RelevanceSet("own", {"c": talk}, (Case("c", "c", 2, None, frozenset({0})),))
    results = rows(replay(own, [ArmSelector("budgeted", make_selector())], [0.2], counter=count_words))
    assert value(results["budgeted", 0.2], "recall") == 1.0
    assert (value(results["budgeted", 0.2], "token_share") or 1) < 0.2


def test_a_window_and_a_later_question_are_replayed() -> None:
    windowed = rows(replay(make_set(window=3), arms(all="everything"), ["free"], counter=count_words))
    assert value(windowed["all", "free"], "tokens") == 3 * SIZE, "the window opens with an answer"
    assert value(windowed["all", "free"], "recall") == 1.0
    asked = make_set()
    case = Case("q", "c0", None, Turn.of("user", "which"), frozenset({8}))
    asked = RelevanceSet("own", asked.conversations, (case,))
    results = rows(replay(asked, arms(last="last_k(k=1)"), ["free"], counter=count_words))
    assert (value(results["last", "free"], "recall"), value(results["last", "free"], "tokens")) == (1.0, SIZE)


def test_random_turns_are_the_same_in_every_run() -> None:
    first, second = (replay(make_set(20), arms(any="random"), [0.5], counter=count_words) for _ in range(2))
    key = ("any", 0.5)
    assert (first.terms[key] == second.terms[key]).all()
    assert 0.2 < (value(rows(first)[key], "recall") or 0) < 0.8


@pytest.mark.parametrize(
    ("chosen", "budgets"), [(["a", "a"], ["free"]), ([], ["free"]), (["a"], [0.0]), (["a"], [1.5])]
)
def test_what_cannot_be_replayed_is_refused(chosen: list[str], budgets: list[Any]) -> None:
    selectors = [fixed(name) for name in chosen]
    with pytest.raises(ExperimentError):
        replay(make_set(), selectors, budgets)


# With a model


def repeat(messages: Messages) -> str:
    """Answer with all that was sent."""
    return " ".join(str(message["content"]) for message in messages)


def test_answers_are_tested_and_equal_messages_are_answered_once() -> None:
    model, tests = FunctionModel(repeat), {"c0": "WORD1", "c1": "word6"}
    chosen = arms(all="everything", same="last_k(k=8)", last="last_k(k=3)")
    results = run_replay(chosen, "free", model=model, check=check_by_tests(tests))
    assert value(results["all", "free"], "passed") == 1.0
    assert value(results["last", "free"], "passed") == 0.5
    assert results["last", "free"].gains["passed"].value == -0.5
    assert value(results["all", "free"], "without_errors") is None
    assert model.use.calls == 2 * len(make_set().cases)


def test_the_judge_sees_the_whole_conversation_and_finds_errors(store: Store) -> None:
    seen: list[Mapping[str, Any]] = []

    def judge(messages: Messages) -> str:
        seen.append(json.loads(messages[1]["content"]))
        return json.dumps(dict.fromkeys(ERROR_KINDS, "word1" not in seen[-1]["answer"]))

    check = check_by_judge(Judge(FunctionModel(judge)), Experiments(store))
    chosen = arms(all="everything", last="last_k(k=3)")
    results = run_replay(chosen, "free", model=FunctionModel(repeat), check=check)
    assert value(results["all", "free"], "without_errors") == 1.0
    assert value(results["last", "free"], "without_errors") == 0.0
    assert {len(each["messages"]) for each in seen} == {9}


def test_requests_that_the_model_does_not_answer_are_counted_and_left_out() -> None:
    def fail(messages: Messages) -> str:
        raise ModelError("no")

    result = replay(
        make_set(),
        arms(all="everything"),
        ["free"],
        model=FunctionModel(fail),
        check=check_by_tests({"c0": "x"}),
    )
    assert result.failed == 4
    assert value(rows(result)["all", "free"], "passed") is None


# Ablations


BY_WORDS = Settings(policy="bm25")


def test_ablations_compare_turns_modes_and_lengths() -> None:
    result = ablate(make_set(6), BY_WORDS, share=0.6)
    points = {(point.ablation, point.arm): point for point in result.points}
    assert result.outcome == "recall"
    recalls = [points["turns", arm].outcome.value for arm in ("all turns", "last 3", "last 1", "none")]
    assert recalls == [1.0, 0.5, 0.5, 0.0], "the last turn is an answer, sent with its question"
    tokens = [points["mode", arm].tokens.value or 0 for arm in ("mode", "random")]
    assert tokens[0] > 0
    whole = points["turns", "all turns"].tokens.value or 0
    assert max(tokens) <= 0.6 * whole
    assert {arm for ablation, arm in points if ablation == "length"} == {"sections", "bm25", "newest"}


def test_an_ablation_by_length_has_each_case_in_one_group() -> None:
    cases = tuple(
        Case(f"{id}-{turn}", id, turn, None, frozenset({0}))
        for id in ("c0", "c1", "c2")
        for turn in (2, 4, 6, 8)
    )
    own = RelevanceSet("own", make_set().conversations, cases)
    points = [p for p in ablate(own, BY_WORDS, ["length"]).points if p.arm == "newest"]
    assert len(points) == 3
    assert sum(point.cases for point in points) == len(cases)
    assert points[0].tokens.value < points[-1].tokens.value


# Commands


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_relevance_set(make_set(), tmp_path / "own.jsonl")
    return tmp_path / "own.jsonl"


def test_the_command_replays_sets(run: Run, file: Path) -> None:
    words = ("--arm", "all=everything", "--arm", "last=last_k(k=3)")
    code, out, _ = run("experiment", "replay", file, *words, "--budget", "free", "--budget", "0.5", "--json")
    assert code == 0
    (result,) = json.loads(out)["sets"]
    assert (result["set"], result["cases"], result["control"]) == ("own", 4, "all")
    assert [(row["arm"], row["budget"], row["recall"]) for row in result["rows"]] == [
        ("all", "free", 1.0),
        ("last", "free", 0.5),
        ("all", 0.5, 0.5),
        ("last", 0.5, 0.5),
    ]
    code, out, _ = run("experiment", "replay", file, *words)
    assert code == 0
    assert "matched" in out


def test_without_a_file_the_gold_labels_are_replayed(run: Run, store: Store) -> None:
    words = ("experiment", "replay", "--arm", "all=everything", "--json")
    assert run(*words)[0] == 1, "nothing is labelled yet"
    messages = [{"role": role, "content": role} for role in ("user", "assistant", "user")]
    convgate.feedback(messages, 0, relevant=True)
    code, out, _ = run(*words)
    assert (code, json.loads(out)["sets"][0]["rows"][0]["recall"]) == (0, 1.0)


def test_the_command_draws_ablations(run: Run, file: Path, tmp_path: Path) -> None:
    page = tmp_path / "charts.html"
    code, out, _ = run("experiment", "ablate", file, "--only", "turns", "--charts", page, "--json")
    assert code == 0
    assert json.loads(out)["sets"][0]["points"][0]["arm"] == "all turns"
    assert page.read_text().count("Plotly.newPlot(") == 1


@pytest.mark.parametrize(
    "words",
    [
        ("replay",),
        ("replay", "--arm", "everything"),
        ("replay", "--arm", "a=everything", "--budget", "half"),
        ("ablate", "--only", "colour"),
    ],
)
def test_wrong_usage(run: Run, file: Path, words: tuple[str, ...]) -> None:
    assert run("experiment", *words, file)[0] == 2
