"""How the database came to look as it does: append a migration, never change one that was released.

Every room that keeps something adds its tables here, and a repository file of its own.
"""

from __future__ import annotations

from sqlite_utils import Database, Migrations

migrations = Migrations("convgate")


@migrations()
def m001_conversations(db: Database) -> None:
    """Conversations: what lists show, the documents, and an index of every substring of three letters."""
    db.execute("""
        CREATE TABLE conversations (
            number INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            title TEXT NOT NULL,
            format TEXT NOT NULL,
            turns INTEGER NOT NULL,
            tokens INTEGER,
            origin TEXT NOT NULL,
            added_at TEXT NOT NULL,
            deleted_at TEXT
        )""")
    db.execute("CREATE INDEX conversations_by_time ON conversations (deleted_at, added_at)")
    # Apart from the list's columns, so that listing never reads past megabytes of text.
    db.execute("""
        CREATE TABLE documents (
            number INTEGER PRIMARY KEY REFERENCES conversations (number) ON DELETE CASCADE,
            document TEXT NOT NULL
        )""")
    # Trigrams find parts of words, and words of languages that do not put spaces between them.
    db.execute("CREATE VIRTUAL TABLE conversation_search USING fts5 (title, text, tokenize = 'trigram')")


@migrations()
def m002_labels(db: Database) -> None:
    """Labels: who says what of which turn. The log has what happened, the other tables what holds."""
    db.execute("""
        CREATE TABLE annotators (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            kind TEXT NOT NULL CHECK (kind IN ('person', 'agent', 'adjudication')),
            trains INTEGER NOT NULL DEFAULT 1
        )""")
    # A message to answer: a turn of a conversation, or a question put after its last turn.
    db.execute("""
        CREATE TABLE situations (
            number INTEGER PRIMARY KEY,
            conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
            turn INTEGER,
            question TEXT NOT NULL DEFAULT '',
            CHECK ((turn IS NULL) = (question <> ''))
        )""")
    db.execute(
        "CREATE UNIQUE INDEX situations_once ON situations (conversation, coalesce(turn, -1), question)"
    )
    db.execute("""
        CREATE TABLE label_actions (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            annotator INTEGER NOT NULL REFERENCES annotators (number),
            kind TEXT NOT NULL,
            at TEXT NOT NULL,
            origin TEXT NOT NULL DEFAULT '',
            undoes INTEGER
        )""")
    db.execute("CREATE INDEX label_actions_by_annotator ON label_actions (annotator, number)")
    # turn: the earlier turn, or -1 for the message as a whole.
    db.execute("""
        CREATE TABLE label_log (
            number INTEGER PRIMARY KEY,
            action INTEGER NOT NULL REFERENCES label_actions (number),
            situation INTEGER NOT NULL REFERENCES situations (number) ON DELETE CASCADE,
            turn INTEGER NOT NULL CHECK (turn >= -1),
            annotator INTEGER NOT NULL REFERENCES annotators (number),
            what TEXT NOT NULL CHECK (what IN ('answer', 'note')),
            before TEXT,
            after TEXT,
            at TEXT NOT NULL,
            version TEXT
        )""")
    db.execute("CREATE INDEX label_log_by_action ON label_log (action)")
    db.execute("CREATE INDEX label_log_by_situation ON label_log (situation)")
    for table, value in (("labels", "answer"), ("label_notes", "note")):
        db.execute(f"""
            CREATE TABLE {table} (
                situation INTEGER NOT NULL REFERENCES situations (number) ON DELETE CASCADE,
                turn INTEGER NOT NULL,
                annotator INTEGER NOT NULL REFERENCES annotators (number),
                {value} TEXT NOT NULL,
                at TEXT NOT NULL,
                version TEXT,
                PRIMARY KEY (situation, turn, annotator)
            ) WITHOUT ROWID""")
        key = "situation = new.situation AND turn = new.turn AND annotator = new.annotator"
        db.execute(f"""
            CREATE TRIGGER {table}_follow AFTER INSERT ON label_log WHEN new.what = '{value}'
            BEGIN
                DELETE FROM {table} WHERE {key};
                INSERT INTO {table} SELECT new.situation, new.turn, new.annotator, new.after, new.at,
                    new.version WHERE new.after IS NOT NULL;
            END""")
    db.execute("CREATE INDEX labels_by_annotator ON labels (annotator, turn, situation, answer)")
    for table in ("label_log", "label_actions"):
        db.execute(f"""
            CREATE TRIGGER {table}_stays BEFORE UPDATE ON {table}
            BEGIN SELECT raise(ABORT, 'the log of labels is only ever added to'); END""")
    # What training and metrics take for true. An adjudicated answer counts before people's, theirs before
    # what agents told; among equals the majority counts, and a tie is as good as unsure.
    db.execute("""
        CREATE VIEW gold AS
        SELECT situation, turn, CASE
                WHEN adjudicated IS NOT NULL THEN adjudicated
                WHEN (people AND votes > 0) OR (NOT people AND told > 0) THEN 'relevant'
                WHEN (people AND votes < 0) OR (NOT people AND told < 0) THEN 'not_relevant'
                ELSE 'unsure'
            END AS answer
        FROM (
            SELECT situation, turn,
                max(CASE WHEN kind = 'adjudication' THEN answer END) AS adjudicated,
                sum(kind = 'person') AS people,
                sum((kind = 'person') * ((answer = 'relevant') - (answer = 'not_relevant'))) AS votes,
                sum((kind = 'agent') * ((answer = 'relevant') - (answer = 'not_relevant'))) AS told
            FROM labels JOIN annotators ON annotators.number = labels.annotator
            WHERE turn >= 0 AND trains
            GROUP BY situation, turn
        )""")


@migrations()
def m003_conversation_rules(db: Database) -> None:
    """Rules that people chose for one conversation alone, as an address has them."""
    db.execute("""
        CREATE TABLE conversation_rules (
            conversation INTEGER PRIMARY KEY REFERENCES conversations (number) ON DELETE CASCADE,
            policy TEXT NOT NULL,
            choice TEXT NOT NULL,
            note TEXT NOT NULL,
            chosen_at TEXT NOT NULL
        )""")


@migrations()
def m004_openings(db: Database) -> None:
    """How conversations begin, so that one is found again as it grows; keys that they had before."""
    # hash: of who said what in the first turns of a conversation, this many.
    db.execute("""
        CREATE TABLE openings (
            hash BLOB NOT NULL,
            conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
            length INTEGER NOT NULL,
            PRIMARY KEY (hash, conversation, length)
        ) WITHOUT ROWID""")
    db.execute("CREATE INDEX openings_by_conversation ON openings (conversation)")
    # Conversations that agents told of, and go on telling of while they last.
    db.execute("""
        CREATE TABLE live_conversations (
            conversation INTEGER PRIMARY KEY REFERENCES conversations (number) ON DELETE CASCADE
        )""")
    db.execute("""
        CREATE TABLE former_keys (
            key TEXT PRIMARY KEY,
            conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE
        ) WITHOUT ROWID""")
    db.execute("CREATE INDEX former_keys_by_conversation ON former_keys (conversation)")
    db.execute("""
        CREATE VIEW conversation_keys AS
        SELECT key, number FROM conversations UNION ALL SELECT key, conversation FROM former_keys""")
    from convgate.store import documents  # they need a store themselves
    from convgate.store.openings import Openings

    for number, document in db.execute("SELECT number, document FROM documents").fetchall():
        Openings(db).put(number, documents.load(document).turns)


@migrations()
def m005_queues(db: Database) -> None:
    """Queues: which turns are to be judged, in which order, and why each."""
    db.execute("""
        CREATE TABLE queues (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            made_by TEXT NOT NULL,
            made_at TEXT NOT NULL,
            seed INTEGER NOT NULL,
            deleted_at TEXT
        )""")
    db.execute("""
        CREATE TABLE queue_items (
            queue INTEGER NOT NULL REFERENCES queues (number) ON DELETE CASCADE,
            place INTEGER NOT NULL,
            situation INTEGER NOT NULL REFERENCES situations (number) ON DELETE CASCADE,
            turn INTEGER NOT NULL CHECK (turn >= 0),
            kind TEXT NOT NULL,
            reason TEXT NOT NULL,
            PRIMARY KEY (queue, place)
        ) WITHOUT ROWID""")
    db.execute("CREATE UNIQUE INDEX queue_items_once ON queue_items (situation, turn, queue)")
    db.execute("CREATE INDEX labels_by_time ON labels (annotator, at)")


_PAIR_CELLS = ("both", "only_first", "only_second", "neither", "unsure")


@migrations()
def m006_label_summaries(db: Database) -> None:
    """What people say of a turn together, and by twos: kept with every label, because counting takes seconds.

    Neither table has foreign keys: both follow the labels, and empty with them.
    """
    db.execute("""
        CREATE TABLE label_turns (
            situation INTEGER NOT NULL,
            turn INTEGER NOT NULL,
            relevant INTEGER NOT NULL,
            not_relevant INTEGER NOT NULL,
            unsure INTEGER NOT NULL,
            newest TEXT NOT NULL,
            settled TEXT,
            settled_at TEXT,
            PRIMARY KEY (situation, turn)
        ) WITHOUT ROWID""")
    db.execute(
        "CREATE INDEX label_turns_disputed ON label_turns (newest, settled)"
        " WHERE relevant > 0 AND not_relevant > 0"
    )
    counts = """
        SELECT situation, turn, sum(kind = 'person' AND answer = 'relevant'),
            sum(kind = 'person' AND answer = 'not_relevant'), sum(kind = 'person' AND answer = 'unsure'),
            max(CASE WHEN kind = 'person' THEN at END),
            max(CASE WHEN kind = 'adjudication' THEN answer END),
            max(CASE WHEN kind = 'adjudication' THEN at END)
        FROM labels JOIN annotators ON annotators.number = annotator
        WHERE turn >= 0 {and_that} GROUP BY situation, turn HAVING sum(kind = 'person') > 0"""
    # `first` has the smaller number; a week is its Monday in UTC, and that of the later answer.
    db.execute(f"""
        CREATE TABLE label_pairs (
            situation INTEGER NOT NULL,
            first INTEGER NOT NULL,
            second INTEGER NOT NULL,
            week TEXT NOT NULL,
            {" ".join(f"{cell} INTEGER NOT NULL," for cell in _PAIR_CELLS)}
            PRIMARY KEY (situation, first, second, week)
        ) WITHOUT ROWID""")
    pairs = """
        SELECT one.situation, one.annotator AS first, two.annotator AS second,
            date(max(one.at, two.at), 'weekday 0', '-6 days') AS week,
            {sign} (one.answer = 'relevant' AND two.answer = 'relevant') AS both,
            {sign} (one.answer = 'relevant' AND two.answer = 'not_relevant') AS only_first,
            {sign} (one.answer = 'not_relevant' AND two.answer = 'relevant') AS only_second,
            {sign} (one.answer = 'not_relevant' AND two.answer = 'not_relevant') AS neither,
            {sign} (one.answer = 'unsure' OR two.answer = 'unsure') AS unsure
        FROM {one} AS one JOIN {two} AS two ON two.situation = one.situation AND two.turn = one.turn
            AND two.annotator > one.annotator
        JOIN annotators AS a ON a.number = one.annotator AND a.kind = 'person'
        JOIN annotators AS b ON b.number = two.annotator AND b.kind = 'person'
        WHERE one.turn >= 0"""
    sums = ", ".join(f"sum({cell})" for cell in _PAIR_CELLS)
    added = ", ".join(f"{cell} = {cell} + excluded.{cell}" for cell in _PAIR_CELLS)
    none = " AND ".join(f"{cell} = 0" for cell in _PAIR_CELLS)
    for event, row, sign in (("INSERT", "new", "+"), ("DELETE", "old", "-")):
        that = f"AND situation = {row}.situation AND turn = {row}.turn"
        columns = ", ".join(
            f"{row}.{column} AS {column}" for column in ("situation", "turn", "annotator", "answer", "at")
        )
        itself = f"(SELECT {columns})"
        changes = " UNION ALL ".join(
            pairs.format(sign=sign, one=one, two=two) for one, two in ((itself, "labels"), ("labels", itself))
        )
        db.execute(f"""
            CREATE TRIGGER label_summaries_after_{event.lower()} AFTER {event} ON labels WHEN {row}.turn >= 0
            BEGIN
                DELETE FROM label_turns WHERE situation = {row}.situation AND turn = {row}.turn;
                INSERT INTO label_turns {counts.format(and_that=that)};
                INSERT INTO label_pairs SELECT * FROM ({changes}) WHERE true
                    ON CONFLICT (situation, first, second, week) DO UPDATE SET {added};
                DELETE FROM label_pairs WHERE situation = {row}.situation AND {none};
            END""")
    db.execute(f"INSERT INTO label_turns {counts.format(and_that='')}")
    whole = pairs.format(sign="+", one="labels", two="labels")
    db.execute(
        f"INSERT INTO label_pairs SELECT situation, first, second, week, {sums} FROM ({whole})"
        " GROUP BY situation, first, second, week"
    )
