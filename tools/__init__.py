"""Tools for those who work on convgate; not part of the package."""
