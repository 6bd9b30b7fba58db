"""Loaded by every Python that has this folder on PYTHONPATH, so child processes are guarded too."""

import loopback_only

loopback_only.install()
