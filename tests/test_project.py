"""The project: imports, pinned requirements, the wheel, no outgoing connections."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
import zipfile
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import convgate
from convgate.core.home import app_root
from convgate.core.settings import load_settings
from convgate.versions import SHIPPED, Versions
from convgate.versions.card import Draft
from convgate.versions.version import write_version
from tests.commands import run_python
from tests.gates import trained_gate

CHECKOUT = Path(__file__).resolve().parent.parent


def read_pyproject() -> dict[str, Any]:
    return tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))


def constraints() -> dict[str, str]:
    lines = (CHECKOUT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def tracked_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [CHECKOUT / name for name in listed.stdout.split("\0") if name and (CHECKOUT / name).is_file()]


def tracked_texts() -> dict[Path, str]:
    """What is in the tracked files, those aside that hold no text."""
    texts = {}
    for file in tracked_files():
        with suppress(UnicodeDecodeError):
            texts[file] = file.read_text(encoding="utf-8")
    return texts


# What loads what


def test_imports_and_commands_without_a_model_load_no_large_package() -> None:
    Versions(load_settings().home).add(trained_gate(), Draft(), name="mine")
    code = """
import sys
import convgate
large = set("torch streamlit transformers scipy sklearn plotly pandas numpy sqlite_utils".split())
print("IMPORTED", *large & set(sys.modules))
from convgate.cli.main import build_app, main
build_app(["--help"])(["--help"], prog_name="convgate", standalone_mode=False)
print("HELPED", *large & set(sys.modules))
large -= {"numpy", "sqlite_utils", "pandas"}  # sqlite-utils loads pandas where it is there
sys.argv = ["convgate", "versions"]
try:
    main()
except SystemExit as end:
    assert end.code == 0
print("LISTED", *large & set(sys.modules))
convgate.feedback([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}], 0, True)
print("TOLD", *large & set(sys.modules))
"""
    printed = run_python(code)
    assert "Usage: convgate" in printed
    assert "mine" in printed
    for step in ("IMPORTED", "HELPED", "LISTED", "TOLD"):
        assert re.search(rf"^{step}\s*$", printed, re.MULTILINE), printed


NOT_TO_SELECT = {
    *("torch", "transformers", "sentence_transformers", "pandas", "scipy", "sklearn", "statsmodels"),
    *("streamlit", "plotly", "bm25s", "detect_secrets", "py3langid", "rich", "sqlite_utils"),
    *("re2", "ruamel", "markdown_it", "filelock"),
}


@pytest.mark.parametrize(
    ("policy", "holds", "more"),
    [
        ("last_k", "false", {"onnxruntime", "safetensors", "asyncio"}),
        ("last_k", "true", set()),
        ("gate", "true", set()),
    ],
)
def test_a_process_imports_only_what_its_policy_needs(
    policy: str, holds: str, more: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONVGATE_HOLD_INVARIANTS", holds)
    file = tmp_path / "chat.json"
    file.write_text('[{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]')
    code = """
import sys
from convgate.cli.main import main
sys.argv = ["convgate", "select", sys.argv[1], "--policy", sys.argv[2]]
try:
    main()
except SystemExit as end:
    assert end.code == 0
print("LOADED", *sys.modules)
"""
    printed, _, loaded = run_python(code, str(file), policy).partition("LOADED")
    assert '"content": "b"' in printed
    assert not (NOT_TO_SELECT | more) & set(loaded.split())


def test_a_process_that_scores_loads_no_large_package() -> None:
    code = """
import sys
from importlib.resources import files
from convgate.core.conversation import Conversation, Turn
from convgate.gate.files import read_gate
from convgate.gate.thresholds import Expected
from convgate.policies.gate import GatePolicy
from tests.fakes import FakeEncoder
gate = read_gate(files("convgate.gate") / "weights" / "shipped")
turns = tuple(Turn.of("user", f"the kernel and quokka {number}") for number in range(70))
policy = GatePolicy(gate, FakeEncoder(), rule=Expected())
decisions = policy.decide(*Conversation("chat", turns).at(69))
print("REASON", decisions.of(68).reason)
print("SCORED", *set("torch transformers pandas streamlit scipy sklearn".split()) & set(sys.modules))
"""
    printed = run_python(code)
    assert re.search(r"^REASON (Kept|Dropped): ", printed, re.MULTILINE), printed
    assert re.search(r"^SCORED\s*$", printed, re.MULTILINE), printed


def test_the_first_page_of_the_app_needs_no_torch() -> None:
    code = """
import sys
import convgate.ui.library.page
print("IMPORTED", *{"torch", "scipy", "transformers"} & set(sys.modules))
"""
    assert run_python(code).split() == ["IMPORTED"]


# What is pinned


def test_every_requirement_is_pinned_at_a_version_that_it_allows() -> None:
    project = read_pyproject()
    pinned = constraints()
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    wanted += chain.from_iterable(project["project"]["optional-dependencies"].values())
    assert len(wanted) > 20
    for requirement in map(Requirement, wanted):
        name = canonicalize_name(requirement.name)
        if name == "convgate":  # an extra made of others
            continue
        assert name in pinned, f"{requirement} has no line in constraints.txt: run make lock"
        assert requirement.specifier.contains(pinned[name]), f"{requirement} and {name}=={pinned[name]}"


def test_no_pin_names_an_address_a_build_or_a_cuda_package() -> None:
    pinned = constraints()
    assert len(pinned) > 50
    for name, version in pinned.items():
        assert re.fullmatch(r"[a-z0-9.-]+", name), name
        assert re.fullmatch(r"[0-9][0-9a-z.]*", version), f"{name}=={version}"
        assert not re.match(r"nvidia|cuda|triton", name), name


def test_no_package_index_is_built_in() -> None:
    hosts = re.compile(r"(?:pypi|pythonhosted|pytorch)\.org", re.IGNORECASE)
    texts = tracked_texts()
    assert CHECKOUT / "README.md" in texts
    for file, text in texts.items():
        assert not hosts.search(text), f"{file} names {hosts.search(text)}"


# What the documents say


def documents() -> dict[Path, list[Token]]:
    """Every tracked Markdown file but the samples, as its blocks and what is inside them."""
    parsed = {}
    for file, text in tracked_texts().items():
        is_sample = file.parent.name == "sample_conversations" and file.name != "README.md"
        if file.suffix == ".md" and not is_sample:
            blocks = MarkdownIt("commonmark").enable("table").parse(text)
            parsed[file] = [token for block in blocks for token in (block, *(block.children or ()))]
    return parsed


def local_links() -> list[tuple[Path, str]]:
    links = [
        (file, str(token.attrs.get("href") or token.attrs.get("src")))
        for file, tokens in documents().items()
        for token in tokens
        if token.type in {"link_open", "image"}
    ]
    return [(file, link) for file, link in links if not urlsplit(link).scheme]


def code_blocks(document: str, language: str) -> list[str]:
    tokens = documents()[CHECKOUT / document]
    return [token.content for token in tokens if token.type == "fence" and token.info == language]


def test_every_local_link_and_picture_of_a_document_exists() -> None:
    links = local_links()
    assert (CHECKOUT / "README.md", "LICENSE") in links
    missing = []
    for file, link in links:
        target = file.parent / unquote(urlsplit(link).path) if urlsplit(link).path else file
        if not (target.resolve().is_relative_to(CHECKOUT) and target.exists()):
            missing.append(f"{file.relative_to(CHECKOUT)}: {link}")
    assert missing == []


@pytest.fixture
def gate_for_the_fake_encoder(
    fake_default_encoder: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A version in the place of the one that ships, which is for the real encoder."""
    monkeypatch.setattr("convgate.versions.catalog.PACKAGED", tmp_path / "weights")
    write_version(tmp_path / "weights" / SHIPPED, trained_gate(), Draft())


@pytest.mark.usefixtures("gate_for_the_fake_encoder")
@pytest.mark.parametrize("document", ["README.md", "docs/agents.md"])
def test_the_python_for_agents_runs_as_it_stands(document: str, capsys: pytest.CaptureFixture[str]) -> None:
    messages = [
        {"role": "system", "content": "You are terse."},
        {"role": "user", "content": "my training loss becomes nan"},
        {"role": "assistant", "content": "lower the learning rate of the training"},
        {"role": "user", "content": "the training loss is nan again"},
    ]
    names: dict[str, Any] = {"messages": messages}
    blocks = code_blocks(document, "python")
    assert len(blocks) >= 2
    for block in blocks:
        exec(compile(block, document, "exec"), names)
    assert names["selection"].messages[-1] is names["messages"][-1]
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 3, "one line for every earlier turn"


@pytest.mark.usefixtures("gate_for_the_fake_encoder")
@pytest.mark.parametrize("document", ["docs/selection.md", "docs/policies.md", "docs/gate.md"])
def test_the_python_of_a_page_runs_as_it_stands(document: str) -> None:
    messages = [{"role": "user", "content": f"the training loss is nan in run {run}"} for run in range(3)]
    names: dict[str, Any] = {"messages": messages, "convgate": convgate}
    blocks = code_blocks(document, "python")
    assert blocks
    for block in blocks:
        exec(compile(block, document, "exec"), names)
    selection = names.get("selection") or names["selector"].select(messages)
    assert selection.messages[-1] is messages[-1]


@pytest.mark.usefixtures("gate_for_the_fake_encoder")
def test_the_settings_file_for_agents_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    messages = [{"role": "user", "content": "my training loss becomes nan"}]
    (agent,) = code_blocks("docs/agents.md", "toml")
    (tmp_path / "agent.toml").write_text(agent, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    spans = {
        token.content for tokens in documents().values() for token in tokens if token.type == "code_inline"
    }
    assert 'convgate.load("agent.toml")' in spans
    rule = convgate.load("agent.toml").policy.rule
    assert (rule.name, rule.k) == ("top_k", 8)
    assert 'convgate.load(policy="last_k", k=20)' in spans
    assert convgate.load(policy="last_k", k=20).select(messages).messages == messages


# Where the app lies


@pytest.mark.slow
@pytest.mark.xdist_group("browser")  # where the wheel is made for another test
def test_the_wheel_carries_the_whole_app_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    files = [*CHECKOUT.glob("pages/*.py"), *CHECKOUT.glob("sample_conversations/*"), CHECKOUT / "app.py"]
    assert len(files) > 15
    wanted = {f"convgate/_app/{file.relative_to(CHECKOUT).as_posix()}" for file in files}
    wanted |= {"convgate/_app/.streamlit/config.toml", "convgate/py.typed"}
    assert wanted <= names
    assert {name.split("/")[0] for name in names} == {
        "convgate",
        f"convgate-{convgate.__version__}.dist-info",
    }
    assert not [name for name in names if "__pycache__" in name or "secrets" in name]


@pytest.mark.slow
@pytest.mark.xdist_group("browser")  # where the wheel is made for another test
def test_installed_from_the_wheel_the_app_is_that_of_the_wheel(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = "import convgate.core.home; print(convgate.core.home.app_root())"
    printed = run_python(code, PYTHONPATH=os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]]))
    assert Path(printed.strip()) == tmp_path / "convgate" / "_app"


# What stays on this machine


def test_usage_statistics_are_off_however_the_app_is_started(tmp_path: Path) -> None:
    """From any folder, and when the person's own Streamlit settings switch them on."""
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text("[browser]\ngatherUsageStats = true\n")
    code = """
import os, sys
os.chdir(sys.argv[2])
del os.environ["STREAMLIT_BROWSER_GATHER_USAGE_STATS"]
from streamlit import config
config._main_script_path = sys.argv[1]  # as `streamlit run` does
config.get_config_options(force_reparse=True)
print(config.get_option("browser.gatherUsageStats"), config.get_option("server.address"))
"""
    printed = run_python(code, str(app_root() / "app.py"), str(tmp_path), HOME=str(tmp_path))
    assert printed.split() == ["False", "127.0.0.1"]


@pytest.mark.slow
def test_scoring_a_sample_from_end_to_end_opens_no_connection(tmp_path: Path) -> None:
    """With a model to load and nothing that tells the model's library to stay offline."""
    code = """
import os, sys
for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
    os.environ.pop(name, None)
from convgate.cli.main import build_app
build_app(["score"])(["score", sys.argv[1], "--json"], prog_name="convgate")
"""
    sample = app_root() / "sample_conversations" / "nan_and_fibonacci.json"
    scored = run_python(code, str(sample), HOME=str(tmp_path))
    assert '"threshold"' in scored
