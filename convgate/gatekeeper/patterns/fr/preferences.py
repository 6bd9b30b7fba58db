"""French: what a person or a team prefers."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

PREFERENCES = (
    Pattern(
        "preference",
        "je préfère",
        r"""
            je {very}prefere(?:rais)?|je ne prefere|ma preference (?:est|va|irait)
            |mon [a-z ]{2,30} (?:prefere|favori) (?:est|c'est)
            |ma [a-z ]{2,30} (?:preferee|favorite) (?:est|c'est)|j'aimerais (?:mieux|plutot|autant)
            |je veux plutot
        """,
        unless="je prefere (?:reflechir|attendre|dormir|penser)|si je prefere",
    ),
    Pattern(
        "preference",
        "j'aime",
        r"""
            j'(?:aime|adore|apprecie)|je n'(?:aime|apprecie) (?:pas|plus|guere|vraiment pas)
            |je (?:deteste|hais)|j'ai horreur|je ne supporte pas
        """,
        unless=r"""
            j'(?:aime|adore|apprecie) (?:bien |beaucoup |vraiment )?(?:ta|ton|tes|votre|vos|ca|cette|ce
            |cet|comment|la facon|quand tu|savoir)\b|j'aimerais|je deteste (?:te|vous|devoir) |si j'aime
            |que j'aime
        """,
    ),
    Pattern(
        "preference",
        "je veux",
        "je (?:ne )?(?:veux|voudrais)",
        unless=r"""
            je (?:ne )?(?:veux|voudrais) (?:pas |bien |juste |seulement )?(?:{mind}|[a-z]+(?:er|ir|re)
            |(?:que tu|que vous) (?:m'|me )?(?:donnes?|expliques?|expliquiez|aides?|aidiez|ecrives?
            |ecriviez|fasses?|fassiez
            |montres?|dises?|corriges?|verifies?|traduises?|resumes?)|un|une|du)\b|si je veux
            |ce que je veux
        """,
    ),
    Pattern(
        "preference",
        "j'utilise toujours",
        r"""
            j'[a-z]+ (?:toujours|jamais|d'habitude|generalement|habituellement)
            |je (?:n'|ne )?[a-z]+ (?:toujours|jamais|d'habitude|generalement|habituellement)
            |d'habitude,? (?:je|j')|j'ai l'habitude d
        """,
        unless=r"""
            (?:j'|je |je n'|je ne )(?:ai|suis|avais|etais|vois|obtiens|recois|sais|savais|oublie
            |comprends|attends|pense|trouve|me|m'en) (?:toujours|jamais|d'habitude)|si j[e']
        """,
    ),
    Pattern(
        "preference",
        "je n'utilise pas",
        "je n'utilise (?:pas|plus)",
    ),
    Pattern(
        "team_preference",
        "nous préférons",
        r"""
            nous {very}prefer(?:ons|erions)|on {very}prefer(?:e|erait)
            |(?:l'|notre |mon |toute l'|la |le ){noun} (?:entiere )?prefere(?:rait)?
            |la preference de (?:l'equipe|notre equipe)|notre preference
        """,
        unless="si (?:on|nous) prefer",
    ),
)
