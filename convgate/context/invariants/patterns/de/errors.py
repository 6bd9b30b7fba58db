"""German: what the user says of what does not work."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

ERRORS = (
    Pattern(
        "error",
        "geht nicht",
        r"""
            (?:lauft|geht|startet|funktioniert|druckt|ladt|baut|verbindet|reagiert|heizt|springt
            |offnet|kompiliert|tut|klappt|ladet|zeigt|synchronisiert|spult|pumpt|kuhlt|drucken
            |laufen|starten|funktionieren|gehen) (?:[a-z]+ ){0,4}(?:nicht|nichts|nix|kein[a-z]*
            |nicht mehr)\b[^.!?\n]*|(?:nicht|nichts) (?:mehr )?(?:starten|laden|offnen|drucken
            |verbinden|einloggen|anmelden|installieren|erreichbar|erreichen)|(?:sturzt|sturzte
            |bricht|brach|hangt|friert|hing|stirbt|schlagt|schlug) (?:[a-z]+ ){0,4}(?:ab|sich auf
            |ein|fehl|fest)?|ist (?:kaputt|abgesturzt|tot|down|rot|defekt|blockiert)
            |(?:fehlermeldung|fehlercode|fehler [a-z]?[0-9]+)[^.!?\n]*|(?:meldet|meldung|display
            |anzeige|bildschirm|es)(?: zeigt| steht| kommt
            | sagt)? (?:[a-z]+ )*[:,]? ?\"[^\"\n]{3,}\"[^.!?\n]*|meldung \"[^\"\n]{3,}|(?:bekomme
            |kriege|erhalte|kommt) (?:[a-z]+ ){0,3}(?:meldung|fehler[a-z]*)[^.!?\n]*
            |im display steht[^.!?\n]*|(?:blinkt|leuchtet) (?:rot|dauernd|standig|nur)
        """,
        unless=r"""
            (?:wenn|falls|damit|ob|dass|was passiert) [^.!?,\n]{0,40}(?:geht|lauft|funktioniert
            |abst)|(?:es|das|so|mir) geht (?:[a-z]+ )?(?:nicht (?:um|darum)|nicht so gut)
            |geht gar nicht|mehr geht nicht|darf nicht[^.!?\n]*
        """,
        asked=True,
    ),
)
