"""Code blocks and their languages, as a message's record has them."""

from __future__ import annotations

import pytest

from convgate import Turn
from convgate.retention import CodeBlock, Confidence, RetainedTurn, code_blocks, records
from convgate.retention.code_blocks import without_code


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("", []),
        ("no code, and `inline` does not count", []),
        ("```python\nx = 1\n```", [("python", 1, 3, "x = 1\n")]),
        ("So:\n\n~~~ c++ linenos\nx;\n~~~\nDone.", [("c++", 3, 5, "x;\n")]),
        ("a\n\n```\nplain\n```\nb\n```js\nlet x\n```", [("", 3, 5, "plain\n"), ("js", 7, 9, "let x\n")]),
        ("````md\n```py\ninner\n```\n````", [("md", 1, 5, "```py\ninner\n```\n")]),
        ("- step\n\n  ```sh\n  ls\n  ```", [("sh", 3, 5, "ls\n")]),
        ("Indented:\n\n    x = 1\n    y = 2\n\nDone.", [("", 3, 4, "x = 1\ny = 2\n")]),
        ("```python\nnever closed", [("python", 1, 2, "never closed")]),
        ("a\r\n\r\n```sql\r\nselect 1\r\n```", [("sql", 3, 5, "select 1\n")]),
        ("not a fence: ```x``` here", []),
    ],
)
def test_blocks_come_with_language_place_and_code(text: str, blocks: list):
    assert [(one.language, one.line, one.end, one.code) for one in code_blocks(text)] == blocks


def test_long_and_deep_messages_are_read_as_far_as_it_is_quick():
    block = "```\nx\n```\n"
    assert len(code_blocks(block * 6_000)) == 5_000  # 50,000 of 60,000 characters
    assert len(code_blocks("> " * 5 + "```\n")) == 1
    assert code_blocks("> " * 15 + "```\n") == ()


def test_what_is_left_without_code_is_the_rest_line_by_line():
    assert without_code("a\n\n```\ncode\n```\nb") == "a\n\nb"
    assert without_code("a\r\n\r\n    code\r\nb") == "a\n\nb"
    assert without_code("no ``` code  ") == "no ``` code  "


def test_a_record_has_confidence_source_band_and_code():
    turns = [
        Turn.of("user", "Write it."),
        Turn.of("assistant", "```python\nx = 1\n```", metadata={"confidence": 0.65}),
    ]
    asked, answered = records(turns, first=4)
    assert asked == RetainedTurn(4, Confidence(0.65, answer=5), ())
    assert (answered.source, answered.band) == ("message", "checkpoints")
    assert answered.code == (CodeBlock("python", 1, 3, "x = 1\n"),)
    assert answered.to_json() == {
        "index": 5,
        "confidence": 0.65,
        "source": "message",
        "answer": None,
        "band": "checkpoints",
        "code": [{"language": "python", "line": 1, "code": "x = 1\n"}],
    }
    assert records([Turn.of("assistant", "Perhaps.")], estimate=True)[0].source == "estimate"
