"""German: what has to be, may not be, or may be only so."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

OBLIGATIONS = (
    Pattern(
        "obligation",
        "must",
        r"""
            (?:muss|mussen|musst|musste|hat|haben|ist|sind) (?:[^.!?\n]{0,80} )?(?:sein|bleiben
            |haben|passen|laufen|gehen|funktionieren|enthalten|zu [a-z]+|[a-z]+en|[a-z]+zu[a-z]+en
            |rein|raus|weg|mit|[a-z]+bar)|(?:muss|mussen) (?:[a-z]+ ){0,8}[a-z0-9]+|(?:darf|durfen
            |darfst|durft) (?:[^.!?\n]{0,60} )?(?:nicht|nie|niemals|kein[a-z]*|nur|hochstens|maximal
            |niemand|auf keinen fall|nirgends|nichts)|(?:nicht|nie|niemals|kein[a-z]*|niemand|nichts
            |nur) [^.!?\n]{0,60}(?:darf|durfen)|sollen? (?:[a-z]+ ){0,4}(?:immer|nie|niemals|nur
            |stets)
        """,
        unless=r"""
            man muss (?:halt|eben|ja|nur|einfach) [^.!?\n]*|(?:hat|haben|ist|sind|hatte
            |war) [^.!?\n]*(?:en|t|haben|sein|gehen|gemacht)|ich muss (?:schon |ehrlich |
            echt )?(?:sagen|zugeben|gestehen|los|weg|noch|morgen|heute|jetzt|nur|dringend|mal|ja
            |leider|zum|zur|nach|in|auf|einen?|eine|die|den|das)|(?:muss
            |mussen) (?:[a-z]+ ){0,6}(?:gewesen|gehabt|sein\?|gemacht haben|gewesen sein)|(?:was|wie
            |warum|wann|wo|wer|wenn|ob) [^.!?,\n]{0,40}muss|muss (?:ich|man|es|das) [^.!?\n]*[?]
            |(?:darf|durfen) (?:ich|man|wir) [^.!?\n]*[?]|das muss (?:am|an|der|die|ein)|muss (?:am
            |an der|an dem)
        """,
    ),
    Pattern(
        "obligation",
        "at most",
        r"""
            (?:hochstens|maximal|max\.?|mindestens|nicht (?:mehr|langer|spater|fruher|teurer|uber
            |unter|grosser|grober|hoher|schwerer|weniger|alter) als|nie (?:mehr|langer|uber
            |weniger) (?:als)?|keinesfalls mehr|bis (?:spatestens|maximal|hochstens)|spatestens
            |genau|exakt|unter|nicht uber) (?:[a-z]+ ){0,2}(?:[0-9]+|ein|eine|einen|einem|zwei|drei
            |vier|funf|sechs|zehn|halbe?|am|bis|um)[a-z0-9 ]*|[0-9]+ [a-z0-9%]+ (?:maximal|hochstens
            |maximum|mindestens|max)|keinen? (?:cent|euro|tag|minute|zeile|wort|gramm) (?:mehr
            |langer|spater|weniger)|mehr als [0-9]+ [a-z]+ (?:ist|sind|geht|gehen|darf|durfen|kann
            |konnen) [^.!?\n]*(?:nicht|kein[a-z]*)|mehr geht nicht|(?:die|das|unser|mein|meine
            |unsere|der) (?:budget|limit|grenze|obergrenze|frist|deadline|abgabe
            |hochstgrenze) (?:ist|liegt|betragt|bleibt)
        """,
        unless="""
            (?:hat|haben|war|waren|ist|sind|kostet|dauert|kostete|dauerte) (?:nur |etwa |bisher |
            jetzt )?(?:mindestens|hochstens|unter|genau|maximal)|unter (?:der|die|dem|den|einem
            |einer|ein|uns|anderem)|genau (?:das|so|der|die|ein|wie|am)|genau[,.!]
        """,
    ),
    Pattern(
        "obligation",
        "only",
        r"""
            (?:nur (?:[a-z]+mal|[0-9]+|ein|eine|einen|zwei|drei|vier|funf)|mehr (?:schaffe|kann|geht
            |ist|will|darf) [^.!?\n]{0,20}nicht|ausschliesslich|ausschlieslich|einzig|nichts (?:mit
            |aus|ausser|anderes|was|von|uber|das)|nichts (?:[a-z]+es)|nur (?:mit|in|auf|am|an|bei|im
            |zwischen|aus|von|vom|nach|vor|ab|bis|per|uber|fur|vegetarisch[a-z]*|vegan[a-z]*|deutsch
            |englisch|metrisch[a-z]*|[a-z]+(?:s|er|e|en)? (?:verwenden|nutzen|benutzen|nehmen
            |erlaubt|zugelassen|antworten|schreiben|zeigen)))(?: [a-z0-9]+)?|(?:nimm|verwende|nutze?
            |benutze?|nehmen sie|antworte|schreib[e]?|zeig[e]?|gib|plane
            |such[e]?) (?:[a-z]+ ){0,3}nur [a-z0-9]+|nur (?:noch )?(?:am|an|unsere|meine
            |diese) [a-z]+
        """,
        unless=r"""
            (?:ich|wir|er|sie|es) (?:habe|haben|hat|wollte|wollten|bin|sind|war|kenne|kann|sehe
            |sehen|suche|frage|fragte) (?:[a-z]+ )?nur|nicht nur|nur (?:mal|kurz|so|zur|damit
            |noch (?:mal|eine frage|schnell))|nichts (?:mit|von) (?:mir|alledem|dem)|(?:ist|war|sind
            |geht|passiert|druckt|zeigt|kommt|sehe|lauft) nur|nur [^.!?\n]{0,30}[?]
        """,
    ),
    Pattern(
        "obligation",
        "no …",
        """
            (?:keine?[nmrs]?|kein|ohne|nie|niemals|nichts|nicht|weder|nie wieder
            |nie mehr) (?:[a-z-]+ ){0,3}[a-z0-9-]{2,}
        """,
        unless="""
            (?:keine?[nmrs]?|kein) (?:ahnung|problem|probleme|sorge|sorgen|idee|ideen|lust|zeit|eile
            |stress|fragen?|weiteren? fragen?|unterschied|wunder|gluck|plan|grund|antwort|anderung
            |chance|fehler|fehlermeldung|zweifel|thema|angst|mensch|einziges|mal|so|wirkliche?
            |besonder[a-z]*|erfolg)|(?:nicht|nie|nichts|ohne) (?:so|sicher|schlecht|ganz
            |mehr (?:weiter)?|wahr|schlimm|notig|dass|nur|genau|wirklich|weiter|unbedingt|zu|viel
            |gut|der|die|das|das selbe|passiert|los|gefunden|gesehen|gehort|verstanden|gewusst
            |zu danken|besonderes|zu tun|gleich|einfach|verkehrt|geholfen|leicht|ohne|da|moglich)
            |nicht,? (?:oder|dass|ob|wie|was|warum)|ohne (?:zweifel|weiteres|ende|problem[e]?)
            |nie (?:gehort|gesehen|gemacht|gewusst|gedacht)
        """,
        opens_clause=True,
    ),
    Pattern(
        "obligation",
        "not allowed",
        r"""
            (?:verboten|nicht erlaubt|nicht gestattet|nicht zulassig|unzulassig|tabu|zwingend
            |unbedingt|pflicht|vorgeschrieben|vorschrift|auf keinen fall|unter keinen umstanden
            |keinesfalls|in keinem fall|auf gar keinen fall|ausnahmslos|ohne ausnahme
            |keine ausnahmen?|strikt|strengstens|nicht verhandelbar|fest vorgegeben
            |kommt nicht in frage|kommt nicht infrage|geht gar nicht|ein muss|ist gesetzt|zwingende
            |bedingung ist|vorgabe ist|wichtig ist,? dass|wichtig:|achte (?:immer |
            unbedingt )?darauf|achten sie darauf|stelle? sicher|stellen sie sicher|pass auf,? dass
            |sorge dafur)|(?:niemand|keiner) [a-z]+|(?:ich|wir|sie|er) (?:kann|konnen|will|wollen
            |werde|werden) (?:auf keinen fall|keinesfalls|nicht mehr als|hochstens|maximal
            |nur) [^.!?\n]+|(?:vertragt|vertrage|vertragen|isst|esse|essen|trinkt
            |trinke) [^.!?\n]{0,30}(?:kein[a-z]*|nicht|nie)
        """,
        unless=r"""
            (?:niemand|keiner) (?:weiss|wusste|kennt|will|mag|hat|ist|kommt|war|versteht|antwortet
            |da)|nicht unbedingt|(?:ist|sind) (?:das|es|die|der) [^.!?\n]{0,30}(?:verboten|erlaubt
            |pflicht|zwingend)[^.!?\n]*[?]
        """,
    ),
    Pattern(
        "obligation",
        "always",
        r"""
            (?:immer|stets|jedes mal|grundsatzlich|durchgehend|uberall) (?:mit|in|auf|als|zuerst
            |erst|der|die|das|eine?|einen|vor|nach|an|am|auch|per|bei|unter|von|im|du|sie|nur|genau
            |zwei|drei|[a-z]+en|[a-z]+)|bei allen? [^.!?\n]{3,}|vor jede[mnrs]? [^.!?\n]{3,}
            |nach jede[mnrs]? [^.!?\n]{3,}|in allen? (?:texten|antworten|mails|dateien|tabellen)
            |(?:ab jetzt|ab sofort|von nun an|kunftig|in zukunft|zukunftig)|(?:gilt|gelten) (?:fur
            |bei) (?:alle[sn]?|jede[nsrm]?)
        """,
        unless=r"""
            (?:ich|er|sie|es|man|wir|die|der|das|mein|meine|unser|unsere|meldung|garten|[a-z]+er
            |[a-z]+) (?:[a-z]+ )?(?:macht|mache|machen|ist|sind|war|hat|habe|haben|hatte|sagt|sage
            |sagte|kommt|geht|wird|freut|freue|vergisst|vergesse|will|wollte|mag|mochte|bekomme
            |kriege|sehe|spiele|lese|finde|dachte|denke|lauft|laufe|zeigt|bleibt|passiert|brennt
            |blinkt|esse|isst|fahre|fahrt|koche|kocht|nehme|fangt|scheitert|hangt|ging|gab|gibt|lag
            |liegt|nutze|benutze|verwende) [^.!?,\n]{0,60}immer|(?:soll|muss|kann|darf
            |sollte) (?:ich|man|wir) [^.!?\n]*|immer (?:noch|wieder|mehr|ofter|schlimmer|gerne?|gut
            |schon|so|weiter|langsamer|schneller|kalter|nur)|(?:fur|wie|noch) immer
        """,
    ),
)
