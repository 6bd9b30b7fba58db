"""German: what holds always, or never."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

POLICIES = (
    Pattern(
        "policy",
        "wir … immer",
        r"""
            wir [a-z]+ (?:[a-z]+ ){0,3}?(?:immer|nie|niemals|stets|grundsatzlich|ausschlieslich
            |ausschliesslich)\b|bei uns (?:wird|werden|gilt|ist|sind|gibt)
            |[a-z]+ wir (?:immer|nie|niemals|stets|grundsatzlich)
        """,
        said="both",
        unless=r"""
            wir (?:bekommen|kriegen|sehen|haben|hatten|waren|sind|dachten|wussten|wissen|vergessen
            |wollten|landen|horten|streiten|treffen|konnten) (?:[a-z]+ ){0,3}?(?:immer|nie|niemals
            |stets)|immer (?:kommt|ist|hat|wird|steht|sagt|passiert|geht|muss|bekomme|kriege|bleibt
            |kommen|sind|ofter|schlimmer|besser|locker
            |noch|wieder|mehr|weniger)|(?:wenn|was|wie|dass|ob|warum) wir
        """,
    ),
    Pattern(
        "policy",
        "wir müssen",
        r"wir (?:mussen|mussten|sollten|sollen|durfen) (?:[a-z]+ )?\w+",
        said="both",
        unless=r"""
            wir (?:mussten \w+|(?:sollten|mussen
            |sollen) (?:mal |bald |jetzt |noch |vielleicht |dann |zusammen |heute |morgen )*(?:los|gehen
            |essen|mittag|zum |zur |ins |in die|was |etwas |reden|sprechen|uns |warten|schauen|sehen
            |feiern|nach hause|heim|pause|eine pause
            |mittagessen|einen kaffee))
            |wir (?:sollten|mussen|sollen) [^.!?\n]{0,40}(?:essen gehen|gehen|mittagessen|treffen
            |feiern)|(?:wenn|was|wie|dass|ob|warum|wann|wo) wir
        """,
    ),
    Pattern(
        "policy",
        "unsere Regel",
        r"""
            (?:unser|unsere|unserer|unserem|unseren) (?:[a-z]+ )?(?:standard|konvention|konventionen
            |richtlinien?|regeln?|vorgaben?|policy|grundsatz|vorschrift(?:en)?)
            |(?:die|eine|hausinterne) regel (?:ist|lautet|bei uns|hier)
        """,
        said="both",
        unless=r"""
            (?:was|welche[rsn]?|wie|wo) [^.!?\n]{0,20}unsere? |unser standard(?:zimmer|paket|raum)
        """,
    ),
    Pattern(
        "policy",
        "nie … verwenden",
        r"""
            (?:verwende|benutze|benutz|nutze|nutz|nimm|verwenden sie|benutzen sie|nutzen sie|mach
            |schreib|schreibe|gib|speicher[e]?|logge?|push[e]?|committe?|teile?|losch[e]?|andere?
            |schick[e]?|sende|antworte) (?:[a-z0-9_.-]+ ){0,4}?(?:nie|niemals|nicht|keine?[nrms]?|immer
            |stets|ausschlieslich|bitte keine?[nrms]?)\b
        """,
        said="both",
        unless=r"""
            verwende ich|benutze ich|nutze ich|mach dir|mach (?:das |es )?nicht(?:s)?[.!]?$
            |nimm (?:es )?mir nicht
        """,
        opens_clause=True,
    ),
    Pattern(
        "policy",
        "immer …",
        r"""
            (?:immer|nie|niemals|stets|grundsatzlich) [^.!?\n]{2,}
            |(?:vermeide|vermeiden sie|vermeidet|verzichte|verzichten sie|auf keinen fall
            |unter keinen umstanden|keinesfalls) [a-z0-9_]+[^.!?\n]*
            |keine? [^.!?\n]{2,60} (?:verwenden|benutzen|nutzen|speichern|loggen|committen|pushen
            |schreiben|einchecken|weitergeben)
        """,
        unless=r"""
            immer (?:kommt|ist|hat|wird|steht|sagt|passiert|geht|muss|bleibt|kommen|sind|ofter|schlimmer
            |besser|noch|wieder|dasselbe|das gleiche|mehr|die|der|das|dieser?|diese[sn]?|wenn|ich|er
            |sie|gerne?|mit der)\b|nie (?:wieder|mehr|gehort|gesehen|gedacht)
            |nur (?:noch|mal|ein|eine|kurz|so|zur|damit|fur|ich|die|der|das|wenn|dass|weil|zwei|eins
            |heute|morgen|geht|ist)
        """,
        opens_clause=True,
    ),
    Pattern(
        "policy",
        "ab jetzt",
        r"""
            ab (?:jetzt|sofort|heute)|von (?:jetzt|nun|heute) an|kunftig|zukunftig|in zukunft|fortan
            |(?:jede[rsn]?|alle) [^.,!?\n]{2,50} (?:muss|mussen|durfen nicht|darf nicht)
            |(?:ist|sind) (?:bei uns |hier )(?:verboten|pflicht|tabu|vorgeschrieben)
            |(?:das|so) ist (?:bei uns )?(?:die |eine |unsere )?(?:regel|vorschrift|pflicht)
        """,
    ),
)
