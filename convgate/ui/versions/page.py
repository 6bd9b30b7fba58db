"""Versions from top to bottom: the last action, what is active, then the list or a card."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import streamlit as st

from convgate.core.errors import GateError
from convgate.core.text import format_age, format_number, format_share, format_signed, pluralize
from convgate.ui.shared.actions import ActionResult, draw_result, run_action
from convgate.ui.shared.activation import activate, bold, roll_back, set_baseline
from convgate.ui.shared.annotator import person
from convgate.ui.shared.codecs import Codec
from convgate.ui.shared.frame import App, show_problem
from convgate.ui.shared.navigation import COMPARE
from convgate.ui.shared.page_state import Address, StandaloneState, param
from convgate.ui.shared.policy_options import version_option
from convgate.ui.shared.text import literal
from convgate.ui.shared.training_curves import draw_epochs
from convgate.versions import check_name, is_name
from convgate.versions.card import Card
from convgate.versions.catalog import Listing, Versions
from convgate.versions.comparison import Figure, Headline, headline
from convgate.versions.markdown import model_card
from convgate.versions.version import LIMITS, Version

_STYLE = Path(__file__).with_name("versions.css")
PER_PAGE = 10
_SHORT_NAMES = {"map": "MAP", "f1": "F1", "kept_token_share": "tokens kept"}
_MAX_UPLOAD = sum(LIMITS.values()) >> 20  # MB


def _read(text: str) -> str:
    if not is_name(text):
        raise ValueError(text)
    return text


@dataclass(frozen=True)
class VersionsState(StandaloneState):
    """The list, or one version's card: ?version=mine."""

    version: str | None = param(None, Codec(str, _read, "a version's name"))  # whose card is open
    page: int = 1  # of the list


page = Address("versions", VersionsState, bare=True)


def draw_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    state = page.begin()
    draw_result(page)
    versions = Versions(app.settings.home)
    version_list = VersionList(versions, versions.listing(), versions.active, versions.baseline)
    if state.version is not None:
        _draw_version(app, version_list, state.version)
        return
    _draw_active(app, version_list)
    draw_list(app, version_list, state.page)
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
    """Draw which version is active, and the way back."""
    try:
        version_list.versions.find(None)
    except GateError as error:
        st.error(f"{literal(str(error))}. Or activate another version.", icon=":material/broken_image:")
    before = version_list.versions.previous
    with st.container(horizontal=True, vertical_alignment="center"):
        active = bold(version_list.active) if version_list.active else "none, so the gate is untrained"
        st.markdown(f"Active version: {active}.", width="stretch")
        if before is not None:
            st.button(
                f"Roll back to {literal(before)}", key="versions.rollback", icon=":material/history:",
                on_click=run_action, args=(page, partial(roll_back, app)),
                help="Activate the version that was active before this one",
            )  # fmt: skip
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
    """Return where a version comes from, its age and author, in a line."""
    by = f" by {literal(card.who, limit=40)}" if card.who else ""
    age = f"created {format_age(card.created)}{by}"
    if card.parent is None:
        return f"{age} · {pluralize(len(card.data), 'data set')}"
    parent = literal(card.parent.name, limit=64)
    if card.parent.sha256 == card.weights_sha256:
        return f"{parent} with another threshold · {age}"
    return f"trained from {parent} · {age} · {pluralize(len(card.data), 'data set')}"


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
    with st.container(horizontal=True, gap="xsmall"):
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
    versions.delete(name, who=person(), force=force)
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
