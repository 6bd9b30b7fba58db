"""The list of versions: descent, data, metrics, what is in use, and what can be done with one click."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from convgate.core.errors import ConvgateError, GateError
from convgate.core.text import format_age
from convgate.embedding.base import EncoderIdentity
from convgate.gate.checkpoint import check_encoder
from convgate.ui.choosers import of_version
from convgate.ui.frame import App, show_problem
from convgate.ui.navigation import COMPARE
from convgate.ui.text import literal
from convgate.ui.versions import state
from convgate.ui.versions.manage import activate, draw_removal, pin
from convgate.ui.versions.words import data_words, headline_words, named
from convgate.versions.catalog import Listing, Versions
from convgate.versions.comparison import Descent, headline, lineage
from convgate.versions.version import Version

PER_PAGE = 10
DEEPEST = 4  # generations that are set in; what is further below says so in words


@dataclass(frozen=True)
class Shelf:
    """All versions with what is known about them together."""

    versions: Versions
    listing: Listing
    active: str | None
    baseline: str | None
    foreign: Mapping[str, str]  # by name, why it cannot be used with the encoder of the settings

    @property
    def by_name(self) -> dict[str, Version]:
        """The sound ones."""
        return {version.name: version for version in self.listing.versions}

    def reference(self, version: Version) -> Version | None:
        """What a version is compared with: the baseline, else its parent; None when neither is here."""
        here = self.by_name
        if self.baseline is not None and self.baseline != version.name:
            return here.get(self.baseline)
        parent = version.card.parent
        found = here.get(parent.name) if parent and self.baseline is None else None
        return found if found and found.as_parent() == parent else None


def read_shelf(app: App, versions: Versions) -> Shelf:
    """The versions as they are now; the encoder is loaded only when one of them was made for one."""
    listing = versions.listing()
    return Shelf(versions, listing, versions.active, versions.baseline, _foreign(app, listing.versions))


def draw_list(app: App, shelf: Shelf, number: int) -> None:
    """Draw the damaged versions, then page `number`, from 1, of the others."""
    for name, problem in shelf.listing.damaged.items():
        with st.container(border=True, key=f"damaged-{name}"):
            st.markdown(f":material/broken_image: {literal(problem[:1].upper() + problem[1:])}.")
            draw_removal(shelf.versions, name)
    if not shelf.listing.versions:
        st.info(
            "There is no version yet: the gate is untrained and ranks by similarity. Train one, or import one"
            " from a file below.",
            icon=":material/model_training:",
        )
        return
    places = lineage(shelf.listing.versions)
    number = min(number, max(1, -(-len(places) // PER_PAGE)))
    for place in places[(number - 1) * PER_PAGE : number * PER_PAGE]:
        _draw_row(app, shelf, place)
    state.page.draw_pages(len(places), PER_PAGE, number)


def draw_badges(shelf: Shelf, version: Version) -> None:
    """What a version is just now."""
    if version.name == shelf.active:
        st.badge("active", icon=":material/check_circle:", color="green")
    if version.name == shelf.baseline:
        st.badge("baseline", icon=":material/push_pin:", color="blue")
    if version.name in shelf.foreign:
        st.badge("another encoder", icon=":material/link_off:", color="orange")


def draw_actions(app: App, shelf: Shelf, version: Version, *, place: str) -> None:
    """The buttons of a version; `place` keeps those of the list from those of the card."""
    name, versions = version.name, shelf.versions
    reason = shelf.foreign.get(name)
    if name != shelf.active:
        st.button(
            "Activate", key=f"versions.{place}.activate.{name}", icon=":material/play_arrow:",
            on_click=activate, args=(app, name), disabled=reason is not None,
            help=literal(reason) if reason else "Use this version from now on, in the app and in programs.",
        )  # fmt: skip
    is_baseline = name == shelf.baseline
    st.button(
        "Unpin" if is_baseline else "Pin as baseline", key=f"versions.{place}.pin.{name}",
        icon=":material/push_pin:", on_click=pin, args=(app, versions, None if is_baseline else name),
        help="The baseline is what the metrics of all others are compared with.",
    )  # fmt: skip
    reference = shelf.reference(version)
    other = reference.name if reference else shelf.active
    if reason is None and other is not None and other != name:
        st.page_link(
            COMPARE, label="Compare", icon=":material/compare_arrows:",
            query_params={"policies": f"{of_version(other)}, {of_version(name)}"},
            help=f"Side by side with {literal(other)}",
        )  # fmt: skip


def _draw_row(app: App, shelf: Shelf, place: Descent) -> None:
    version, card = place.version, place.version.card
    depth = min(place.depth, DEEPEST)
    with st.container(border=True, key=f"version-in{depth}-{version.name}", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.button(
                named(version.name), key=f"versions.open.{version.name}", type="tertiary",
                on_click=state.change, kwargs={"version": version.name},
                help="All that is known about this version",
            )  # fmt: skip
            draw_badges(shelf, version)
        by = f" by {literal(card.who, limit=40)}" if card.who else ""
        st.caption(
            f"{parent_words(place, card.parent.name if card.parent else None)} · made {format_age(card.created)}{by}"
            f" · {data_words(card.data)}"
        )
        reference = shelf.reference(version)
        found = headline(version, reference)
        st.caption(headline_words(found, reference.name if reference else None))
        if card.note:
            st.caption(literal(card.note, limit=160))
        if reason := shelf.foreign.get(version.name):
            st.caption(f":material/link_off: Cannot be activated: {literal(reason)}.")
        with st.container(horizontal=True, gap="xsmall"):
            draw_actions(app, shelf, version, place="list")


def parent_words(place: Descent, parent: str | None) -> str:
    """Where a version comes from, in words.

    parent: the name in its card.
    """
    if parent is None:
        return "trained from the start"
    if place.parent is None:
        return f"child of {literal(parent, limit=64)}, which is not here"
    deep = f", generation {place.depth}" if place.depth > DEEPEST else ""
    return f":material/subdirectory_arrow_right: child of {literal(place.parent)}{deep}"


def _foreign(app: App, versions: Sequence[Version]) -> dict[str, str]:
    if not any(version.config.encoder for version in versions):
        return {}
    try:
        encoder = app.encoder().identity
    except ConvgateError as error:
        show_problem(error)
        return {}
    return {version.name: why for version in versions if (why := why_foreign(version, encoder))}


def why_foreign(version: Version, encoder: EncoderIdentity) -> str:
    """Why a version cannot be used with the encoder; empty when it can."""
    try:
        check_encoder(version.config, encoder)
    except GateError as error:
        return str(error)
    return ""
