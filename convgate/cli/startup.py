"""What has commands begin sooner."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType


def leave_out_pandas() -> None:
    """Have sqlite-utils loaded, when it is, as on a machine that has no pandas.

    It wants pandas for a type of value that convgate never stores, and pandas takes longer to load than all
    that a command such as `convgate labels` needs. Whatever else asks for pandas gets it.
    """
    if not {"pandas", "sqlite_utils.db"} & sys.modules.keys():
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "sqlite_utils.db":
            return None
        sys.meta_path.remove(self)
        found = PathFinder.find_spec(fullname, path, target)
        if found is not None and found.loader is not None:
            found.loader = _Loader(found.loader)
        return found


class _Loader(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def exec_module(self, module: ModuleType) -> None:
        sys.modules["pandas"] = None  # type: ignore[assignment] # importing it fails
        try:
            self._loader.exec_module(module)
        finally:
            del sys.modules["pandas"]
