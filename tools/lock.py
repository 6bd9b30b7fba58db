"""Writes constraints.txt anew: `make lock` resolves everything in a fresh environment and notes the versions.

torch and the package of the bundled encoder stay at the versions that are already pinned there; to move one,
edit its line and run this again.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.install import CHECKOUT, CONSTRAINTS, MODEL_PACKAGE, cuda_packages, plan, python_of

HEADER = """\
# Exact versions of everything that convgate runs on and is tested with. `make lock` writes this file.
# No address and no build is named: 2.13.0+cpu and a CUDA build of torch 2.13.0 both satisfy its line.
"""


def main() -> None:
    """Resolve, install and freeze; constraints.txt is replaced only at the end."""
    kept = rf"^(?:torch|{MODEL_PACKAGE})==\S+$"
    pins = re.findall(kept, CONSTRAINTS.read_text(encoding="utf-8"), re.MULTILINE)
    if len(pins) != 2:
        sys.exit(f"{CONSTRAINTS} needs a line torch==… and a line {MODEL_PACKAGE}==…; write them first")
    with tempfile.TemporaryDirectory() as folder:
        venv = Path(folder, "venv")
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        pip = [str(python_of(venv)), "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", "--upgrade", "pip", "setuptools"], check=True)
        if packages := cuda_packages(plan(venv, "torch")):
            sys.exit(
                f"versions are pinned with a CPU build of torch, and pip would take {', '.join(packages)}"
            )
        subprocess.run([*pip, "install", "--quiet", *pins, f"{CHECKOUT}[conformance]"], check=True)
        frozen = subprocess.run(
            [*pip, "freeze", "--all", "--exclude", "convgate"], check=True, capture_output=True, text=True
        ).stdout
    CONSTRAINTS.write_text(HEADER + constraint_lines(frozen), encoding="utf-8")
    print(f"{CONSTRAINTS} written: look at what changed, then run make test")


def constraint_lines(frozen: str) -> str:
    """`pip freeze` as constraints: versions alone, without the build (+cpu) and the address (@ file://…)."""
    lines = []
    for line in frozen.splitlines():
        package = re.fullmatch(r"([\w.-]+)==([^+\s]+)(?:\+\S+)?", line)
        if package is None:
            raise ValueError(f"pip froze something that is no plain version: {line!r}")
        lines.append(f"{re.sub('[-_.]+', '-', package[1].lower())}=={package[2]}\n")
    return "".join(sorted(lines))


if __name__ == "__main__":
    main()
