"""What needs an extra says so in one sentence with the command, when a package of the extra is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from convgate.core.errors import MissingExtraError
from convgate.core.extras import needs_extra
from tests.commands import run_python

RUN = """
import sys
for package in sys.argv.pop(1).split(","):
    sys.modules[package] = None  # an import of it fails
from convgate.cli.main import main
sys.argv[0], sys.stderr = "convgate", sys.stdout
try:
    main()
except SystemExit as end:
    print("CODE", end.code)
"""


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    file = tmp_path / "chat.json"
    file.write_text('[{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]')
    return file


@pytest.mark.parametrize(
    ("packages", "command", "extra"),
    [
        ("streamlit", "app", "app"),
        ("plotly", "app", "app"),
        ("fastapi", "serve", "serve"),
        ("mcp", "mcp", "mcp"),
        ("sentence_transformers,transformers", "select CHAT --policy cosine", "train"),
        ("statsmodels", "experiment power", "train"),
        ("torch", "train SET", "train"),
        ("scipy", "evaluate SET", "train"),
        ("torch", "calibrate SET --encoder other --gate shipped", "train"),
    ],
)
def test_missing_package_is_one_sentence_with_the_command(
    packages: str, command: str, extra: str, chat: Path
) -> None:
    words = [str(chat) if word in {"CHAT", "SET"} else word for word in command.split()]
    printed = run_python(RUN, packages, *words, CONVGATE_ENCODER="other")
    assert printed.endswith("CODE 1\n")
    (line,) = [line for line in printed.splitlines() if "pip install" in line]
    missing = "|".join(packages.split(","))
    assert re.fullmatch(rf'convgate: .+ needs (?:{missing}): pip install "convgate\[{extra}\]"', line)
    assert "Traceback" not in printed


def test_errors_other_than_of_imports_pass_through() -> None:
    with pytest.raises(ZeroDivisionError), needs_extra("x", "it"):
        raise ZeroDivisionError
    with pytest.raises(MissingExtraError), needs_extra("x", "it"):
        raise ImportError
