"""What a page shows, as one frozen dataclass that an address can carry; the same for all pages.

A page's `PageState` names its fields, their types and starts; the codec of a field follows from its type.
`Address` keeps the state between reruns. What a person does goes through `Address.change`, in callbacks; the
address is written at the end of a run, and read again only when it says something that was not written here:
a link, or the browser's way back. The conversation that is open and its current message are the same on all
pages.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from types import NoneType
from typing import Any, Generic, Literal, Protocol, Self, TypeVar, cast, get_args, get_origin, get_type_hints

import streamlit as st

from convgate.core.conversation import Conversation
from convgate.core.errors import ConvgateError
from convgate.ui import state
from convgate.ui.text import literal

LONGEST_QUESTION = 4_000
"""Characters of a question that an address carries; browsers and proxies cut longer addresses."""


@dataclass(frozen=True)
class Codec:
    """How a value is written into an address and read from it.

    `read` raises ValueError for text that means nothing; `wanted` says what the address should have said.
    A ConvgateError of `read` says so itself.
    """

    write: Callable[[Any], str]
    read: Callable[[str], Any]
    wanted: str = ""
    is_turn: bool = False
    is_chooser: bool = False
    is_many: bool = False  # text of nothing is no value rather than none given


def param(
    start: Any = None,
    codec: Codec | None = None,
    *,
    name: str = "",
    of_conversation: bool = False,
) -> Any:
    """A field of a page state. start: its default. codec: by its type when not given.

    name: in addresses, when it is another. of_conversation: back at its start in another conversation.
    """
    return field(default=start, metadata={"codec": codec, "name": name, "of_conversation": of_conversation})


def number(low: int = 1, high: int = 999_999_999) -> Codec:
    """A whole number within these bounds."""
    return Codec(str, lambda text: _whole(text, low, high), f"a whole number from {low:,} to {high:,}")


def share(low: float = 0.0, high: float = 1.0) -> Codec:
    """A number within these bounds."""

    def read(text: str) -> float:
        value = float(text)
        if not low <= value <= high:
            raise ValueError
        return value

    return Codec(lambda value: f"{value:.12g}", read, f"a number from {low:g} to {high:g}")


def one_of(known: Iterable[str]) -> Codec:
    """One of these words."""
    words = tuple(known)
    return Codec(str, lambda text: words[words.index(text)], f"one of {', '.join(words)}")


def words(longest: int) -> Codec:
    """Text of at most so many characters."""
    return Codec(lambda text: str(text)[:longest], lambda text: text.strip()[:longest])


def _whole(text: str, low: int, high: int) -> int:
    value = int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else low - 1
    if not low <= value <= high:
        raise ValueError(text)
    return value


def _boolean(text: str) -> bool:
    return {"0": False, "1": True}[text]


TURN = Codec(
    lambda turn: str(turn + 1),
    lambda text: _whole(text, 1, 999_999_999) - 1,
    "a turn's number, from 1",
    is_turn=True,
)
"""A turn, 0-based; addresses count turns from 1, as the screen does."""

_TEXT = Codec(str, lambda text: text)
_CODECS: dict[Any, Codec] = {
    str: _TEXT,
    int: number(),
    bool: Codec(lambda value: str(int(value)), _boolean, "0 or 1"),
    float: share(-math.inf, math.inf),
}


def _codec(kind: Any) -> Codec:
    """The codec of a type: str, int, float, bool, Literal, tuple[X, ...], or one of them or None."""
    if get_origin(kind) is Literal:
        return one_of(get_args(kind))
    if get_origin(kind) is tuple:
        item = _codec(get_args(kind)[0])
        return Codec(
            lambda values: ",".join(map(item.write, values)),
            lambda text: tuple(dict.fromkeys(item.read(part) for part in text.split(",") if part)),
            item.wanted,
            is_many=True,
        )
    some = [each for each in get_args(kind) if each is not NoneType]
    return _codec(some[0]) if len(some) == 1 else _CODECS[kind]


@functools.cache
def _parameters_of(kind: Any) -> dict[str, tuple[str, Codec, Any]]:
    """By field: its name in addresses, its codec, its start."""
    types = get_type_hints(kind)
    return {
        one.name: (
            one.metadata.get("name") or one.name,
            one.metadata.get("codec") or _codec(types[one.name]),
            None if one.default is MISSING else one.default,
        )
        for one in fields(kind)
    }


@dataclass(frozen=True)
class PageState:
    """The conversation that is open and its current message; a page adds what else it shows."""

    conversation: str | None = None
    turn: int | None = param(None, TURN, of_conversation=True)  # None: the one that a model would answer
    question: str = param("", words(LONGEST_QUESTION), name="ask", of_conversation=True)  # in place of a turn

    @classmethod
    def _parameters(cls) -> dict[str, tuple[str, Codec, Any]]:
        kind: Any = cls  # a cache wants what is hashable, which mypy does not see in a class
        return _parameters_of(kind)

    def to_query(self) -> dict[str, str]:
        """The state as an address has it; what is at its start is left out."""
        query = {}
        for name, (written, codec, start) in self._parameters().items():
            if (value := getattr(self, name)) is not None and value != start:
                query[written] = codec.write(value)
        return query

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> tuple[Self, list[str]]:
        """The state of an address, and a sentence for each part of it that means nothing."""
        values, problems = {}, []
        for name, (written, codec, _) in cls._parameters().items():
            text = query.get(written)
            if text is None or not (text or codec.is_many):
                continue
            try:
                values[name] = codec.read(text)
            except ConvgateError as error:
                problems.append(f"The address says {written}={text[:40]}: {error}.")
            except (ValueError, KeyError, OverflowError):
                problems.append(f"The address says {written}={text[:40]}, which is not {codec.wanted}.")
        if values.get("question"):
            values.pop("turn", None)
        return cls(**values), problems

    def opened(self, conversation: str) -> Self:
        """Another conversation, in the same way."""
        changes: dict[str, Any] = {"conversation": conversation}
        if self.conversation != conversation:
            of_conversation = (one for one in fields(self) if one.metadata.get("of_conversation"))
            changes |= {one.name: one.default for one in of_conversation}
        return replace(self, **changes)

    def showing(self, key: str) -> Self:
        """On that conversation: the one that it names, whose key may have changed, or a first one."""
        return self.opened(key) if self.conversation is None else replace(self, conversation=key)

    @property
    def follows_open(self) -> bool:
        """Whether a state without a conversation shows the one that is open."""
        return True

    def within(
        self, conversation: Conversation, choosers: Collection[str] | None = None
    ) -> tuple[Self, list[str]]:
        """The state without turns and versions that do not exist, and a sentence for each."""
        changes: dict[str, Any] = {}
        problems = []
        for name, (_, codec, start) in self._parameters().items():
            value = getattr(self, name)
            if codec.is_turn and value is not None and value >= len(conversation):
                changes[name] = start
                problems.append(
                    f"The address names turn {value + 1:,}, but this conversation has {len(conversation):,}."
                )
            if codec.is_chooser and choosers is not None and value not in (None, start, *choosers):
                changes[name] = start
                version = value.partition("@")[2] or value
                problems.append(f"The address names the version {version}, which does not exist.")
        return replace(self, **changes), problems

    def among(self, **known: Collection[str]) -> tuple[Self, list[str]]:
        """The state with only known names in these fields, and a sentence for each that is unknown."""
        changes: dict[str, Any] = {}
        problems = []
        for name, names in known.items():
            written, _, start = self._parameters()[name]
            value = getattr(self, name)
            given = value if isinstance(value, tuple) else () if value in (None, start) else (value,)
            if unknown := [one for one in given if one not in names]:
                rest = tuple(one for one in given if one in names)
                changes[name] = rest if isinstance(value, tuple) else start
                told = ", ".join(one[:40] for one in unknown)
                problems.append(f"The address says {written}={told}, which does not exist.")
        return replace(self, **changes), problems


def draw_problems(problems: Iterable[str]) -> None:
    """What is wrong with an address."""
    for problem in problems:
        st.warning(literal(problem), icon=":material/link_off:")


class AddressState(Protocol):
    """A frozen dataclass that an address can carry."""

    def to_query(self) -> dict[str, str]:
        """The state as an address has it."""
        ...


S = TypeVar("S", bound=AddressState)
Read = Callable[[Mapping[str, str], S | None], tuple[S, list[str]]]
"""Makes the state of an address, beside the one that was shown; and a sentence for what means nothing."""

_OPEN = "app.open"  # conversation, turn and question that are open
_LAST = "address.last"  # which page wrote the address last, and what


class Address(Generic[S]):
    """The state of one page between reruns.

    bare: whether an address that says nothing asks for a new state; else the last one is shown again.
    """

    def __init__(self, page: str, read: type[S] | Read[S], *, bare: bool = False) -> None:
        self.name = page
        self.key = f"{page}.view"  # of the session's state
        self._written, self._touched = f"{page}.address", f"{page}.touched"
        self._replaced = f"{page}.replaced"  # what stood in the browser when an address was written
        self._read = read_state(read) if isinstance(read, type) else read
        self._bare = bare

    def current(self) -> tuple[S, list[str]]:
        """The state of this run, and what is wrong with the address that it came by."""
        known: S | None = st.session_state.get(self.key)
        query = st.query_params.to_dict()
        # After an interaction the browser may not have seen yet what the last run wrote to the address.
        touched = st.session_state.pop(self._touched, False)
        as_written = query == st.session_state.get(self._written) or not (query or self._bare)
        # On the browser's way back the address is for a moment still that of the page that was left.
        page, theirs = st.session_state.get(_LAST, (self.key, None))
        left_behind = page != self.key and query == theirs
        # What asks for a run by itself, such as a chart that is drawn, may do so with the address before.
        late = query == st.session_state.get(self._replaced) and state.hurried()
        if as_written:
            st.session_state.pop(self._replaced, None)
        problems: list[str] = []
        if known is not None and (touched or as_written or left_behind or late):
            view = known
            if left_behind or not (query or touched):
                view = _follow(view)
        else:
            view, problems = self._read({} if left_behind else query, known)
            if left_behind or "conversation" not in query:
                view = _start_on_open(view)
        st.session_state[self.key] = view
        return view, problems

    def now(self) -> S:
        """The state as it is, in callbacks."""
        return cast(S, st.session_state[self.key])

    def change(self, **values: Any) -> None:
        """Change parts of the state; for callbacks. Lists begin on their first page unless it is given."""
        view: Any = self.now()
        if isinstance(view, PageState) and hasattr(view, "page"):
            start = next(one.default for one in fields(view) if one.name == "page")
            values = {"page": start, **values}
        self.show(replace(view, **values))

    def control(self, name: str, value: Any, *, none: Any = None, **also: Any) -> dict[str, Any]:
        """Arguments that bind a control to a field: `st.toggle("Pairs", **page.control("pairs", …))`.

        none: what the control has for None. also: other fields that a change of the control sets.
        """
        key = f"{self.name}.{name}"
        state.put(key, none if value is None else list(value) if isinstance(value, tuple) else value)
        return {"key": key, "on_change": self._take, "args": (name, key, none), "kwargs": also}

    def _take(self, name: str, key: str, none: Any, **also: Any) -> None:
        value = st.session_state[key]
        value = None if value == none else tuple(value) if isinstance(value, list) else value
        self.change(**{name: value, **also})

    def draw_pages(self, count: int, per_page: int, shown: int, name: str = "") -> None:
        """The control for the page of a list, where it has more than one; `name` tells lists apart."""
        pages = -(-count // per_page)
        if pages > 1:
            # A key of each page's own: the page is part of the state, which a filter or a link may change.
            key = f"{self.name}.page.{name}.{shown}.{pages}"
            with st.container(horizontal_alignment="center"):
                st.pagination(pages, default=shown, key=key, on_change=self._take, args=("page", key, None))

    def select(self, turn: int | None) -> None:
        """Select a turn (0-based), if there is one; lists stay on their page. For callbacks."""
        if turn is not None:
            self.show(replace(cast(Any, self.now()), selected=turn))

    def open(self, key: str | None) -> None:
        """Show another conversation in the same way, if there is one; for callbacks."""
        self.show(cast(Any, self.now()).opened(key) if key is not None else self.now())

    def show(self, view: S) -> None:
        """Show that state from now on; for callbacks."""
        st.session_state[self.key] = view
        self.touched()

    def touched(self) -> None:
        """Note that this run comes from what a person did on the page; for callbacks of every control."""
        st.session_state[self._touched] = True

    def keep(self, view: S) -> None:
        """Keep the state for the next run and in the address; its conversation is open on all pages."""
        st.session_state[self.key] = view
        _open(view)
        query, before = view.to_query(), st.query_params.to_dict()
        if before != query:
            st.session_state[self._replaced] = before
            st.query_params.from_dict(query)
        st.session_state[self._written] = query
        st.session_state[_LAST] = self.key, query


def read_state(kind: type[Any]) -> Read[Any]:
    """Read a state of that class; a link to a conversation alone leaves the rest as it was."""

    def read(query: Mapping[str, str], known: Any) -> tuple[Any, list[str]]:
        if known is not None and set(query) == {"conversation"} and query["conversation"]:
            return known.opened(query["conversation"]), []
        return cast("tuple[Any, list[str]]", kind.from_query(query))

    return read


def _open(view: Any) -> None:
    """Note what is open on all pages."""
    key = getattr(view, "conversation", None)
    if key is None:
        return
    before: dict[str, Any] = st.session_state.get(_OPEN, {})
    same = before if before.get("conversation") == key else {"turn": None, "question": ""}
    values = {name: getattr(view, name, same[name]) for name in ("turn", "question")}
    st.session_state[_OPEN] = {"conversation": key, **values}


def _shown(view: Any) -> dict[str, Any] | None:
    """What is open, as far as a state of this kind can show it; None when it shows something of its own."""
    shown: dict[str, Any] | None = st.session_state.get(_OPEN)
    if shown is None or not hasattr(view, "conversation"):
        return None
    if isinstance(view, PageState) and not view.follows_open:
        return None
    return {name: value for name, value in shown.items() if hasattr(view, name)}


def _start_on_open(view: Any) -> Any:
    """A state that names no conversation, on the one that is open."""
    shown = _shown(view)
    if shown is None:
        return view
    named = getattr(view, "turn", None) is not None or bool(getattr(view, "question", ""))
    return replace(view, **({"conversation": shown["conversation"]} if named else shown))


def _follow(view: Any) -> Any:
    """A state of before, on the conversation and the message that are open now."""
    shown = _shown(view)
    if shown is None:
        return view
    if view.conversation != shown["conversation"]:
        view = view.opened(shown["conversation"])
    changes = {name: value for name, value in shown.items() if getattr(view, name) != value}
    if changes and hasattr(view, "selected"):
        changes["selected"] = None
    return replace(view, **changes)
