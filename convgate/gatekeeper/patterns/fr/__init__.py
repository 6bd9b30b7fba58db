"""French: all that the gatekeeper knows of it; here greetings, confirmations, and how one asks."""

from __future__ import annotations

from convgate.gatekeeper.patterns.fr.corrections import CORRECTIONS
from convgate.gatekeeper.patterns.fr.decisions import DECISIONS
from convgate.gatekeeper.patterns.fr.named import NAMED
from convgate.gatekeeper.patterns.fr.policies import POLICIES
from convgate.gatekeeper.patterns.fr.preferences import PREFERENCES
from convgate.gatekeeper.patterns.language import Language

FRENCH = Language(
    code="fr",
    named=NAMED,
    patterns=(*CORRECTIONS, *PREFERENCES, *POLICIES, *DECISIONS),
    greetings=r"""
        bonjour|salut|bonsoir|coucou|hello|allo|bonne journee|bon matin|rebonjour|re-bonjour
    """,
    pleasantries=r"""
        a tous|a toutes|a tous et a toutes|a toutes et a tous|tout le monde|l'equipe|les amis|les gars
        |madame|monsieur|messieurs|mesdames|a toi|a vous|ca va(?: bien)?
        |comment (?:ca va|vas-tu|vas tu|allez-vous|allez vous|tu vas)(?: aujourd'hui| bien)?|comment va
        |quoi de neuf|tu vas bien|vous allez bien|enchante|bien|et|mon ami|chers collegues|toi|vous
    """,
    confirmations=r"""
        oui|non|merci|merci beaucoup|merci bien|d'accord|daccord|dac|ok merci|compris|bien compris
        |entendu|parfait|tres bien|super|genial|ca marche|c'est bon|bien|bien sur|note|c'est note
        |bien recu|recu|ouais|nan|cool|nickel|top|excellent|je vois|volontiers|si
    """,
    yes_or_no="oui|non|ouais|nan|si|bien sur|volontiers|oui merci|non merci|d'accord",
    agreements="ca marche|parfait|tres bien|entendu",
    questions=r"""
        (?:que|qu'|qu'est-ce|quel|quelle|quels|quelles|qui|comment|pourquoi|ou|quand|combien
        |est-ce)(?: |\b)
        |(?:peux|peut|pouvez|pourrais|pourriez|dois|doit|devons|faut|as|avez|es|etes|sommes|veux|voulez
        |prefere[sz]?|preferes|aimes|aimez|utilises|utilisez|devrions|devrait)-(?:tu|vous|on|nous|il
        |elle|je|t-on|t-il)|(?:tu|vous) (?:preferes|preferez|aimes|aimez|veux|voulez)
    """,
    open_questions=r"""
        que|qu'est-ce|quel|quelle|quels|quelles|qui|comment|pourquoi|ou|quand|combien|lequel|laquelle
    """,
    choices=r"""
        lequel|laquelle|lesquel(?:le)?s
        |(?:quel|quelle|quels|quelles) [^?]{0,60}(?:utiliser|choisir|prendre|voulez|veux|preferes?
        |preferez|devons|devrions|doit-on|on (?:prend|choisit|utilise))|(?:doit|devrait|peut)-on
        |devons-nous|devrions-nous|faut-il|veux-tu|voulez-vous|preferes-tu|preferez-vous
        |tu (?:preferes|veux)|vous (?:preferez|voulez)|on (?:prend|part|utilise|choisit|garde|passe)
        |\w+ ou \w+|dois-je|est-ce (?:que (?:je|nous)|qu'on)|souhaitez-vous
        |souhaites-tu
    """,
    invitations=r"""
        dis-moi (?:si|quel|quelle|lequel|laquelle|ce que)
        |dites-moi (?:si|quel|quelle|lequel|laquelle|ce que)
        |(?:merci de|veuillez) (?:choisir|preciser|confirmer|indiquer)
    """,
    offers=r"(?:comment|en quoi) (?:puis-je|je peux)|que puis-je faire",
)
