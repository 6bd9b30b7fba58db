"""The documentation site: builds without warnings or a network, and loads nothing from elsewhere."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from html import escape, unescape
from pathlib import Path

import pytest

pytest.importorskip("material")
pytest.importorskip("mkdocstrings")

pytestmark = pytest.mark.adapters

CHECKOUT = Path(__file__).resolve().parent.parent
PYTHON = re.compile(r'<div class="language-python highlight">.*?<code>(.*?)</code>', re.DOTALL)
LOADED = re.compile(r'<(?:script|img|iframe)\b[^>]*\ssrc="?([^"\s>]+)|<link\b[^>]*\shref="?([^"\s>]+)')


def test_the_site_builds_strictly_and_loads_only_its_own_files(tmp_path: Path) -> None:
    """Unlike `no_network`, whose guard fails this test on any connection, this looks at what readers load."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "--strict",
            "--quiet",
            "--site-dir",
            str(tmp_path / "site"),
        ],
        cwd=CHECKOUT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    pages = [*(tmp_path / "site").rglob("*.html")]
    assert len(pages) > 50
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    for example in (CHECKOUT / "examples").glob("*.py"):
        title = escape(example.read_text(encoding="utf-8").splitlines()[0].strip('"'), quote=False)
        assert any(title in text for text in texts.values()), f"no page shows {example.name}"
    adapters = [text for page, text in texts.items() if page.parent.name == "adapters"]
    snippets = [snippet for text in adapters for snippet in PYTHON.findall(text)]
    assert len(snippets) > 15
    for snippet in snippets:  # without `exec`: they come again in the examples, which other tests run
        code = unescape(re.sub(r"<[^>]+>", "", snippet))
        compile(code, "a snippet", "exec", flags=ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    loaded = {
        (page.name, script or link) for page, text in texts.items() for script, link in LOADED.findall(text)
    }
    assert any(address.endswith(".css") for _, address in loaded)
    assert [place for place in loaded if re.match(r"(?:[a-z]+:)?//", place[1])] == []
