"""German: what a person or a team prefers."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

PREFERENCES = (
    Pattern(
        "preference",
        "ich bevorzuge",
        r"""
            ich {very}(?:bevorzuge|praferiere|ziehe [^.!?\n]{2,40} vor)|bevorzuge ich
            |(?:ich (?:hatte|mochte|habe|will|nehme|arbeite|schreibe|nutze|benutze|verwende|lese|trinke
            |esse|fliege|fahre|sitze|mag|wurde|hab) (?:[a-z]+ ){0,3}?lieber)
            |mir (?:ist|ware|sind) (?:[a-z]+ ){0,3}lieber
            |(?:mein|meine) (?:[a-z]+ )?(?:vorliebe|praferenz|liebling[a-z]+)
            |ich [^.!?,\n]{1,40} am liebsten|am liebsten [a-z]+ ich|ich bin (?:kein|ein
            |nicht so der) (?:groser )?(?:fan|freund) von
        """,
        unless="wenn ich|ob ich|ich (?:denke|warte|schlafe) lieber",
    ),
    Pattern(
        "preference",
        "ich mag",
        r"""
            ich {very}(?:mag|liebe|hasse|verabscheue)
            |ich (?:kann|konnte) (?:[a-z]+ ){1,4}nicht (?:leiden|ausstehen)
            |mag ich (?:nicht|keine?|lieber|sehr)|(?:gefallt|gefallen) mir (?:nicht|besser)
        """,
        unless=r"""
            ich (?:mag|liebe) (?:deine?n?|ihre?n?|wie|das|dass|es|dich|sie|diese[rsnm]?)\b
            |ich hasse (?:es|das)\b|wenn ich
        """,
    ),
    Pattern(
        "preference",
        "ich will",
        r"""
            ich (?:will|mochte|hatte gern(?:e)?) (?:[a-z]+ )*?(?:keine?[nrms]?|nur|immer|alle
            |meine?[nrms]?|nie|niemals|kurze|lieber|nicht mehr|geduzt|gesiezt)
            |ich (?:will|mochte|hatte gerne?),? dass (?:du|sie) [^.!?\n]{0,20}(?:immer|nie|niemals|nur
            |keine?[nrms]?|stets)
        """,
        unless=r"""
            ich (?:will|mochte) (?:[a-z]+ )*?(?:nur |gern(?:e)? |mal )*(?:wissen|fragen|verstehen
            |lernen|sehen|horen|sagen|danken|bedanken)\b
            |ich (?:will|mochte) [^.!?\n]{0,40}(?:wissen|fragen|verstehen|danken|bedanken)|wenn ich
        """,
    ),
    Pattern(
        "preference",
        "ich … immer",
        r"""
            ich [a-z]+ (?:[a-z]+ ){0,2}?(?:immer|nie|niemals|meistens|meist|normalerweise|ublicherweise
            |gewohnlich|stets|grundsatzlich)\b
            |(?:normalerweise|meistens|ublicherweise|grundsatzlich|morgens|abends) [a-z]+ ich
            |[a-z]+ ich (?:immer|nie|niemals|stets|grundsatzlich|meistens)
        """,
        unless=r"""
            ich (?:bekomme|kriege|erhalte|sehe|habe?|hatte|war|bin|dachte|wusste|weiss?|verstehe
            |vergesse|wollte|finde|konnte|kann|wurde|werde|glaube|lande|horte|sagte
            |frage) (?:[a-z]+ ){0,2}?(?:immer|nie|niemals|meistens|meist|stets)
            |immer (?:noch|wieder|mehr|weniger|ofter|besser)
            |(?:bekomme|kriege|habe?|sehe|dachte|wollte|werde|muss|soll|kann) ich (?:immer|nie)|wenn ich
            |wieso|warum
        """,
    ),
    Pattern(
        "preference",
        "ich nutze kein",
        r"ich (?:nutze|benutze|verwende|esse|trinke|brauche) (?:keine?[nrms]?|nicht)\b",
    ),
    Pattern(
        "team_preference",
        "wir bevorzugen",
        r"""
            wir {very}(?:bevorzugen|praferieren|ziehen [^.!?\n]{2,40} vor|mogen lieber|hatten lieber
            |mochten lieber|nehmen lieber|arbeiten lieber|nutzen lieber|schreiben lieber)|bevorzugen wir
            |(?:das|unser|mein|das ganze|die|unsere|die ganze) {noun} (?:bevorzugt|praferiert|mag|zieht
            |mochte lieber|hatte lieber|arbeitet lieber|nutzt lieber|nimmt lieber)
            |uns (?:ist|ware|sind) (?:[a-z]+ ){0,3}lieber|unsere praferenz
        """,
        unless="wenn wir|ob wir",
    ),
)
