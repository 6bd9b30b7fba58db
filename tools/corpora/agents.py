"""Sessions of agents, with the tool results that were needed later; no annotator is needed.

Claude Code, Codex, SWE-agent, tau-bench and every other format with tool results that convgate reads. A
later call or answer that repeats a path, a number, an error's line or two names, of 8 characters or more,
needed the one earlier result that shows them, if no other earlier result or message does. What several
results show and no message is ambiguous between them; so is a single name, which may be known. A result
which shows nothing rare cannot be labelled: neither is judged.

A case is a call of the model: relevant are the results before the current message that this or a later call
needs.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.core.text import pluralize
from convgate.transcripts.cases import Case, RelevanceSet
from convgate.transcripts.identity import make_ids_unique
from convgate.transcripts.problems import Problem, Problems
from convgate.transcripts.reading import ReadSummary, open_transcript

MIN_LENGTH, MAX_LENGTH = 8, 200  # characters of a rare string; longer ones are data such as base64
MAX_CASES, SEED = 120, 7  # cases of a session with more are drawn

_RUN = re.compile(r"[\w./~@#$-]+")
_NAME = re.compile(r"\w+")
_PLACE = re.compile(r"^(?:[^\s:]+:\d+:| *\d+(?:\t|→))")  # before a line that a search or a reader shows
_ERROR = re.compile(r"\b\w*(?:Error|Exception|Failure|FAILED|panic)\b:? .*")
_ERROR_CLASS = re.compile(r"[\w.]*(?:Error|Exception|Warning)")  # known to everybody, unlike its message
_MARKED = re.compile(r"\d|_|[a-z][A-Z]|^[/~]|\w[./]\w+[./]\w|\w\.[a-z]{1,5}$")
"""What plain words do not have, nor pairs of them such as input/output."""
_SURE = re.compile(r"[/\d ]")  # of paths, numbers and errors, unlike names

Turns = frozenset[int]


@dataclass(frozen=True)
class ResultLabels:
    """Which results of a conversation were needed, and until when; results and calls are indices of turns."""

    results: tuple[int, ...]
    needed_until: dict[int, int]  # by result: the last call or answer that needs it
    ambiguous_until: dict[int, int]  # by result: the last one that needs it or another
    without_rare_strings: Turns

    def at(self, call: int) -> tuple[Turns, Turns]:
        """Return the results that the call or a later one needs, and those of which it is known."""
        needed = frozenset(index for index, last in self.needed_until.items() if index < call <= last)
        unknown = {index for index, last in self.ambiguous_until.items() if call <= last} - needed
        known = frozenset(index for index in self.results if index < call) - self.without_rare_strings
        return needed, frozenset(known - unknown)


def label_results(conversation: Conversation) -> ResultLabels:
    """Return the labels of a conversation's tool results."""
    results = find_results(conversation)
    is_result = frozenset(results)
    shown: dict[str, dict[str, int]] = {}  # by string and line: the newest result that shows it
    said: set[str] = set()  # by users or the model
    with_rare: set[int] = set()
    needed: dict[int, int] = {}
    ambiguous: dict[int, int] = {}
    for index, turn in enumerate(conversation.turns):
        if index in is_result:
            for line in turn.text.splitlines():
                content = _PLACE.sub("", line).strip()
                for string in find_strings(line) - said:
                    shown.setdefault(string, {})[content] = index
                    with_rare.add(index)
            continue
        strings = {string for text in _texts(turn) for string in find_strings(text)}
        if turn.role == "assistant":
            own: dict[int, set[str]] = {}  # by result: what no other shows
            for string in strings - said:
                holders = set(shown.get(string, {}).values())
                if len(holders) == 1:
                    own.setdefault(holders.pop(), set()).add(string)
                else:
                    ambiguous.update(dict.fromkeys(holders, index))
            for holder, repeated in own.items():
                (needed if _is_evidence(repeated) else ambiguous)[holder] = index
        said |= strings
    return ResultLabels(results, needed, ambiguous, is_result - with_rare)


def _is_evidence(strings: set[str]) -> bool:
    """Return whether strings are read and not known or made up: a single name, as of a library, may be."""
    longest = [each for each in strings if not any(each in other for other in strings - {each})]
    return len(longest) > 1 or _SURE.search(longest[0]) is not None


def find_strings(text: str) -> set[str]:
    """Return the strings of a text by which a result can be recognised.

    >>> sorted(find_strings("ls src/app.py: KeyError in load_rows, tomorrow"))
    ['load_rows', 'src/app.py']
    """
    runs = {run.strip(".-#@") for run in _RUN.findall(text) if len(run) <= MAX_LENGTH}
    names = {name for run in runs for name in _NAME.findall(run)}
    ends = {run[match.end() :] for run in runs for match in re.finditer("/", run)}  # of paths
    errors = {match.strip("`\"' .") for match in _ERROR.findall(text)}
    marked = {string for string in runs | names | ends if _MARKED.search(string)}
    return {s for s in marked | errors if len(s) >= MIN_LENGTH and not _ERROR_CLASS.fullmatch(s)}


def _texts(turn: Turn) -> Iterator[str]:
    """Yield the text of a turn, and the texts among the arguments of its calls."""
    yield turn.text
    for call in turn.tool_calls:
        try:
            values = [json.loads(call.arguments)]
        except ValueError:
            values = [call.arguments]
        while values:
            value = values.pop()
            if isinstance(value, str):
                yield value
            elif isinstance(value, Mapping):
                values += value.values()
            elif isinstance(value, list):
                values += value


def find_results(conversation: Conversation) -> tuple[int, ...]:
    """Return the indices of the turns that are tool results.

    Older trajectories of SWE-agent have no tool messages: the observations are from the user, after the
    first answer.
    """
    turns = conversation.turns
    results = tuple(index for index, turn in enumerate(turns) if _is_result(turn))
    if results or conversation.format != "swe-agent":
        return results
    first = next((index for index, turn in enumerate(turns) if turn.role == "assistant"), len(turns))
    return tuple(index for index in range(first, len(turns)) if turns[index].role == "user")


def _is_result(turn: Turn) -> bool:
    return turn.role in ("tool", "function") or turn.tool_call_id is not None


def make_cases(conversation: Conversation, label: Callable[[int], tuple[Turns, Turns]]) -> Iterator[Case]:
    """Yield a case for each call of the model of whose earlier results any is known.

    label: returns the needed and the known results for a call, by the index of its turn.
    """
    for call, turn in enumerate(conversation.turns):
        if turn.role != "assistant" or not call or conversation.turns[call - 1].role == "assistant":
            continue
        needed, known = ({index for index in part if index < call - 1} for part in label(call))
        if known:
            id = f"{conversation.id}-{call}"
            yield Case(id, conversation.id, call - 1, None, frozenset(needed), judged=frozenset(known))


def read_agents(*paths: Path, skip_bad: bool = False) -> RelevanceSet:
    """Return the relevance set of session files, and of all in folders.

    The last of its problems is a warning with the counts of what was labelled and left out. Raises
    TranscriptError when no result can be labelled or, unless `skip_bad`, something is bad.
    """
    conversations: dict[str, Conversation] = {}
    drawn: list[Case] = []
    generator = random.Random(SEED)
    counts: Counter[str] = Counter()
    omitted: Counter[str] = Counter()
    used_ids: dict[str, int] = {}
    read: list[Problems] = []
    for path in paths:
        reader = open_transcript(path)
        for each in reader:
            conversation = make_ids_unique(each, used_ids, reader.report, None)
            labels = label_results(conversation)
            cases = list(make_cases(conversation, labels.at))
            counts += count_labels(labels)
            if not cases:
                reader.report.omit("session without labelled results")
                continue
            if len(cases) > MAX_CASES:
                reader.report.omit("case that is not drawn", len(cases) - MAX_CASES)
                cases = [cases[index] for index in sorted(generator.sample(range(len(cases)), MAX_CASES))]
            conversations[conversation.id] = conversation
            drawn += cases
        read.append(reader.close(skip_bad=skip_bad))
        omitted += reader.summary.omitted
    name = paths[0].name if len(paths) == 1 else f"{len(paths)} paths"
    if not drawn:
        raise TranscriptError("no tool result in it can be labelled", file=name)
    labelled = (
        f"of {pluralize(counts['results'], 'tool result')}: {counts['needed']:,} needed later,"
        f" {counts['not needed']:,} not, {counts['ambiguous']:,} ambiguous,"
        f" {counts['without']:,} without a rare string"
    )
    note = Problem(name, None, None, "; ".join([labelled, *ReadSummary(omitted=omitted).left_out]), "warning")
    n_errors = sum(problems.n_errors for problems in read)
    n_warnings = sum(problems.total for problems in read) - n_errors + 1
    problems = Problems([*chain.from_iterable(read), note], n_errors=n_errors, n_warnings=n_warnings)
    return RelevanceSet("agents", conversations, tuple(drawn), problems)


def count_labels(labels: ResultLabels) -> Counter[str]:
    """Return how many results are needed, not needed, ambiguous and without a rare string."""
    needed = labels.needed_until.keys()
    ambiguous = labels.ambiguous_until.keys() - needed
    without = labels.without_rare_strings - needed - ambiguous
    n_others = len(labels.results) - len(needed) - len(ambiguous) - len(without)
    counts = {
        "needed": len(needed),
        "not needed": n_others,
        "ambiguous": len(ambiguous),
        "without": len(without),
    }
    return Counter({"results": len(labels.results), **counts})
