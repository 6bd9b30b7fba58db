"""Every place in the code that can open a connection is in the list that the docs show."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from convgate.core.settings import setting_fields
from tools.doc_blocks import BLOCKS, PAGES, block, connections

CHECKOUT = Path(__file__).parents[1]
FILES = sorted([*CHECKOUT.glob("convgate/**/*.py"), *CHECKOUT.glob("pages/*.py"), CHECKOUT / "app.py"])

OFFLINE = frozenset({
    "Stemmer", "_typeshed", "anyio", "bm25s", "convgate", "detect_secrets", "filelock", "ijson",
    "markdown_it", "mcp_types", "numpy", "onnxruntime", "opentelemetry.sdk", "opentelemetry.trace", "orjson",
    "platformdirs", "plotly", "prometheus_client", "py3langid", "pyarrow", "pydantic", "pydantic_core", "re2",
    "rich", "ruamel", "safetensors", "scipy", "sqlite_utils", "statsmodels", "threadpoolctl", "tokenizers",
    "tomli_w", "torch", "typer", "yaml",
    "fastapi", "starlette", "streamlit", "uvicorn",  # they answer
})  # fmt: skip
"""Packages that connect nowhere as they are used here; a new one has to be judged first."""

CONNECTING = frozenset({
    "asyncio.open_connection", "asyncio.open_unix_connection", "asyncio.streams", "ctypes", "ftplib",
    "http.client", "http.server", "imaplib", "importlib.import_module", "multiprocessing", "os.popen",
    "os.posix_spawn", "os.system", "poplib", "pyarrow.dataset", "pyarrow.fs", "pyarrow.parquet", "runpy",
    "smtplib", "socket", "socketserver", "ssl", "subprocess", "urllib.request", "webbrowser", "xmlrpc",
    "__import__", "create_connection", "create_datagram_endpoint", "create_subprocess_exec",
    "create_subprocess_shell", "sock_connect",
    "convgate.core.http.post_json", "convgate.language_model.LanguageModel",
})  # fmt: skip
"""What can: of Python, of offline packages, and by what convgate's own modules do."""

HARMLESS = {
    "": "loads modules of convgate by name",
    "adapters.inspect_ai": "types of a framework, whose agent calls its models itself",
    "adapters.langchain": "types of a framework, whose agent calls its models itself",
    "adapters.langgraph": "types of a framework",
    "adapters.llama_index": "types of a framework",
    "adapters.openai_agents": "types of a framework",
    "adapters.pydantic_ai": "types of a framework",
    "cli.main": "loads commands of convgate by name",
    "cli.serve": "a socket that listens; httpx is looked for alone",
    "cli.tools": "loads tools of the checkout by name",
    "core.http": "post_json, whose callers are judged",
    "embedding.sentence_transformer": "local_files_only",
    "gatekeeper.model": "asks the model that it is given",
    "language_model": "LanguageModel, whose users are judged",
    "mcp": "a server on standard input and output",
    "policies.registry": "loads policies of convgate by name",
    "server.expanding": "asks by the proxy's own client",
    "server.usage": "reads the answers that the proxy gets",
    "text.stop_words": "reads a list of an installed package",
    "training.process": "starts `convgate train`",
    "ui.experiments.replay": "pandas writes a table",
    "ui.server": "opens the app's own address in the browser",
}
"""Modules that import such a name, and why they need no row: they connect to no other machine by it."""


def _names(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted names that a module imports, and the functions and attributes that it reads."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _used(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
            yield ast.unparse(node)


def _prefixes(name: str) -> set[str]:
    parts = name.split(".")
    return {".".join(parts[:stop]) for stop in range(1, len(parts) + 1)}


def reasons(source: str) -> set[str]:
    """Return the names by which a module can connect, or whose package nobody has judged."""
    tree = ast.parse(source)
    imported = {
        name
        for name in _names(tree)
        if _prefixes(name) & CONNECTING or not (_prefixes(name) & (OFFLINE | sys.stdlib_module_names))
    }
    return imported | (set(_used(tree)) & CONNECTING)


def connecting_modules() -> dict[str, set[str]]:
    """Return the modules that can connect, without "convgate.", and the names by which."""
    modules = {}
    for path in FILES:
        name = ".".join(path.relative_to(CHECKOUT).with_suffix("").parts).removesuffix("__init__").strip(".")
        if problems := reasons(path.read_text(encoding="utf-8")):
            modules[name.removeprefix("convgate").removeprefix(".")] = problems
    return modules


def test_every_module_that_can_connect_is_listed_or_harmless() -> None:
    listed = {module for each in connections().values() for module in each.modules}
    modules = connecting_modules()
    unknown = {name: by for name, by in modules.items() if name not in listed | HARMLESS.keys()}
    assert not unknown, "list these in convgate/core/connections.py or the settings"
    assert sorted((listed | HARMLESS.keys()) - modules.keys()) == [], "these do not connect any more"
    assert not listed & HARMLESS.keys()


@pytest.mark.parametrize(
    "source",
    [
        "import http.client", "import requests", "import boto3", "from fsspec import open", "__import__('x')",
        "def f():\n    from urllib.request import urlopen", "import os\nos.system('curl')",
        "import asyncio\nasyncio.open_connection('h', 1)", "loop.create_connection(f)",
        "from convgate.language_model import LanguageModel", "from pyarrow import fs",
    ],
)  # fmt: skip
def test_a_way_to_connect_is_found(source: str) -> None:
    assert reasons(source)


def test_a_setting_that_names_an_address_or_a_model_is_in_the_list() -> None:
    table = BLOCKS["connections"]()
    names = setting_fields().keys() - {"costs.model"}  # looks up prices in a file of the package
    named = [name for name in names if re.search(r"(url|endpoint|webhook|upstream|model)$", name)]
    assert len(named) >= 8
    assert [name for name in named if f"`{name}`" not in table] == []


def test_scripts_and_styles_of_the_app_load_nothing() -> None:
    for path in CHECKOUT.glob("convgate/**/*"):
        if path.suffix in (".js", ".css", ".html", ".svg"):
            text = path.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
            assert not re.search(
                r"fetch\(|XMLHttp|WebSocket|EventSource|sendBeacon|@import|//\w+\.\w", text
            ), path


@pytest.mark.parametrize(("page", "name"), [(page, name) for page in PAGES for name in PAGES[page]])
def test_the_docs_have_what_the_code_says(page: str, name: str) -> None:
    assert block(page, name) == BLOCKS[name](), "run python -m tools.doc_blocks --write"
