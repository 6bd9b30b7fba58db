"""The folder with a batch's results: a file for each part, committed by its name, so that a run can go on.

batch.json                        options and files of the input
decisions/PART.parquet            a row for each answered turn; written last: the part is finished
embeddings/PART.parquet           a row for each turn, on request
bad/PART.jsonl                    what was left out, with its reason; only where there is something
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pyarrow import NativeFile, Table, fs, parquet

from convgate.batch.decisions import BatchOptions, PartTables
from convgate.batch.inputs import PARQUET, InputFile, resolve_location
from convgate.core.errors import ConvgateError, SettingsError
from convgate.core.settings import SECTIONS, SELECTING

STATE_FILE = "batch.json"
_FOLDERS = ("decisions", "embeddings", "bad")


@dataclass(frozen=True)
class OutputFolder:
    """The folder, on any file system that pyarrow writes; half-written files have names that begin with _."""

    filesystem: fs.FileSystem
    path: str

    @classmethod
    def open(cls, location: str) -> OutputFolder:
        """Return the folder of an address or a local path, new or not; SettingsError when it cannot be."""
        filesystem, path = resolve_location(location)
        try:
            for name in _FOLDERS:
                filesystem.create_dir(f"{path}/{name}", recursive=True)
        except OSError as error:
            raise SettingsError(f"{location} cannot be written: {error}") from error
        return cls(filesystem, path)

    def begin(self, options: BatchOptions, files: Sequence[InputFile]) -> frozenset[str]:
        """Return the names of the finished parts; remove what a killed run left half-written.

        Further files may be added to those of earlier runs. Raises ConvgateError when the folder holds
        results of other options, or of a file that has changed since.
        """
        known_files: dict[str, list[int]] = {}
        described = _describe(options)
        if (state := self._read_state()) is not None:
            changed = [name for name, value in described.items() if state["options"].get(name) != value]
            if changed:
                name = changed[0]
                raise ConvgateError(
                    f"{self.path} holds results of other options: {name} was"
                    f" {state['options'].get(name)!r} and is now {described[name]!r};"
                    " choose another --out, or the same options"
                )
            known_files = state["files"]
        for file in files:
            version = [file.size, file.modified]
            if known_files.setdefault(file.path, version) != version:
                raise ConvgateError(
                    f"{file.path} has changed since {self.path} got results of it; choose another --out"
                )
        for folder in _FOLDERS:
            for info in self.filesystem.get_file_info(fs.FileSelector(f"{self.path}/{folder}")):
                if info.base_name.startswith("_"):
                    self.filesystem.delete_file(info.path)
        content = json.dumps({"options": described, "files": known_files}, indent=2).encode()
        self._commit(STATE_FILE, lambda stream: stream.write(content))
        names = self.filesystem.get_file_info(fs.FileSelector(f"{self.path}/decisions"))
        return frozenset(info.base_name.removesuffix(PARQUET) for info in names)

    def write(self, part: str, tables: PartTables) -> None:
        """Write the rows of a part, the same files whenever the part is written again."""
        if tables.embeddings is not None:
            self._write_table(f"embeddings/{part}{PARQUET}", tables.embeddings)
        if tables.bad:
            lines = "".join(
                json.dumps({name: value for name, value in asdict(row).items() if value is not None}) + "\n"
                for row in tables.bad
            )
            self._commit(f"bad/{part}.jsonl", lambda stream: stream.write(lines.encode()))
        self._write_table(f"decisions/{part}{PARQUET}", tables.decisions)

    def _read_state(self) -> Mapping[str, Any] | None:
        try:
            with self.filesystem.open_input_stream(f"{self.path}/{STATE_FILE}") as stream:
                state: Mapping[str, Any] = json.loads(stream.read())
                return state
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise ConvgateError(f"{self.path}/{STATE_FILE} is damaged: {error}") from error

    def _write_table(self, name: str, table: Table) -> None:
        self._commit(name, lambda stream: parquet.write_table(table, stream, compression="zstd"))

    def _commit(self, name: str, write: Callable[[NativeFile], object]) -> None:
        """Write a file whole: under another name first, so that no reader takes half of it for the whole."""
        folder, _, base = f"{self.path}/{name}".rpartition("/")
        partial = f"{folder}/_{uuid.uuid4().hex}"
        with self.filesystem.open_output_stream(partial) as stream:
            write(stream)
        self.filesystem.move(partial, f"{folder}/{base}")


def _describe(options: BatchOptions) -> dict[str, Any]:
    """Return what changes the results, as JSON has it."""
    settings = options.settings.model_dump(include=dict(SELECTING))
    values = {name: value for name, value in settings.items() if name not in SECTIONS}
    for section in SECTIONS.keys() & settings.keys():
        values |= {f"{section}.{name}": value for name, value in settings[section].items()}
    values["gatekeeper.rules"] = options.settings.gatekeeper.rules
    own = {name: value for name, value in vars(options).items() if name != "settings"}
    described: dict[str, Any] = json.loads(json.dumps(values | own, default=str))
    return described
