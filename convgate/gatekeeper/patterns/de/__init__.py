"""German: all that the gatekeeper knows of it; here greetings, confirmations, and how one asks."""

from __future__ import annotations

from convgate.gatekeeper.patterns.de.corrections import CORRECTIONS
from convgate.gatekeeper.patterns.de.decisions import DECISIONS
from convgate.gatekeeper.patterns.de.named import NAMED
from convgate.gatekeeper.patterns.de.policies import POLICIES
from convgate.gatekeeper.patterns.de.preferences import PREFERENCES
from convgate.gatekeeper.patterns.language import Language

GERMAN = Language(
    code="de",
    named=NAMED,
    patterns=(*CORRECTIONS, *PREFERENCES, *POLICIES, *DECISIONS),
    greetings=r"""
        hallo|hallochen|hi|guten (?:morgen|tag|abend)|gute[nr]? morgen|moin(?: moin)?|servus|gruss? gott
        |gruezi|gruss? dich|morgen|tach|na|hey|mahlzeit|grusse
    """,
    pleasantries=r"""
        zusammen|alle|allerseits|leute|team|liebes team|ihr lieben|ihr|du|da|an alle|miteinander|und
        |mein freund|frau|herr|liebe kollegen|wie geht(?:'s| es)?(?: dir| ihnen| euch)?(?: heute| so)?
        |wie gehts(?: dir| euch)?|alles (?:gut|klar)(?: bei dir)?|was geht(?: ab)?
        |was gibt(?:'s| es) neues|schon(?:en)? (?:tag|abend|dich zu sehen)|guten (?:morgen|tag|abend)
        |freut mich|sie|bist du da
    """,
    confirmations=r"""
        ja|nein|danke|vielen dank|danke schon|dankeschon|danke dir|besten dank|ok danke|verstanden
        |alles klar|klar|gut|sehr gut|super|prima|toll|genau|in ordnung|passt|einverstanden|jo|jep|jup
        |ne|nee|na klar|gerne|gern|perfekt|klasse|cool|richtig|stimmt|jawohl|geht klar|alles gut
        |okay danke|doch|nice
    """,
    yes_or_no=r"""
        ja|nein|jo|jep|jup|ne|nee|na klar|klar|gerne|gern|ja bitte|nein danke|doch|jawohl|genau
    """,
    agreements="einverstanden|in ordnung|geht klar|alles klar|passt",
    questions=r"""
        (?:was|welche[rsnm]?|wer|wen|wem|wie|warum|wieso|weshalb|wo|wann|woher|wohin|wozu|womit|ob)\b
        |(?:soll|sollen|sollten|sollte|muss|mussen|kann|konnen|kannst|konnt|darf|durfen|willst|wollen
        |magst|mogt|bevorzugst|bevorzugen|nutzt|benutzt|hast|haben|hat|habt|ist|sind|bist|seid|wird
        |werden|machst|macht|machen|verwenden|verwendet|wurdest) (?:ich|wir|du|sie|ihr|er|es|man|das
        |die|der|euer|unser\w*|eure)
    """,
    open_questions=r"""
        was|welche[rsnm]?|wer|wen|wem|wie|warum|wieso|weshalb|wo|wann|woher|wohin|wozu|womit
    """,
    choices=r"""
        welche[rsnm]? [^?]{0,60}(?:sollen|sollten|soll|nehmen|mochtest|mochten|willst|wollen
        |bevorzug\w+|verwenden|nutzen|hattest|wollt|darf)|soll ich|sollen wir|sollten wir|sollte ich
        |nehmen wir|wollen wir|mochtest du|mochten sie|\w+ oder \w+|willst du
        |was (?:sollen|nehmen|wollen) (?:wir|sie)|(?:wann|wo|wie|wer) (?:soll|sollen|sollten|sollte)
        |wofur|hattest du lieber|(?:verwenden|nutzen) wir
    """,
    invitations=r"""
        sag (?:mir )?(?:bitte )?(?:bescheid|welche|ob|wie|was|wann)
        |sagen sie (?:mir )?(?:bitte )?(?:bescheid|welche|ob|wie|was)
        |bitte (?:wahle|wahlen|bestatige|bestatigen|angeben|nennen)|(?:wahle|such dir)
    """,
    offers=r"(?:wie|womit) kann ich|was kann ich (?:fur|heute)",
)
