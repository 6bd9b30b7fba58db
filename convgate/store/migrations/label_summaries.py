"""Counts that follow every label."""

from __future__ import annotations

from sqlite_utils import Database

_PAIR_CELLS = ("both", "only_first", "only_second", "neither", "unsure")


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
