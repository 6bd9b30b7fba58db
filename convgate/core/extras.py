"""What needs more than `pip install convgate` names its extra when a package is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from convgate.core.errors import MissingExtraError


@contextmanager
def needs_extra(name: str, what: str) -> Iterator[None]:
    """Import packages of an extra in this block; MissingExtraError tells how to install one that is missing.

    >>> with needs_extra("train", "training"):
    ...     import no_such_package
    Traceback (most recent call last):
    convgate.core.errors.MissingExtraError: training needs no_such_package: pip install "convgate[train]"
    """
    try:
        yield
    except ImportError as error:
        package = (error.name or str(error)).partition(".")[0]
        raise MissingExtraError(f'{what} needs {package}: pip install "convgate[{name}]"') from error
