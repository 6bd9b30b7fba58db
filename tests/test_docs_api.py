"""docs/api has every public name, with examples that run; docs/architecture.md has the walk of a message."""

from __future__ import annotations

import doctest
import re
import shlex
import sys
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import convgate
from tests.commands import Run
from tests.fakes import FakeEncoder

CHECKOUT = Path(__file__).resolve().parent.parent
DOCS = CHECKOUT / "docs"
PAGES = sorted((DOCS / "api").glob("*.md"))
ENTRY = re.compile(r"^::: ([\w.]+)$", re.MULTILINE)
ROW = re.compile(r"^\| `([\w.]+)` \| `([\w/.]+)`", re.MULTILINE)


def entries(page: Path) -> set[str]:
    """Return the public names that a page documents, those of a documented module included."""
    names = set()
    for path in ENTRY.findall(page.read_text(encoding="utf-8")):
        module, _, name = path.rpartition(".")
        documented = getattr(import_module(module), name)
        names |= {
            public
            for public in convgate.__all__
            if getattr(convgate, public) is documented
            or getattr(getattr(convgate, public), "__module__", None) == path
        }
    return names


def test_every_public_name_is_on_a_page_with_an_example() -> None:
    documented = set[str]().union(*(entries(page) for page in PAGES))
    assert documented == set(convgate.__all__)


@pytest.mark.usefixtures("fake_default_encoder")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_of_a_page_run(page: Path, run: Run) -> None:
    text = page.read_text(encoding="utf-8")
    for command in re.findall(r"`convgate (experiment create [^`]+)`", text):
        assert run(*shlex.split(command))[0] == 0
    example = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert example.examples
    assert doctest.DocTestRunner().run(example) == (0, len(example.examples))


def test_the_walk_of_a_message_is_the_one_of_the_architecture(monkeypatch: pytest.MonkeyPatch) -> None:
    walk = ROW.findall((DOCS / "architecture.md").read_text(encoding="utf-8"))
    assert 6 < len(walk) <= 12
    called: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        file = Path(frame.f_code.co_filename)
        if event == "call" and file.is_relative_to(CHECKOUT / "convgate"):
            called.append((frame.f_code.co_qualname, file.relative_to(CHECKOUT / "convgate").as_posix()))

    selector = convgate.load(version="untrained", encoder=FakeEncoder())
    sys.setprofile(note)
    try:
        selector.select([{"role": "user", "content": text} for text in ("Use metric units.", "Hi")])
    finally:
        sys.setprofile(None)
    first = {function: place for place, function in reversed([*enumerate(called)])}
    assert set(walk) <= set(first)
    assert sorted(walk, key=first.__getitem__) == walk
