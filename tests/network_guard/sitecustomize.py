"""Loaded by every Python that has this folder on PYTHONPATH: child processes of a test are guarded as well."""

import loopback_only

loopback_only.install()
