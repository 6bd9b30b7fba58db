"""German: what takes back or puts right what was said."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

CORRECTIONS = (
    Pattern(
        "correction",
        "nein, das ist",
        r"""
            (?:nein|ne|nee|quatsch)(?: |, ?|\. ?|! ?|; ?
            | ?- ?)(?:sorry,? |warte,? |moment,? |nein,? |doch,? )?(?:das|es|ich meinte|ich meine
            |ich habe|ich hatte|eigentlich|der|die|den|wir
            |nicht|so|er|sie|mein|meine|unser|unsere|am|um|im|sondern|tatsachlich|stimmt nicht|hier
            |nimm|nur)
        """,
        unless=r"""
            (?:nein|nee|ne)[,.!]? (?:das (?:ist|war'?s|reicht|passt|war) ?(?:alles|es|gut|ok|okay
            |in ordnung|schon)?$|das (?:ist|war|ware) (?:alles|gut|ok|okay|in ordnung|nicht notig
            |schon gut)|das war's|das wars|das reicht|das passt|nicht notig|es reicht|es passt)
        """,
        opens_clause=True,
    ),
    Pattern(
        "correction",
        "das ist falsch",
        r"""
            (?:ist|war|waren|sind|leider|vollig|ganz|total) (?:[a-z]+ )?(?:falsch|nicht richtig
            |nicht korrekt|inkorrekt|verkehrt|unrichtig)
            |falsch(?:e[rsnm]?)? (?:datei|version|adresse|antwort|tabelle|seite|ordner|zeile|spalte
            |stadt|person|name|datum)|stimmt (?:so |doch |gar |uberhaupt )?nicht|falsch[,:!]+ ?[a-z0-9_]+
            |(?:das|so) (?:habe|hab|hatte) ich (?:so |aber |gar )?nicht (?:gemeint|gesagt|gewollt)
            |nicht (?:das )?was ich|nicht,? was ich|nicht danach gefragt
            |(?:du|sie) (?:hast|haben) (?:mich |das |es |da )*(?:falsch|missverstanden)
        """,
        unless=r"""
            (?:was|etwas|irgendwas|nichts|ob|wenn|warum|wieso|bin ich|mach\w* ich
            |hab\w* ich) [^.!?\n]{0,40}(?:falsch|nicht richtig|stimmt)|(?:richtig|wahr) oder falsch
            |(?:lauft|geht|ging|lief|schief|machen|gemacht|mache) falsch
        """,
    ),
    Pattern(
        "correction",
        "ich meinte",
        r"""
            ich meinte|(?:ich|wir) (?:habe?n?
            |hatten?) (?:doch |aber |schon |eigentlich |extra |ausdrucklich )*[^.!?\n]{0,30}gesagt
            |gemeint (?:war|habe ich|ist|hatte ich)
            |ich (?:sagte|wollte (?:aber |eigentlich )?(?:den|die|das))
        """,
        unless=r"""
            (?:als|wenn|was|wie|dass) ich [^.!?\n]{0,30}(?:gesagt|sagte|meinte)
            |(?:hallo|danke|tschuss) gesagt|ich habe? (?:ihm|ihr|meine[mr]|ihnen)
        """,
    ),
    Pattern(
        "correction",
        "eigentlich ist es",
        r"""
            (?:eigentlich|tatsachlich|genauer gesagt|korrektur|moment),?:? (?:ist|sind|war|meinte
            |heisst|heist|geht|wollte|habe|haben|nicht|der|die|das|es|nein|am|um)
        """,
        unless="eigentlich (?:ist (?:das|es) (?:gut|super|ok|okay|schon)|geht es mir)",
        opens_clause=True,
    ),
)
