"""French: what takes back or puts right what was said."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

CORRECTIONS = (
    Pattern(
        "correction",
        "non, c'est",
        r"""
            non(?: |, ?|\. ?|! ?|; ?| ?- ?)(?:pardon,? |attends,? |mais |non,? |desole,? )?(?:c'est
            |c'etait|ce n'est|c'est pas|je voulais|je parlais|je parle|en fait|en realite|il s'agit|le
            |la|les|l'|pas|ca|nous|on|j'ai dit|plutot|celui|celle|mon|ma|notre|utilise)
        """,
        unless=r"""
            non(?:,|\.|!)? (?:c'est (?:bon|tout|parfait|bien|gentil)|ca (?:va|ira)|pas (?:besoin
            |la peine|de souci|de probleme|grave|encore|du tout))
        """,
        opens_clause=True,
    ),
    Pattern(
        "correction",
        "c'est faux",
        r"""
            (?:c'est|c'etait|est|etait|totalement|completement) (?:faux|fausse|incorrecte?|inexacte?
            |errone|erronee|pas (?:ca|correct|exact|juste|bon|le bon|la bonne|vrai))
            |ce n'(?:est|etait) pas (?:ca|correct|exact|juste|bon|le bon|la bonne|vrai|ce que)
            |(?:tu|vous) (?:te|t'es|vous etes|vous|t'etes|as|avez) (?:trompe[sz]?|tort|mal compris)
            |mauvais(?:e)? (?:fichier|reponse|version|date|adresse)|pas ce que j[e']
        """,
        unless=r"(?:si|est-ce que|qu'est-ce qui) [^.!?\n]{0,30}(?:faux|incorrect)|vrai ou faux",
    ),
    Pattern(
        "correction",
        "je voulais dire",
        r"""
            je voulais (?:dire|parler)|je parlais d|j'ai dit|j'avais dit|j'avais demande|je t'ai dit
            |je vous ai dit|tu m'as mal compris|vous m'avez mal compris
        """,
        unless=r"""
            j'ai dit (?:bonjour|merci|au revoir|que|a (?:mon|ma|mes))
            |(?:quand|ce que|comme) j'(?:ai|avais) dit
        """,
    ),
    Pattern(
        "correction",
        "en fait, c'est",
        r"""
            (?:en fait|en realite),? (?:c'est|c'etait|ce n'est|je voulais|je parlais|le|la
            |les|il|elle|on|nous|mon|ma|notre|non)
        """,
        unless="en fait,? c'est (?:bien|parfait|super|tres bien|une bonne)",
        opens_clause=True,
    ),
)
