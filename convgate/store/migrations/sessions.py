"""Tables of sessions: when somebody worked, on which conversations, and boundaries that people moved."""

from __future__ import annotations

from sqlite_utils import Database


def m009_sessions(db: Database) -> None:
    """Sessions, what is in them, and moved boundaries; conversations from before are in one session."""
    # state: what the next message has to know of those before it. present: the conversation that is open.
    db.execute("""
        CREATE TABLE sessions (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            workspace TEXT NOT NULL,
            started TEXT NOT NULL,
            ended TEXT,
            reason TEXT NOT NULL DEFAULT '',
            active INTEGER NOT NULL,
            last_activity TEXT NOT NULL,
            conversation_count INTEGER NOT NULL DEFAULT 0,
            present INTEGER,
            state TEXT NOT NULL DEFAULT '{}',
            CHECK (active = (ended IS NULL))
        )""")
    db.execute("CREATE UNIQUE INDEX sessions_active ON sessions (workspace) WHERE active")
    db.execute("CREATE INDEX sessions_by_workspace ON sessions (workspace, last_activity)")
    db.execute("CREATE INDEX sessions_by_activity ON sessions (last_activity)")
    db.execute("CREATE INDEX sessions_by_end ON sessions (ended) WHERE ended IS NOT NULL")
    # A conversation that an agent had, and the one of the library that tells it, where there is one. Agents
    # hold its number, which never names another.
    db.execute("""
        CREATE TABLE session_conversations (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            session INTEGER REFERENCES sessions (number) ON DELETE SET NULL,
            conversation INTEGER UNIQUE REFERENCES conversations (number) ON DELETE CASCADE,
            began TEXT NOT NULL,
            last_activity TEXT NOT NULL,
            workflow_state TEXT,
            title TEXT NOT NULL DEFAULT '',
            tags TEXT NOT NULL DEFAULT '[]'
        )""")
    db.execute(
        "CREATE INDEX session_conversations_by_activity ON session_conversations (session, last_activity)"
    )
    for event, changes in {
        "INSERT": [("new", "+")],
        "DELETE": [("old", "-")],
        "UPDATE OF session": [("old", "-"), ("new", "+")],
    }.items():
        counted = " ".join(
            f"UPDATE sessions SET conversation_count = conversation_count {sign} 1"
            f" WHERE number = {row}.session;"
            for row, sign in changes
        )
        db.execute(
            f"CREATE TRIGGER sessions_count_{event.split()[0].lower()} AFTER {event} ON session_conversations"
            f" BEGIN {counted} END"
        )
    # kind: what begins with the turn, against what the rules say.
    db.execute("""
        CREATE TABLE moved_boundaries (
            conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
            turn INTEGER NOT NULL CHECK (turn > 0),
            kind TEXT NOT NULL CHECK (kind IN ('session', 'conversation', 'none')),
            note TEXT NOT NULL DEFAULT '',
            at TEXT NOT NULL,
            PRIMARY KEY (conversation, turn)
        ) WITHOUT ROWID""")
    db.execute("""
        INSERT INTO sessions (id, workspace, started, ended, reason, active, last_activity)
        SELECT 'session_' || coalesce(strftime('%Y%m%d_%H%M%S', min(added_at)), '00000000_000000') || '_0000',
            'legacy', min(added_at), max(added_at), 'It has what was here before there were sessions.', 0,
            max(added_at)
        FROM conversations HAVING count(*) > 0""")
    db.execute("""
        INSERT INTO session_conversations (session, conversation, began, last_activity)
        SELECT sessions.number, conversations.number, added_at, added_at FROM conversations, sessions""")


def m010_boundary_changes(db: Database) -> None:
    """What moved boundaries were before each change, so that it can be undone; sessions by their state."""
    # What was said of the turn before the step; kind is NULL where nothing was.
    db.execute("""
        CREATE TABLE boundary_changes (
            conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
            step INTEGER NOT NULL,
            turn INTEGER NOT NULL,
            kind TEXT,
            note TEXT,
            at TEXT,
            PRIMARY KEY (conversation, step, turn)
        ) WITHOUT ROWID""")
    db.execute("CREATE INDEX sessions_by_state ON sessions (active, last_activity)")
    db.execute("CREATE INDEX sessions_by_workspace_state ON sessions (workspace, active, last_activity)")
