"""The truth of generated runs as a relevance set, and how right the corpus converter's labels are on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from convgate.core.conversation import Conversation
from convgate.transcripts.cases import Case, RelevanceSet
from convgate.transcripts.reading import read_text
from tools.agent_runs.run import AgentRun
from tools.corpora.agents import Turns, find_results, label_results, make_cases


@dataclass(frozen=True)
class LabelFigures:
    """Pairs of a call and an earlier result, by what the converter says and what is true."""

    n_right: int = 0  # labelled as needed, and needed
    n_wrong: int = 0  # labelled as needed, and not needed
    n_missed: int = 0  # labelled as not needed, and needed
    n_rejected: int = 0  # labelled as not needed, and not needed
    n_unlabelled_needed: int = 0
    n_unlabelled: int = 0  # the needed ones among them

    def __add__(self, other: LabelFigures) -> LabelFigures:
        return LabelFigures(*(mine + its for mine, its in zip(self._counts, other._counts, strict=True)))

    @property
    def precision(self) -> float:
        """The share of what is labelled as needed that is needed."""
        return self.n_right / max(1, self.n_right + self.n_wrong)

    @property
    def recall(self) -> float:
        """The share of all that is needed that is labelled so."""
        return self.n_right / max(1, self.n_right + self.n_missed + self.n_unlabelled_needed)

    @property
    def not_needed_precision(self) -> float:
        """The share of what is labelled as not needed that is not needed."""
        return self.n_rejected / max(1, self.n_rejected + self.n_missed)

    @property
    def labelled_share(self) -> float:
        """The share of pairs with a label."""
        return 1 - self.n_unlabelled / max(1, sum(self._counts) - self.n_unlabelled_needed)

    @property
    def _counts(self) -> tuple[int, ...]:
        return (
            self.n_right,
            self.n_wrong,
            self.n_missed,
            self.n_rejected,
            self.n_unlabelled_needed,
            self.n_unlabelled,
        )


def read_run(run: AgentRun) -> Conversation:
    """Return the run as the reader of Claude Code's sessions gives it."""
    return read_text(run.session_lines()).conversations[0]


def true_labels(run: AgentRun, conversation: Conversation) -> Callable[[int], tuple[Turns, Turns]]:
    """Return a function from a call, by its turn, to the results needed from there on, and all earlier."""
    turns, results = conversation.turns, find_results(conversation)
    calls = [index for index, turn in enumerate(turns) if turn.role == "assistant"]
    numbers = {index: number for number, index in enumerate(calls)}

    def label(call: int) -> tuple[Turns, Turns]:
        ids = run.needed_from(numbers[call])
        earlier = [index for index in results if index < call]
        return frozenset(index for index in earlier if turns[index].tool_call_id in ids), frozenset(earlier)

    return label


def true_set(runs: Iterable[AgentRun], name: str) -> RelevanceSet:
    """Return the runs with a case for each call that has earlier results, of which all are judged."""
    conversations: dict[str, Conversation] = {}
    cases: list[Case] = []
    for run in runs:
        conversation = conversations[run.id] = read_run(run)
        cases += make_cases(conversation, true_labels(run, conversation))
    return RelevanceSet(name, conversations, tuple(cases))


def measure_labels(run: AgentRun) -> LabelFigures:
    """Compare the converter's labels of a run with the truth."""
    conversation = read_run(run)
    labels, truth = label_results(conversation), true_labels(run, conversation)
    figures = LabelFigures()
    for call, turn in enumerate(conversation.turns):
        if turn.role == "assistant":
            labelled, known = labels.at(call)
            needed, every = truth(call)
            rejected, unlabelled = known - labelled, every - known
            figures += LabelFigures(
                len(labelled & needed),
                len(labelled - needed),
                len(rejected & needed),
                len(rejected - needed),
                len(unlabelled & needed),
                len(unlabelled),
            )
    return figures
