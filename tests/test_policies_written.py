"""Policies as text: read, written back, and told where they cannot be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.errors import PolicyError
from convgate.policies.written import Written, read_policies, read_policy, to_text

names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
values = (
    st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.sampled_from(["true", "inf"])
)
written = st.builds(
    Written,
    names,
    st.dictionaries(names, values, max_size=3),
    st.none() | st.from_regex(r"[a-z0-9]([a-z0-9._-]{0,8}[a-z0-9])?", fullmatch=True),
)


@given(st.lists(written, min_size=1, max_size=4), st.sampled_from([">", ","]))
def test_what_is_written_is_read_back(policies, separator):
    again = read_policies(to_text(policies, separator), separator)
    assert again == tuple(policies)
    kinds = [[type(value) for value in one.parameters.values()] for one in again]
    assert kinds == [[type(value) for value in one.parameters.values()] for one in policies]


def test_values_are_numbers_truths_words_and_quoted_text():
    read = read_policy('x(a=5, b=-0.5, c=inf, d=true, e=top_k, f="a, b) > \\"c\\"", g=1e3)')
    assert read.parameters == {
        "a": 5, "b": -0.5, "c": float("inf"), "d": True, "e": "top_k", "f": 'a, b) > "c"', "g": 1000.0,
    }  # fmt: skip
    assert read_policy("x()") == Written("x")
    assert read_policy(f"x(a={'9' * 5_000})").parameters == {"a": float("inf")}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "character 1: the name of a policy was expected; got the end"),
        ("gate >", "character 7: the name of a policy was expected; got the end"),
        ("> gate", "character 1: the name of a policy"),
        ("gate > > bm25", "character 8: the name of a policy"),
        ("gate bm25", "character 6: '>' or nothing was expected; got 'bm25'"),
        ("last_k(k)", "character 9: '=' was expected behind k"),
        ("last_k(k=)", "last_k: the value of k was expected"),
        ("last_k(k=5", "',' or '\\)' was expected behind last_k: k; got the end"),
        ("last_k(k=5, k=6)", "last_k: k is set twice"),
        ('pipeline(stages="gate', "no closing quote"),
        ("gate@", "the name of a version was expected"),
        ("gate@..", "the name of a version was expected"),
        ("gate(5)", "the name of a parameter of gate was expected"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(text, told):
    with pytest.raises(PolicyError, match=told):
        read_policies(text)


def test_one_policy_is_not_several():
    with pytest.raises(PolicyError, match="character 6: nothing more was expected; got '> bm25'"):
        read_policy("gate > bm25")
