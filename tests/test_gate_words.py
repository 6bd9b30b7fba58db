"""Words and stems, and how much it says that two turns share one."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

from convgate.gate.words import common_stems, inverse_frequency, stems, words


def test_words_are_case_folded_and_free_of_signs():
    assert words("Can't BOOT: grub-2, (ok)?") == ["can", "t", "boot", "grub", "2", "ok"]
    assert words("Straße STRASSE") == ["strasse", "strasse"]
    assert words("日本語 ÉCLAIR naïve_1") == ["日本語", "éclair", "naïve_1"]
    assert words(" \n🦊 ?! ") == []


def test_forms_of_a_word_have_one_stem():
    assert len(set(stems(words("boot Boots BOOTING booted")))) == 1
    assert stems(words("boot kernel boot")) == ["boot", "kernel", "boot"]
    assert stems([]) == []


def test_threads_stem_alike():
    texts = [f"paintings{i} booting{i} quickly{i} running generously" for i in range(400)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: stems(words(text)), texts)) == [stems(words(t)) for t in texts]


def test_rarer_stems_say_more():
    # A stem that the table does not have counts as found in 0.0001 of 100 turns before: n = found + 0.01.
    assert "zyzzyva" not in common_stems()
    assert inverse_frequency("zyzzyva", 1, 1) == pytest.approx(
        math.log(1 + (101 - 1.01 + 0.5) / (1.01 + 0.5))
    )
    assert inverse_frequency("zyzzyva", 3, 50) == pytest.approx(
        math.log(1 + (150 - 3.01 + 0.5) / (3.01 + 0.5))
    )
    assert inverse_frequency("zyzzyva", 1, 50) > inverse_frequency("zyzzyva", 3, 50) > 0


def test_share_of_turns_everywhere_counts_as_100_turns_before():
    stem, share = next((stem, share) for stem, share in common_stems().items() if 0.01 < share < 0.02)
    assert inverse_frequency(stem, 2, 10) == pytest.approx(
        math.log(1 + (110 - 2 - 100 * share + 0.5) / (2 + 100 * share + 0.5))
    )


def test_stems_in_more_than_two_percent_of_turns_say_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("convgate.gate.words.common_stems", lambda: {"often": 0.0201, "seldom": 0.02})
    assert inverse_frequency("often", 1, 1_000) == 0
    assert inverse_frequency("seldom", 1, 1_000) > 0


def test_table_is_of_stems_and_shares():
    table = common_stems()
    assert len(table) > 1_000
    assert all(0 < share <= 1 for share in table.values())
    assert table["the"] > 0.02
    assert all(word == word.casefold() for word in table)


def test_stem_that_every_turn_has_still_counts_no_less_than_nothing():
    assert all(inverse_frequency("zyzzyva", turns, turns) >= 0 for turns in (1, 10, 10_000))
