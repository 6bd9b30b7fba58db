"""Versions from top to bottom: the steps, the last action, then all on the same labels, or a card."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import streamlit as st

from convgate.core.errors import GateError
from convgate.core.text import format_age, pluralize
from convgate.training.split import MIN_CONVERSATIONS
from convgate.ui.shared.actions import ActionResult, draw_result, run_action
from convgate.ui.shared.activation import activate, bold, roll_back
from convgate.ui.shared.annotator import annotator, name_words
from convgate.ui.shared.codecs import Codec
from convgate.ui.shared.frame import App, show_problem
from convgate.ui.shared.improvement import draw_improvement
from convgate.ui.shared.label_sources import (
    learned_from,
    pick_source,
    sources,
    usable,
)
from convgate.ui.shared.navigation import COMPARE, LABEL
from convgate.ui.shared.page_state import Address, StandaloneState, param
from convgate.ui.shared.policy_options import version_option
from convgate.ui.shared.text import literal
from convgate.ui.shared.training_curves import draw_epochs
from convgate.ui.versions.figures import CAUTION, DOUBT, FIGURES, measure_versions
from convgate.versions import check_name, is_name
from convgate.versions.card import Card
from convgate.versions.catalog import Listing, Versions
from convgate.versions.markdown import model_card
from convgate.versions.version import LIMITS, Version

_STYLE = Path(__file__).with_name("versions.css")
PER_PAGE = 10
_WIDTHS = (300, 106)  # px, of the first column and the others
_MAX_UPLOAD = sum(LIMITS.values()) >> 20  # MB


def _read(text: str) -> str:
    if not is_name(text):
        raise ValueError(text)
    return text


@dataclass(frozen=True)
class VersionsState(StandaloneState):
    """The list, or one version's card: ?version=mine."""

    version: str | None = param(None, Codec(str, _read, "a version's name"))  # whose card is open
    data: str | None = None  # the labels or set that versions are measured on; None: the labels
    page: int = 1  # of the list


page = Address("versions", VersionsState, bare=True)


def draw_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    known = sources(app)
    state = page.begin(data=known)
    versions = Versions(app.settings.home)
    version_list = VersionList(versions, versions.listing(), versions.active, versions.baseline)
    name = state.data if state.data in usable(known) else next(iter(usable(known)), None)
    names = [version.name for version in version_list.listing.versions]
    improvement = draw_improvement(app, "versions", learned_from(app, names, [name] if name else []))
    draw_result(page)
    if state.version is not None:
        _draw_version(app, version_list, state.version)
        return
    _draw_active(app, version_list)
    waiting = improvement.waiting if improvement.is_next("versions") else None
    draw_list(app, version_list, state.page, name, waiting)
    if len(usable(known)) > 1:
        pick_source(page, known, name, "Measured on")
    with st.expander("Import a version", icon=":material/upload_file:"):
        draw_import(version_list.versions)


def _draw_version(app: App, version_list: VersionList, name: str) -> None:
    st.button(
        "All versions", key="versions.back", icon=":material/arrow_back:", type="tertiary",
        on_click=page.change, kwargs={"version": None},
    )  # fmt: skip
    if (version := version_list.find(name)) is not None:
        draw_card(app, version_list, version)
    elif name in version_list.listing.damaged:
        show_problem(GateError(version_list.listing.damaged[name]))
        draw_delete(version_list.versions, name)
    else:
        st.info(f"There is no version {literal(name)}.", icon=":material/link_off:")


def _draw_active(app: App, version_list: VersionList) -> None:
    """Draw what is wrong with the active version, and the way back."""
    try:
        version_list.versions.find(None)
    except GateError as error:
        st.error(f"{literal(str(error))}. Or activate another version.", icon=":material/broken_image:")
    if (before := version_list.versions.previous) is not None:
        st.button(
            f"Roll back to {literal(before)}", key="versions.rollback", icon=":material/history:",
            on_click=run_action, args=(page, partial(roll_back, app)),
            help="Activate the version that was active before this one",
        )  # fmt: skip
    if version_list.active is None:
        st.markdown("Active version: none, so the gate is untrained.")
    if app.settings.version not in (None, version_list.active):
        st.warning(
            f"Your settings name the version {literal(str(app.settings.version))}, which overrides this page."
            " Remove `version` from them to activate versions here.",
            icon=":material/settings:",
        )


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


def draw_list(
    app: App, version_list: VersionList, number: int, data: str | None, waiting: str | None
) -> None:
    """Draw the damaged versions, then page `number`, from 1, of the others as a table.

    data: the labels or set that all are measured on. waiting: the version to activate next.
    """
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
    shown = versions[(number - 1) * PER_PAGE : number * PER_PAGE]
    active = version_list.find(version_list.active) if version_list.active else None
    figures, measured = measure_versions(app, shown, active, data) if data else ({}, "")
    if measured:
        st.markdown(f"{literal(measured)}.")
    with st.container(key="versions-table", gap="xsmall"):
        if figures:
            _draw_head()
        for version in shown:
            _draw_row(app, version_list, version, figures, is_next=version.name == waiting)
    if len(figures) > 1:
        st.caption(
            "Below each: the 95% interval, and the difference to the active version in points, bold where it"
            " is more than chance. Differences take labels of"
            f" {pluralize(MIN_CONVERSATIONS, 'conversation')}."
        )
    elif not figures:
        st.page_link(LABEL, label="Label some turns to measure versions on them", icon=":material/label:")
    page.draw_pages(len(versions), PER_PAGE, number)


def _draw_head() -> None:
    with st.container(horizontal=True, key="versions-head"):
        for number, text in enumerate(("Version", *FIGURES.values())):
            with st.container(key=f"versions-cell-head-{number}", width=_WIDTHS[bool(number)]):
                st.markdown(f":small[{text}]")


def draw_badges(version_list: VersionList, version: Version) -> None:
    """Draw what a version is at the moment."""
    if version.name == version_list.active:
        st.badge("active", icon=":material/check_circle:", color="green")
    if version.name == version_list.baseline:
        st.badge("baseline", icon=":material/push_pin:", color="gray")


def draw_buttons(app: App, version_list: VersionList, version: Version, *, is_next: bool = False) -> None:
    """Draw the buttons that the list and the card share; is_next: whether activating is the step to take."""
    name, active = version.name, version_list.active
    if name == active:
        return
    st.button(
        "Activate", key=f"versions.activate.{name}", icon=":material/play_arrow:", on_click=run_action,
        args=(page, partial(activate, app, name)), help="Use this version in the app and in programs",
        type="primary" if is_next else "secondary",
    )  # fmt: skip
    if active is not None:
        st.page_link(
            COMPARE, label="Compare", icon=":material/compare_arrows:", help=f"With {literal(active)}",
            query_params={"policies": f"{version_option(active)}, {version_option(name)}"},
        )  # fmt: skip


def origin_words(card: Card) -> str:
    """Return where a version comes from, its age and author, in a line."""
    who = name_words(card.who)
    age = f"created {format_age(card.created)}{f' by {literal(who, limit=40)}' if who else ''}"
    if card.parent is None:
        return age
    parent = literal(card.parent.name, limit=64)
    if card.parent.sha256 == card.weights_sha256:
        return f"{parent} with another threshold · {age}"
    return f"trained from {parent} · {age}"


def _draw_row(
    app: App,
    version_list: VersionList,
    version: Version,
    figures: Mapping[str, Mapping[str, str]],
    *,
    is_next: bool,
) -> None:
    key = "version-active" if version.name == version_list.active else f"version-of-{version.name}"
    own = figures.get(version.name, {})
    unmeasured = "not measured, so it may be worse than the active version" if version_list.active else ""
    doubt = own.get(DOUBT, "" if own else unmeasured) if is_next else ""
    with st.container(horizontal=True, vertical_alignment="center", key=key):
        with st.container(gap=None, width=_WIDTHS[False]):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.button(
                    bold(version.name), key=f"versions.open.{version.name}", type="tertiary",
                    on_click=page.change, kwargs={"version": version.name}, help="Open the card",
                )  # fmt: skip
                draw_badges(version_list, version)
            st.caption(origin_words(version.card))
            cautions = [text for text in (own.get(CAUTION), doubt) if text]
            if cautions and version.name != version_list.active:
                st.markdown(f":small[:material/warning: {'; '.join(cautions)}]")
        for metric in FIGURES if figures else ():
            with st.container(key=f"versions-cell-{version.name}-{metric}", width=_WIDTHS[True]):
                st.markdown(own.get(metric, "–"))
        draw_buttons(app, version_list, version, is_next=is_next and not doubt)


def draw_card(app: App, version_list: VersionList, version: Version) -> None:
    """Draw the card, with everything that can be done with the version."""
    card, name = version.card, version.name
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader(literal(name), anchor=False, width="content")
        draw_badges(version_list, version)
    st.caption(origin_words(card))
    is_intact = True
    try:
        version.files()
    except GateError as error:
        is_intact = False
        show_problem(error)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        draw_buttons(app, version_list, version)
        if is_intact:
            st.download_button(
                "Export", lambda: version_list.versions.export(name), file_name=f"{name}.zip",
                mime="application/zip", key="versions.export", on_click="ignore",
                icon=":material/download:", help="Download the version as one file",
            )  # fmt: skip
        if not version.shipped:
            draw_delete(version_list.versions, name)
    with st.container(key="versions-card"):
        st.markdown(_card_text(version))
    if card.training is not None:
        draw_epochs(card.training.curves)
        with st.expander("Settings and libraries", icon=":material/tune:"):
            st.json({**card.training.config, **card.training.libraries})


def _card_text(version: Version) -> str:
    """Return the card as Markdown, below its heading, without what only Streamlit's Markdown renders."""
    text = model_card(version).partition("\n\n")[2].replace("; settings and curves: see --json", "")
    return re.sub(r"([:$~_])", r"\\\1", text).replace("## ", "#### ")


def draw_delete(versions: Versions, name: str) -> None:
    """Draw the button that deletes, behind what depends on the version."""
    with st.popover("Delete", icon=":material/delete:"):
        uses = versions.uses(name)
        depends = f" It is {literal(uses)}." if uses else ""
        st.markdown(f"Delete {bold(name)}?{depends} This cannot be undone.")
        st.button(
            "Delete", key=f"versions.delete.{name}", type="primary", icon=":material/delete_forever:",
            on_click=run_action, args=(page, partial(_delete, versions, name, force=bool(uses))),
        )  # fmt: skip


def _delete(versions: Versions, name: str, *, force: bool = False) -> ActionResult:
    versions.delete(name, who=annotator(), force=force)
    page.change(version=None)
    return ActionResult(f"{bold(name)} was deleted.")


def draw_import(versions: Versions) -> None:
    """Draw the form that imports an exported version; it is checked before anything is kept."""
    with st.form("versions.import", border=False):
        file = st.file_uploader("Exported version", type="zip", max_upload_size=_MAX_UPLOAD)
        name = st.text_input(
            "Name", placeholder="As exported", max_chars=64, key="versions.import.name",
            help="Needed only when there is a version of that name already.",
        )  # fmt: skip
        is_pressed = st.form_submit_button("Import", icon=":material/upload_file:")
    if is_pressed and file is not None:
        run_action(page, partial(_import, versions, file.getvalue(), file.name, name.strip()))
        st.rerun()


def _import(versions: Versions, content: bytes, file_name: str, name: str) -> ActionResult:
    version = versions.import_(content, name=check_name(name) if name else None, where=file_name)
    page.change(version=version.name)
    sentence = f"{bold(version.name)} was imported. It is not active until you activate it."
    return ActionResult(sentence, partial(_delete, versions, version.name))
