"""French: what was decided."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

DECISIONS = (
    Pattern(
        "decision",
        "on part sur",
        r"""
            (?:on|nous) (?:part|partons|va|allons) (?:sur|pour|avec|utiliser|prendre|choisir|opter pour
            |partir sur|adopter|rester sur)
            |(?:partons|allons-y|restons|optons|va|pars) (?:sur|pour|avec)
            |(?:on|nous) (?:prend|prendra|utilisera|utiliserons|choisit|choisira|garde|reste sur
            |opte pour|adopte|utilise donc)|va pour
        """,
        said="both",
        unless=r"""
            (?:si|comment|que|quand|pourquoi|qu') ?(?:on
            |nous) |prenons (?:le temps|un cafe|une pause|un verre|rendez-vous|un exemple|par exemple
            |l'exemple)|on prend (?:un|le|une) (?:cafe|verre|pause|temps|train|bus)
            |utilisons (?:la formule|ce temps|le temps)
        """,
    ),
    Pattern(
        "decision",
        "utilisons",
        "(?:utilisons|choisissons|prenons|adoptons|gardons|optons|partons sur|restons sur)",
        said="both",
        unless=r"""
            prenons (?:le temps|un cafe|une pause|un verre|rendez-vous|un exemple|par exemple|l'exemple)
            |utilisons (?:la formule|ce temps|le temps)|gardons (?:le contact|espoir)
        """,
        opens_clause=True,
    ),
    Pattern(
        "decision",
        "j'ai décidé",
        r"""
            (?:j'ai|on a|nous avons|l'equipe a|c'est) (?:finalement |donc |enfin |bien )?(?:decide
            |choisi|opte|tranche|retenu|convenu)(?:e|es|s)?|ma decision est|la decision (?:est|a ete)
            |notre choix|mon choix (?:est|se porte)|le choix (?:est|s'est)|decision ?:
        """,
        said="both",
        unless=r"""
            (?:pas|quand|si) (?:encore )?(?:decide|choisi)
            |la decision (?:est|t'appartient) (?:la tienne|a toi|difficile)
            |(?:pourquoi|quelle|quand) [^.!?\n]{0,20}decision
        """,
    ),
)
