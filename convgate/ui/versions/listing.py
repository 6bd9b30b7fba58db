"""The list of versions: what each was trained on, its metrics, its buttons."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import streamlit as st

from convgate.core.text import format_age, format_number, format_share, format_signed, pluralize
from convgate.ui.shared.actions import run_action
from convgate.ui.shared.activation import activate, bold, set_baseline
from convgate.ui.shared.frame import App
from convgate.ui.shared.navigation import COMPARE
from convgate.ui.shared.policy_options import version_option
from convgate.ui.shared.text import literal
from convgate.ui.versions.actions import draw_delete
from convgate.ui.versions.state import page
from convgate.versions.card import Card
from convgate.versions.catalog import Listing, Versions
from convgate.versions.comparison import Figure, Headline, headline
from convgate.versions.version import Version

PER_PAGE = 10
_SHORT_NAMES = {"map": "MAP", "f1": "F1", "kept_token_share": "tokens kept"}


@dataclass(frozen=True)
class VersionList:
    """All versions, and which of them is active and the baseline."""

    versions: Versions
    listing: Listing
    active: str | None
    baseline: str | None

    def find(self, name: str) -> Version | None:
        """Return the version of that name; None without one, or when it is damaged."""
        return next((version for version in self.listing.versions if version.name == name), None)

    def reference(self, version: Version) -> Version | None:
        """Return what a version is compared with: the baseline, else its parent; None without either."""
        if self.baseline is not None:
            return self.find(self.baseline) if self.baseline != version.name else None
        parent = version.card.parent
        candidate = self.find(parent.name) if parent else None
        return candidate if candidate and candidate.as_parent() == parent else None


def draw_list(app: App, version_list: VersionList, number: int) -> None:
    """Draw the damaged versions, then page `number`, from 1, of the others."""
    for name, problem in version_list.listing.damaged.items():
        with st.container(border=True, key=f"damaged-{name}"):
            st.markdown(f":material/broken_image: {literal(problem[:1].upper() + problem[1:])}.")
            draw_delete(version_list.versions, name)
    versions = version_list.listing.versions
    if not versions:
        st.info(
            "There is no version yet: the gate is untrained and ranks by similarity. Import one below.",
            icon=":material/model_training:",
        )
        return
    number = min(number, -(-len(versions) // PER_PAGE))
    for version in versions[(number - 1) * PER_PAGE : number * PER_PAGE]:
        _draw_row(app, version_list, version)
    page.draw_pages(len(versions), PER_PAGE, number)


def draw_badges(version_list: VersionList, version: Version) -> None:
    """Draw what a version is at the moment."""
    if version.name == version_list.active:
        st.badge("active", icon=":material/check_circle:", color="green")
    if version.name == version_list.baseline:
        st.badge("baseline", icon=":material/push_pin:", color="gray")


def draw_buttons(app: App, version_list: VersionList, version: Version) -> None:
    """Draw the buttons that the list and the card share."""
    name = version.name
    if name != version_list.active:
        st.button(
            "Activate", key=f"versions.activate.{name}", icon=":material/play_arrow:", on_click=run_action,
            args=(page, partial(activate, app, name)), help="Use this version in the app and in programs",
        )  # fmt: skip
    is_baseline = name == version_list.baseline
    st.button(
        "Remove as baseline" if is_baseline else "Set as baseline", key=f"versions.baseline.{name}",
        icon=":material/push_pin:", on_click=run_action,
        args=(page, partial(set_baseline, app, None if is_baseline else name)),
        help="The metrics of all other versions are compared with the baseline.",
    )  # fmt: skip
    reference = version_list.reference(version)
    other = reference.name if reference else version_list.active
    if other is not None and other != name:
        st.page_link(
            COMPARE, label=f"Compare with {literal(other)}", icon=":material/compare_arrows:",
            query_params={"policies": f"{version_option(other)}, {version_option(name)}"},
        )  # fmt: skip


def origin_words(card: Card) -> str:
    """Return parent, age, author and number of data sets of a version, in a line."""
    parent = f"trained from {literal(card.parent.name, limit=64)}" if card.parent else "no parent"
    by = f" by {literal(card.who, limit=40)}" if card.who else ""
    return f"{parent} · created {format_age(card.created)}{by} · {pluralize(len(card.data), 'data set')}"


def headline_words(metrics: Headline | None, reference: str | None) -> str:
    """Return the main metrics in a line, with their differences from the reference.

    >>> figures = Figure("f1", 0.8, 0.02), Figure("kept_token_share", 0.0019, -0.013)
    >>> headline_words(Headline("mine", figures, 2), "base")
    'mine: F1 0.80 (+0.02) · tokens kept 0.2% (−1.3 points) · compared with base'
    """
    if metrics is None:
        return "not measured"
    line = f"{literal(metrics.set, limit=40)}: {' · '.join(map(_figure_words, metrics.figures))}"
    return f"{line} · compared with {literal(reference)}" if reference and metrics.compared else line


def _figure_words(figure: Figure) -> str:
    is_share = figure.name == "kept_token_share"  # in percent: of long conversations it is far below 0.01
    value = format_share(figure.value) if is_share else format_number(figure.value)
    words = f"{_SHORT_NAMES[figure.name]} {value}"
    if figure.delta is None:
        return words
    delta = f"{format_signed(100 * figure.delta, 1)} points" if is_share else format_signed(figure.delta)
    return f"{words} ({delta}{'' if figure.sure else ', may be chance'})"


def _draw_row(app: App, version_list: VersionList, version: Version) -> None:
    with st.container(border=True, key=f"version-{version.name}", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.button(
                bold(version.name), key=f"versions.open.{version.name}", type="tertiary",
                on_click=page.change, kwargs={"version": version.name}, help="Open the card",
            )  # fmt: skip
            draw_badges(version_list, version)
        reference = version_list.reference(version)
        st.caption(origin_words(version.card))
        st.caption(headline_words(headline(version, reference), reference.name if reference else None))
        with st.container(horizontal=True, gap="xsmall"):
            draw_buttons(app, version_list, version)
