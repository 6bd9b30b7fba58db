"""The state of a page: one frozen dataclass, kept between reruns and written to the address.

A page's `PageState` declares its fields, their types and defaults; a field's type decides its codec.
Callbacks change the state through `Address.change`. Each run writes the address. It is read only when the
page is opened or gone back to, since any other run may carry an address from before the last one was
written. All pages share the open conversation and its current message.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, NamedTuple, Self, TypeVar, get_type_hints

import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.ui.shared.codecs import TURN, Codec, codec_of, words
from convgate.ui.shared.session_state import drawn_page, put, went_back
from convgate.ui.shared.text import literal

LONGEST_QUESTION = 4_000
"""Max characters of a question in an address; browsers and proxies cut longer addresses."""


def param(
    start: Any = None,
    codec: Codec | None = None,
    *,
    name: str = "",
    of_conversation: bool = False,
    on: Collection[str] = (),
    of_part: bool = False,
) -> Any:
    """Declare a field of a page state with its default; without a codec, its type decides.

    name: in addresses, if different. of_conversation: reset when a conversation opens. on: the titles of the
    only pages that have it in their address. of_part: what a part of the page shows; it is in links, and not
    in the page's address, where each change would take a press of "back".
    """
    metadata = {"codec": codec, "name": name, "of_conversation": of_conversation, "on": on, "part": of_part}
    return field(default=start, metadata=metadata)


class _Parameter(NamedTuple):
    field: str
    name: str  # in addresses
    codec: Codec
    start: Any
    of_conversation: bool
    on: Collection[str]
    of_part: bool


def _parameters(kind: type[PageState]) -> tuple[_Parameter, ...]:
    types = get_type_hints(kind)
    return tuple(
        _Parameter(
            item.name,
            item.metadata.get("name") or item.name,
            item.metadata.get("codec") or codec_of(types[item.name]),
            item.default,
            bool(item.metadata.get("of_conversation")),
            item.metadata.get("on", ()),
            bool(item.metadata.get("part")),
        )
        for item in fields(kind)
    )


@dataclass(frozen=True)
class PageState:
    """The open conversation and its current message; pages add their own fields."""

    conversation: str | None = None
    turn: int | None = param(None, TURN, of_conversation=True)  # None: the one that a model would answer
    question: str = param(  # in place of a turn
        "", words(LONGEST_QUESTION), name="ask", of_conversation=True, on=("Explore", "Label", "Compare")
    )

    def to_query(self, page: str | None = None) -> dict[str, str]:
        """Return the parameters of a link, or of a page's own address; defaults are left out."""
        values = (
            (parameter, getattr(self, parameter.field))
            for parameter in _parameters(type(self))
            if page is None or (page in (parameter.on or (page,)) and not parameter.of_part)
        )
        return {
            parameter.name: parameter.codec.write(value)
            for parameter, value in values
            if value is not None and value != parameter.start
        }

    @classmethod
    def from_query(cls, query: Mapping[str, str], page: str | None = None) -> tuple[Self, list[str]]:
        """Return the state of an address, and a message for each invalid parameter; page: as `to_query`."""
        values, problems = {}, []
        for name, written, codec, _, _, on, _ in _parameters(cls):
            if (text := query.get(written)) is None or (page is not None and page not in (on or (page,))):
                continue
            try:
                values[name] = codec.read(text)
            except ConvgateError as error:
                problems.append(f"The address says {written}={text[:40]}: {error}.")
            except (ValueError, OverflowError):
                problems.append(f"The address says {written}={text[:40]}, which is not {codec.expected}.")
        if values.get("question"):
            values.pop("turn", None)
        return cls(**values), problems

    def open_conversation(self, conversation: str) -> Self:
        """Return the state on a conversation as it is shown first; what is not of a conversation stays."""
        starts = {item.field: item.start for item in _parameters(type(self)) if item.of_conversation}
        return replace(self, **{**starts, "conversation": conversation})

    @property
    def follows_open(self) -> bool:
        """Whether a state without a conversation shows the open one."""
        return True

    def drop_unknown(self, n_turns: int | None, **known: Collection[str]) -> tuple[Self, list[str]]:
        """Return the state without turns from `n_turns` on and unknown names, and a message for each.

        known: the names that a field may have; of a policy option, that without its parameters.
        """
        changes: dict[str, Any] = {}
        problems = []
        for name, written, codec, start, *_ in _parameters(type(self)):
            value = getattr(self, name)
            if codec.is_turn and n_turns is not None and value is not None and value >= n_turns:
                changes[name] = start
                problems.append(
                    f"The address names turn {value + 1:,}, but this conversation has {n_turns:,}."
                )
            if name not in known or value in (None, start):
                continue
            names = value if isinstance(value, tuple) else (value,)
            if unknown := [item for item in names if not {item, item.partition("(")[0]} & {*known[name]}]:
                rest = tuple(item for item in names if item not in unknown)
                changes[name] = rest if isinstance(value, tuple) else start
                listed = ", ".join(item[:40] for item in unknown)
                problems.append(f"The address says {written}={listed}, which does not exist.")
        return replace(self, **changes), problems


@dataclass(frozen=True)
class StandaloneState(PageState):
    """The state of a page that is about no single conversation.

    Opened by its plain address, it stays there: another one would take a press of "back" of its own.
    """

    @property
    def follows_open(self) -> bool:
        """Never."""
        return False


S = TypeVar("S", bound=PageState)

_OPEN = "app.open"  # the open conversation, turn and question
_OPEN_FIELDS = ("conversation", "turn", "question")
_UNREAD = "address.unread"  # whether the page was arrived at, and its address is not kept yet


def begin_reading() -> None:
    """Have the page that is about to be drawn read its address."""
    st.session_state[_UNREAD] = True


class Address(Generic[S]):
    """The state of one page between reruns.

    bare: opened without parameters, the page begins anew; else it shows its last state again. The way back
    within the page leads to what its address says.
    """

    def __init__(self, page: str, kind: type[S], *, bare: bool = False) -> None:
        self.name = page
        self.key = f"{page}.state"  # in the session state
        self._kind, self._bare = kind, bare
        self._touched = f"{page}.touched"

    def current(self) -> tuple[S, list[str]]:
        """Return the state of this run, and what is wrong with its address."""
        last: S | None = st.session_state.get(self.key)
        query = st.query_params.to_dict()
        is_plain = not query and went_back()
        if last is not None and query.keys() - {item.name for item in _parameters(self._kind)}:
            query = {}  # `st.switch_page` puts the address of the next page on an entry of the one it leaves
        is_unread = st.session_state.get(_UNREAD, True)
        st.session_state.pop(self._touched, None)
        problems: list[str] = []
        if last is None or (is_unread and (query or self._bare or is_plain)):
            state, problems = self._read(query, last)
            if "conversation" not in query:
                state = _start_on_open(state)
        else:
            state = _follow(last) if is_unread else last
        st.session_state[self.key] = state
        return state, problems

    def _read(self, query: Mapping[str, str], last: S | None) -> tuple[S, list[str]]:
        # A link to a conversation keeps the settings; the way back within the page has those of its address.
        if last is not None and not went_back() and set(query) == {"conversation"} and query["conversation"]:
            state, problems = last.open_conversation(query["conversation"]), list[str]()
        else:
            state, problems = self._kind.from_query(query, drawn_page())
        if last is not None and last.conversation == state.conversation:
            shown = {name: getattr(last, name) for name, written in self._parts() if written not in query}
            state = replace(state, **shown)
        return state, problems

    def _parts(self) -> list[tuple[str, str]]:
        """Return the fields that a part of this page shows, with their names in links."""
        parameters = _parameters(self._kind)
        return [(item.field, item.name) for item in parameters if item.of_part and drawn_page() in item.on]

    def now(self) -> S:
        """Return the state; in a run, after it was kept."""
        state: S = st.session_state[self.key]
        return state

    def change(self, **values: Any) -> None:
        """Change fields of the state; for callbacks.

        Lists return to their first page, and another current message has no turn selected, unless given.
        """
        resets = {"page", "selected"} if values.keys() & {"turn", "question"} else {"page"}
        starts = {item.field: item.start for item in _parameters(self._kind) if item.field in resets}
        self.show(replace(self.now(), **(starts | values)))

    def control(self, name: str, value: Any = ..., *, none: Any = None, **also: Any) -> dict[str, Any]:
        """Return the arguments that bind a control to a field: `st.toggle("A", **page.control("a"))`.

        value: shown in place of the field's. none: the control's value for None. also: other fields that a
        change of the control sets.
        """
        key = f"{self.name}.{name}"
        value = getattr(self.now(), name) if value is ... else value
        put(key, none if value is None else list(value) if isinstance(value, tuple) else value)
        return {"key": key, "on_change": self._take, "args": (name, key, none), "kwargs": also}

    def _take(self, name: str, key: str, none: Any, **also: Any) -> None:
        value = st.session_state[key]
        value = None if value == none else tuple(value) if isinstance(value, list) else value
        self.change(**{name: value, **also})

    def draw_choice(self, name: str, label: str, options: Mapping[str, str], value: Any = ...) -> None:
        """Draw the choice of a field's value, as `control`; options: their texts. The label is not shown."""
        st.segmented_control(
            label, list(options), format_func=options.__getitem__, required=True,
            label_visibility="collapsed", **self.control(name, value),
        )  # fmt: skip

    def draw_pages(self, count: int, per_page: int, shown: int) -> None:
        """Draw the pagination of a list with more than one page."""
        pages = -(-count // per_page)
        if pages > 1:
            # The key contains the page, because a filter or a link may change it too.
            key = f"{self.name}.page.{shown}.{pages}"
            with st.container(horizontal_alignment="center"):
                st.pagination(pages, default=shown, key=key, on_change=self._take, args=("page", key, None))

    def select(self, turn: int | None) -> None:
        """Select a turn (0-based), if there is one; lists stay on their page. For callbacks."""
        if turn is not None:
            values: dict[str, Any] = {"selected": turn}  # a field that only some pages have
            self.show(replace(self.now(), **values))

    def show(self, state: S) -> None:
        """Show that state from now on; for callbacks."""
        self._store(state)
        st.session_state[_UNREAD] = False
        self.touched()

    def touched(self) -> None:
        """Have the whole page drawn after a callback of a fragment."""
        st.session_state[self._touched] = True

    def rerun_after_action(self) -> None:
        """Draw the whole page when an action caused this run of a fragment; the first call of a fragment."""
        if st.session_state.get(self._touched):  # a run of the whole page took it before
            st.rerun()

    def begin(self, **known: Collection[str]) -> S:
        """Return the state of this run with only known names, kept; draw what is wrong with its address."""
        state, problems = self.current()
        state, unknown = state.drop_unknown(None, **known)
        self.keep(state, [*problems, *unknown])
        return state

    def keep(self, state: S, problems: Iterable[str] = ()) -> None:
        """Keep the state for the next run and in the address; its conversation is open on all pages.

        problems: what is wrong with the address, drawn.
        """
        self._store(state)
        parts = {written for _, written in self._parts()}
        shown = {name: text for name, text in st.query_params.to_dict().items() if name not in parts}
        if shown != (query := state.to_query(drawn_page())):
            st.query_params.from_dict(query)
        st.session_state[_UNREAD] = False
        for problem in problems:
            st.warning(literal(problem), icon=":material/link_off:")

    def _store(self, state: S) -> None:
        st.session_state[self.key] = state
        if state.conversation is not None:
            st.session_state[_OPEN] = {name: getattr(state, name) for name in _OPEN_FIELDS}


def _open_fields(state: PageState) -> dict[str, Any]:
    """Return the fields of what is open; none when the page shows something of its own."""
    return st.session_state.get(_OPEN, {}) if state.follows_open else {}


def _start_on_open(state: S) -> S:
    """Return a state that names no conversation, on the open one."""
    opened = _open_fields(state)
    if opened and (state.turn is not None or state.question):
        opened = {"conversation": opened["conversation"]}
    return replace(state, **opened)


def _follow(state: S) -> S:
    """Return the last state of a page, on what is open now."""
    opened = _open_fields(state)
    if opened and state.conversation != opened["conversation"]:
        state = state.open_conversation(opened["conversation"])
    changes = {name: value for name, value in opened.items() if getattr(state, name) != value}
    if changes and hasattr(state, "selected"):
        changes["selected"] = None
    return replace(state, **changes)
