"""How the database came to look as it does: append a migration, never change one that was released.

A migration calls nothing of the rest of convgate: what later code changes must not change what it does. Every
room that keeps something adds its tables here, and a repository file of its own.
"""

from __future__ import annotations

from sqlite_utils import Migrations

from convgate.store.migrations import (
    conversations,
    invariants,
    label_summaries,
    labels,
    requests,
    sessions,
)

migrations = Migrations("convgate")

for step in (
    conversations.m001_conversations,
    labels.m002_labels,
    conversations.m003_conversation_rules,
    conversations.m004_openings,
    labels.m005_queues,
    label_summaries.m006_label_summaries,
    conversations.m007_split_groups,
    labels.m008_label_undoes,
    sessions.m009_sessions,
    sessions.m010_boundary_changes,
    invariants.m011_invariant_edits,
    requests.m012_requests,
):
    migrations()(step)
