"""The way from answers to a better version, as a line over Label, Tune, Train and Versions.

    Label → Tune → Train → Versions

One step is next; its button is the only primary one. What the next few labels give, and all warnings, stand
here once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import streamlit as st

from convgate.core.text import pluralize
from convgate.gate.promise import min_conversations
from convgate.gate.thresholds import MaxMissed
from convgate.labels.agreement import training_warnings
from convgate.labels.gold import gold_answers, labels_digest
from convgate.labels.weekly_agreement import calibration
from convgate.store import Store
from convgate.training.split import MIN_CONVERSATIONS as MIN_SUGGESTED
from convgate.ui.shared.frame import App
from convgate.ui.shared.label_sources import MIN_CONVERSATIONS
from convgate.ui.shared.navigation import LABEL, LIBRARY, TRAIN, TUNE, VERSIONS
from convgate.ui.shared.text import literal
from convgate.versions.catalog import Versions
from convgate.versions.version import Version

StepName = Literal["label", "tune", "train", "versions"]

STEPS: dict[StepName, str] = {"label": LABEL, "tune": TUNE, "train": TRAIN, "versions": VERSIONS}
"""The page of each step, in order."""

_LABELS = ("my labels", "labels")  # what the cards of tuned and trained versions call them
_GOALS = {
    1: "see where the gate contradicts you",
    MIN_SUGGESTED: "measure whether training helps",
    **{
        min_conversations(promise): f"promise at most {promise:.0%} missed"
        for promise in (0.1, 0.05, 0.03, MaxMissed().max_missed)
    },
}
"""What to do with so many labelled conversations, the first that are enough."""

_WHY_SO_MANY = "\n".join(
    ["Labelled conversations, with a turn that a message needs in each, and what they allow:\n"]
    + [f"- {count}: {gain}" for count, gain in _GOALS.items()]
    + ["\nWith few, all figures are rough."]
)
_SUGGESTED = 2  # conversations to label first
_OFFERED = 200  # of the newest, from which they are taken
_STYLE = Path(__file__).with_suffix(".css")


@dataclass(frozen=True)
class Improvement:
    """How far the way is gone."""

    answers: int = 0  # gold labels
    conversations: int = 0  # that have one, and where it says that a turn is relevant
    tuned: bool = False  # whether a version has a threshold that was chosen on the labels
    trained: bool = False
    waiting: str | None = None  # the newest version of one's own, when it was made after the active one
    activated: bool = False  # whether a version of one's own is active
    first: dict[str, str] = field(default_factory=dict)  # titles of conversations to label first, by key

    @property
    def missing(self) -> int:
        """How many more conversations it takes to the next goal; 0 when all are reached."""
        return min((goal - self.conversations for goal in _GOALS if goal > self.conversations), default=0)

    @property
    def can_label(self) -> bool:
        """Whether a goal is left, and the library has conversations for it, or nothing is labelled yet."""
        return bool(self.missing and (self.first or not self.conversations))

    @property
    def words(self) -> str:
        """The page's name, and how much is labelled."""
        return f"Label: {pluralize(self.answers, 'answer')}" if self.answers else "Label"

    @property
    def goal(self) -> str:
        """What to label next, and what that gives; empty when all goals are reached."""
        if not self.missing:
            return ""
        more = pluralize(self.missing, "more conversation" if self.conversations else "conversation")
        verb = "Label" if self.can_label else "Add"
        return f"{verb} {more} to {_GOALS[self.conversations + self.missing]}."

    @property
    def next(self) -> StepName | None:
        """The step to take now; None when all are taken."""
        if self.waiting:
            return "versions"
        if self.can_label:
            return "label"
        if not self.tuned and not self.missing:  # with fewer, no promise is fitted that could be saved
            return "tune"
        return "train" if not self.trained and self.conversations >= MIN_SUGGESTED else None

    def is_next(self, step: StepName) -> bool:
        """Return whether the page of a step is the one to work on now."""
        return self.next == step

    def is_done(self, step: StepName) -> bool:
        """Return whether nothing is left to do about a step."""
        done: dict[StepName, bool] = {
            "label": not self.can_label,
            "tune": self.tuned,
            "train": self.trained,
            "versions": self.activated and not self.waiting,
        }
        return done[step]


def read_improvement(app: App) -> Improvement:
    """Return how far the labels and versions of this library are."""
    counts = _count_by_conversation(app.store, str(app.store.path), labels_digest(app.store))
    versions = Versions(app.settings.home)
    own = [version for version in versions.listing().versions if _is_own(version)]
    active = versions.active
    since = max((change.when for change in versions.history if change.pointer == "active"), default=None)
    newest = max(own, key=lambda version: version.card.created, default=None)
    is_waiting = newest and newest.name != active and (since is None or newest.card.created > since)
    n_conversations = sum(count["relevant"] > 0 for count in counts.values())
    rows = app.conversations.find(per_page=_OFFERED).rows if n_conversations < MIN_CONVERSATIONS else ()
    unlabelled = {row.key: row.title for row in rows if row.key not in counts and row.turns > 2}
    return Improvement(
        answers=sum(count.total() for count in counts.values()),
        conversations=n_conversations,
        tuned=any(_is_tuned(version) for version in own),
        trained=any(not _is_tuned(version) for version in own),
        waiting=newest.name if newest and is_waiting else None,
        activated=any(version.name == active for version in own),
        first=dict(list(unlabelled.items())[:_SUGGESTED]),
    )


def _is_own(version: Version) -> bool:
    """Return whether it was tuned or trained on the labels."""
    return not version.shipped and any(each.name in _LABELS for each in version.card.data)


def _is_tuned(version: Version) -> bool:
    """Return whether it has its parent's weights."""
    parent = version.card.parent
    return parent is not None and parent.sha256 == version.card.weights_sha256


@st.cache_resource(max_entries=2, show_spinner=False)
def _count_by_conversation(_store: Store, path: str, digest: str) -> dict[str, Counter[str]]:
    """Return how many gold labels of each kind each conversation has, of those that have one."""
    counts: dict[str, Counter[str]] = {}
    for current, answers in gold_answers(_store).items():
        if decided := Counter(answer for answer in answers.values() if answer != "unsure"):
            counts.setdefault(current.conversation, Counter()).update(decided)
    return counts


def draw_improvement(app: App, here: StepName, warnings: Iterable[str] = ()) -> Improvement:
    """Draw the line and the next goal, and return how far it is.

    warnings: those of the page, plain text, drawn with those that hold on all four pages.
    """
    st.html(_STYLE)
    improvement = read_improvement(app)
    following = improvement.next
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="improvement"):
        for step, path in STEPS.items():
            words = improvement.words if step == "label" else step.capitalize()
            icon = "check_circle" if improvement.is_done(step) else "radio_button_unchecked"
            if step == following:
                icon = "arrow_circle_right"
            label = f"**{words}**" if step == here else words
            st.page_link(path, label=label, icon=f":material/{icon}:", width="content")
        if goal := improvement.goal:
            st.markdown(f":small[{goal}]", width="content", help=_WHY_SO_MANY)
        if not improvement.is_next(here):
            draw_next(improvement)
    texts = list(warnings)
    if here == "train":  # what to know before training
        texts += [*training_warnings(app.store), *calibration(app.store).warnings]
    if texts:
        lines = [f":small[:material/warning: {literal(text)}]" for text in dict.fromkeys(texts)]
        st.markdown("  \n".join(lines))
    return improvement


def draw_next(improvement: Improvement) -> None:
    """Draw the button to the step to take now, or to more conversations; nothing when all is done."""
    step = improvement.next
    if step is None and not improvement.missing:
        return
    labels: dict[StepName, str] = {
        "label": "Label the next turn",
        "tune": "Choose a threshold",
        "train": "Train a version",
        "versions": f"Compare {literal(improvement.waiting or '')}",
    }
    label, path = (labels[step], STEPS[step]) if step else ("Add conversations", LIBRARY)
    if st.button(label, key="improvement.next", type="primary", icon=":material/arrow_forward:"):
        st.switch_page(path)
