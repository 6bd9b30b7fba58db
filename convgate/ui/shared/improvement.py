"""The way from answers to a better version, as a line over Label, Tune, Train and Versions.

    label 16 more conversations → threshold → train → compare → activate

One step is next; its button is the only primary one. What is missing before a result can be trusted, and all
warnings, stand here once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import streamlit as st

from convgate.core.text import pluralize
from convgate.labels.agreement import training_warnings
from convgate.labels.gold import gold_answers, labels_digest
from convgate.labels.weekly_agreement import calibration
from convgate.store import Store
from convgate.training.split import MIN_CONVERSATIONS as MIN_SUGGESTED
from convgate.ui.shared.explore_state import page
from convgate.ui.shared.frame import App
from convgate.ui.shared.label_sources import MIN_CONVERSATIONS
from convgate.ui.shared.navigation import LABEL, TRAIN, TUNE, VERSIONS
from convgate.ui.shared.text import literal
from convgate.versions.catalog import Versions
from convgate.versions.version import Version

StepName = Literal["label", "threshold", "train", "compare", "activate"]

STEPS: dict[StepName, str] = {
    "label": LABEL, "threshold": TUNE, "train": TRAIN, "compare": VERSIONS, "activate": VERSIONS,
}  # fmt: skip
"""The page of each step, in order."""

_LABELS = ("my labels", "labels")  # what the cards of tuned and trained versions call them
_WHY_SO_MANY = (
    f"From {MIN_SUGGESTED} labelled conversations on, Tune suggests a threshold, and Train compares a new"
    f" version with its parent. From {MIN_CONVERSATIONS} on, with a turn that a message needs in each, the"
    " promise is fitted to your labels. With fewer, all figures are rough."
)
_SUGGESTED = 3  # conversations to label first
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
        """How many more conversations it takes to trust a result."""
        return max(0, MIN_CONVERSATIONS - self.conversations)

    @property
    def can_label(self) -> bool:
        """Whether more conversations are missing, and the library has some; an empty one wants them first."""
        return bool(self.missing and (self.first or not self.conversations))

    @property
    def words(self) -> str:
        """What is missing and can be labelled, or how much is labelled."""
        if self.can_label:
            return f"label {pluralize(self.missing, 'more conversation')}"
        return pluralize(self.answers, "answer")

    @property
    def next(self) -> StepName | None:
        """The step to take now; None when all are taken."""
        if self.waiting:
            return "compare"
        if self.can_label:
            return "label"
        if not self.tuned and not self.missing:  # with fewer, no promise is fitted that could be saved
            return "threshold"
        return "train" if not self.trained and self.conversations >= MIN_SUGGESTED else None

    def is_next(self, step: StepName) -> bool:
        """Return whether the page of a step is the one to work on now."""
        return self.next is not None and STEPS[self.next] == STEPS[step]

    def is_done(self, step: StepName) -> bool:
        """Return whether nothing is left to do about a step."""
        done: dict[StepName, bool] = {
            "label": not self.can_label,
            "threshold": self.tuned,
            "train": self.trained,
            "compare": self.activated and not self.waiting,
            "activate": self.activated and not self.waiting,
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
    """Draw the line and what is missing, and return how far it is.

    warnings: those of the page, plain text, drawn with those that hold on all four pages.
    """
    st.html(_STYLE)
    improvement = read_improvement(app)
    following = improvement.next
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="improvement"):
        for step, path in STEPS.items():
            words = improvement.words if step == "label" else step
            icon = "check_circle" if improvement.is_done(step) else "radio_button_unchecked"
            if step == following:
                icon = "arrow_circle_right"
            label = f"**{words}**" if STEPS[step] == STEPS[here] else words
            st.page_link(path, label=label, icon=f":material/{icon}:", width="content")
        if following is not None and not improvement.is_next(here):
            _draw_next(following, improvement)
    _draw_missing(improvement, here)
    texts = list(warnings)
    if here == "train":  # what to know before training
        texts += [*training_warnings(app.store), *calibration(app.store).warnings]
    for text in dict.fromkeys(texts):
        st.markdown(f":small[:material/warning: {literal(text)}]")
    return improvement


def _draw_next(step: StepName, improvement: Improvement) -> None:
    labels: dict[StepName, str] = {
        "label": "Label the next turn",
        "threshold": "Choose a threshold",
        "train": "Train a version",
        "compare": f"Compare {literal(improvement.waiting or '')}",
    }
    if st.button(labels[step], key="improvement.next", type="primary", icon=":material/arrow_forward:"):
        st.switch_page(STEPS[step])


def _draw_missing(improvement: Improvement, here: StepName) -> None:
    """Draw where to begin, while it takes more to trust a result, or that the library has no more."""
    if not improvement.missing:
        return
    words = "To trust a result, label first:"
    if not improvement.first:
        words = f"To trust a result takes {pluralize(improvement.missing, 'more conversation')}: add some."
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="improvement-missing"):
        st.markdown(words, width="content", help=_WHY_SO_MANY)
        for key, title in improvement.first.items():
            label = literal(title, limit=26)
            if here == "label":  # a link of a page to itself is not followed
                st.button(
                    label, key=f"improvement.first.{key}", type="tertiary", on_click=_open, args=(key,)
                )  # fmt: skip
            else:
                st.page_link(LABEL, label=label, query_params={"conversation": key}, width="content")


def _open(key: str) -> None:
    page.show(page.now().open_conversation(key))
