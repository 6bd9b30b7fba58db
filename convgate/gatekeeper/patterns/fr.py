# ruff: noqa: E501
"""French."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern
from convgate.gatekeeper.patterns.language import Language

_NAMED = {
    "polite": r"(?:(?:et|mais|donc|alors|puis|ok|bonjour|salut|s'il (?:te|vous) plait|svp|merci de|veuillez|il faut) )*",
    "very": r"(?:(?:vraiment|aussi|beaucoup|surtout|toujours|personnellement|nettement|largement|plutot|tellement|bien|de loin) )*",
    "noun": r"(?:equipe|groupe|societe|entreprise|boite|service)",
    "mind": r"(?:savoir|comprendre|apprendre|demander|voir|connaitre|verifier|dire|te|vous|etre|remercier|parler|discuter)",
}

_PREFERENCES = (
    Pattern(
        "preference",
        "je préfère",
        r"je {very}prefere(?:rais)?|je ne prefere|ma preference (?:est|va|irait)|mon [a-z ]{2,30} (?:prefere|favori) (?:est|c'est)|ma [a-z ]{2,30} (?:preferee|favorite) (?:est|c'est)|j'aimerais (?:mieux|plutot|autant)|je veux plutot",
        unless=r"je prefere (?:reflechir|attendre|dormir|penser)|si je prefere",
    ),
    Pattern(
        "preference",
        "j'aime",
        r"j'(?:aime|adore|apprecie)|je n'(?:aime|apprecie) (?:pas|plus|guere|vraiment pas)|je (?:deteste|hais)|j'ai horreur|je ne supporte pas",
        unless=r"j'(?:aime|adore|apprecie) (?:bien |beaucoup |vraiment )?(?:ta|ton|tes|votre|vos|ca|cette|ce|cet|comment|la facon|quand tu|savoir)\b|j'aimerais|je deteste (?:te|vous|devoir) |si j'aime|que j'aime",
    ),
    Pattern(
        "preference",
        "je veux",
        r"je (?:ne )?(?:veux|voudrais)",
        unless=r"je (?:ne )?(?:veux|voudrais) (?:pas |bien |juste |seulement )?(?:{mind}|[a-z]+(?:er|ir|re)|que tu|que vous|un|une|des|du)\b|si je veux|ce que je veux",
    ),
    Pattern(
        "preference",
        "j'utilise toujours",
        r"j'[a-z]+ (?:toujours|jamais|d'habitude|generalement|habituellement)|je (?:n'|ne )?[a-z]+ (?:toujours|jamais|d'habitude|generalement|habituellement)|d'habitude,? (?:je|j')|j'ai l'habitude d",
        unless=r"(?:j'|je |je n'|je ne )(?:ai|suis|avais|etais|vois|obtiens|recois|sais|savais|oublie|comprends|attends|pense|trouve|me|m'en) (?:toujours|jamais|d'habitude)|si j[e']",
    ),
    Pattern("preference", "je n'utilise pas", r"je n'utilise (?:pas|plus)"),
    Pattern(
        "team_preference",
        "nous préférons",
        r"nous {very}prefer(?:ons|erions)|on {very}prefer(?:e|erait)|(?:l'|notre |mon |toute l'|la |le ){noun} (?:entiere )?prefere(?:rait)?|la preference de (?:l'equipe|notre equipe)|notre preference",
        unless=r"si (?:on|nous) prefer",
    ),
)

_CORRECTIONS = (
    Pattern(
        "correction",
        "non, c'est",
        r"non(?: |, ?|\. ?|! ?|; ?| ?- ?)(?:pardon,? |attends,? |mais |non,? |desole,? )?(?:c'est|c'etait|ce n'est|c'est pas|je voulais|je parlais|je parle|en fait|en realite|il s'agit|le|la|les|l'|pas|ca|nous|on|j'ai dit|plutot|celui|celle|mon|ma|notre|utilise)",
        unless=r"non(?:,|\.|!)? (?:c'est (?:bon|tout|parfait|bien|gentil)|ca (?:va|ira)|pas (?:besoin|la peine|de souci|de probleme|grave|encore|du tout))",
        opens_clause=True,
    ),
    Pattern(
        "correction",
        "c'est faux",
        r"(?:c'est|c'etait|est|etait|totalement|completement) (?:faux|fausse|incorrecte?|inexacte?|errone|erronee|pas (?:ca|correct|exact|juste|bon|le bon|la bonne|vrai))|ce n'(?:est|etait) pas (?:ca|correct|exact|juste|bon|le bon|la bonne|vrai|ce que)|(?:tu|vous) (?:te|t'es|vous etes|vous|t'etes|as|avez) (?:trompe[sz]?|tort|mal compris)|mauvais(?:e)? (?:fichier|reponse|version|date|adresse)|pas ce que j[e']",
        unless=r"(?:si|est-ce que|qu'est-ce qui) [^.!?\n]{0,30}(?:faux|incorrect)|vrai ou faux",
    ),
    Pattern(
        "correction",
        "je voulais dire",
        r"je voulais (?:dire|parler)|je parlais d|j'ai dit|j'avais dit|j'avais demande|je t'ai dit|je vous ai dit|tu m'as mal compris|vous m'avez mal compris",
        unless=r"j'ai dit (?:bonjour|merci|au revoir|que|a (?:mon|ma|mes))|(?:quand|ce que|comme) j'(?:ai|avais) dit",
    ),
    Pattern(
        "correction",
        "en fait, c'est",
        r"(?:en fait|en realite|finalement),? (?:c'est|c'etait|ce n'est|je voulais|je parlais|le|la|les|il|elle|on|nous|mon|ma|notre|non)",
        unless=r"en fait,? c'est (?:bien|parfait|super|tres bien|une bonne)",
        opens_clause=True,
    ),
)

_POLICIES = (
    Pattern(
        "policy",
        "nous … toujours",
        r"(?:nous|on) (?:ne |n')?[a-z]+ (?:\w+ment )?(?:toujours|jamais|systematiquement)",
        said="both",
        unless=r"(?:nous|on) (?:ne |n')?(?:avons|sommes|a|est|sait|savons|va|voit|arrive|attend|attendons|dirait|avait|etait|oublie|s'est) (?:toujours|jamais)|(?:si|quand|que|comme) (?:nous|on) ",
    ),
    Pattern(
        "policy",
        "nous devons",
        r"(?:nous|on) (?:ne )?(?:devons|devrions|doit|devrait) (?:pas |jamais |toujours )?\w+",
        said="both",
        unless=r"(?:nous|on) (?:devons|devrions|doit|devrait) (?:bientot |peut-etre |d'abord |aller|manger|dejeuner|diner|sortir|partir|se |nous |etre|avoir|pouvoir|parler|discuter|attendre|voir|feter|rentrer)|(?:si|que|ce que|quand|pourquoi|comment|ou) (?:nous|on) ",
    ),
    Pattern(
        "policy",
        "notre règle",
        r"notre (?:standard|convention|politique|regle|norme|charte|reglement)|nos (?:standards|conventions|regles|normes)|la regle (?:est|chez nous|ici|de l'equipe)|chez nous,? (?:c'est|on|nous)",
        said="both",
        unless=r"(?:quelle|quel|quelles|quels|comment|ou) [^.!?\n]{0,20}(?:notre|nos) ",
    ),
    Pattern(
        "policy",
        "n'utilise pas",
        r"(?:n'utilis(?:e|ez|ons) (?:pas|jamais|plus)|n'employ?(?:e|ez|ons) (?:pas|jamais)|ne (?:jamais|pas) (?:utiliser|\w+(?:er|ir|re))|ne \w+ez (?:jamais|pas)|ne \w+ (?:surtout )?(?:jamais|pas) )\w*",
        said="both",
        unless=r"ne (?:t'|vous |te |pas )?(?:inquiet|hesit|sais|vois|comprends|peux|quitt|boug)|ne \w+ez pas (?:de|a vous)|ne (?:marche|fonctionne|suis|veux|sera|sont|peut|va)",
        opens_clause=True,
    ),
    Pattern(
        "policy",
        "toujours …",
        r"(?:toujours|jamais|il faut (?:toujours|absolument)|il ne faut (?:jamais|pas)|[a-z]+(?:e|ez|s) toujours|ne jamais|veille[zr]? a|pense[zr]? toujours) [a-z]{2,}|(?:evite[zr]?|evitons|interdiction) (?:d'|de |les |le |la |l'|tout)",
        unless=r"toujours (?:le|la|les|un|une|pas|est|en|au|dans|plus|aussi|rien|autant)\b|jamais (?:de la vie|vu|entendu|deux|plus|su)|(?:est|suis|es|sommes|reste|marche) toujours",
        opens_clause=True,
    ),
    Pattern(
        "policy",
        "désormais",
        r"desormais|dorenavant|a partir de maintenant|a partir d'aujourd'hui|a l'avenir|par convention|en aucun cas|sous aucun pretexte|c'est (?:la|une) regle|(?:chaque|toute?s?(?: les)?) [^.,!?\n]{2,50} (?:doit|doivent)",
    ),
)

_DECISIONS = (
    Pattern(
        "decision",
        "on part sur",
        r"(?:on|nous) (?:part|partons|va|allons) (?:sur|pour|avec|utiliser|prendre|choisir|opter pour|partir sur|adopter|rester sur)|(?:partons|allons-y|restons|optons|va|pars) (?:sur|pour|avec)|(?:utilisons|choisissons|prenons|adoptons|gardons)|(?:on|nous) (?:prend|prendra|utilisera|utiliserons|choisit|choisira|garde|reste sur|opte pour|adopte|utilise donc)|va pour",
        said="both",
        unless=r"(?:si|comment|que|quand|pourquoi|qu') ?(?:on|nous) |prenons (?:le temps|un cafe|une pause|un verre|rendez-vous|un exemple|par exemple|l'exemple)|on prend (?:un|le|une) (?:cafe|verre|pause|temps|train|bus)|utilisons (?:la formule|ce temps|le temps)",
    ),
    Pattern(
        "decision",
        "j'ai décidé",
        r"(?:j'ai|on a|nous avons|l'equipe a|c'est) (?:finalement |donc |enfin |bien )?(?:decide|choisi|opte|tranche|retenu|convenu)(?:e|es|s)?|ma decision est|la decision (?:est|a ete)|notre choix|mon choix (?:est|se porte)|le choix (?:est|s'est)|decision ?:",
        said="both",
        unless=r"(?:pas|quand|si) (?:encore )?(?:decide|choisi)|la decision (?:est|t'appartient) (?:la tienne|a toi|difficile)|(?:pourquoi|quelle|quand) [^.!?\n]{0,20}decision",
    ),
)

FRENCH = Language(
    code="fr",
    named=_NAMED,
    patterns=(*_CORRECTIONS, *_PREFERENCES, *_POLICIES, *_DECISIONS),
    greetings=("bonjour", "salut", "bonsoir", "coucou", "hello", "allo", "bonne journee", "bon matin", "rebonjour", "re-bonjour"),
    pleasantries=(
        "a tous", "a toutes", "a tous et a toutes", "a toutes et a tous", "tout le monde", "l'equipe", "les amis", "les gars", "madame", "monsieur", "messieurs", "mesdames", "a toi", "a vous",
        "ca va(?: bien)?", "comment (?:ca va|vas-tu|vas tu|allez-vous|allez vous|tu vas)(?: aujourd'hui| bien)?", "comment va", "quoi de neuf", "tu vas bien", "vous allez bien", "enchante", "bien", "et", "mon ami", "chers collegues", "toi", "vous",
    ),
    confirmations=(
        "oui", "non", "merci", "merci beaucoup", "merci bien", "d'accord", "daccord", "dac", "ok merci", "compris", "bien compris", "entendu", "parfait", "tres bien", "super", "genial", "ca marche",
        "c'est bon", "bien", "bien sur", "note", "c'est note", "bien recu", "recu", "ouais", "nan", "cool", "nickel", "top", "excellent", "je vois", "volontiers", "si",
    ),
    yes_or_no=("oui", "non", "ouais", "nan", "si", "bien sur", "volontiers", "oui merci", "non merci", "d'accord"),
    questions=(
        r"(?:que|qu'|qu'est-ce|quel|quelle|quels|quelles|qui|comment|pourquoi|ou|quand|combien|est-ce)(?: |\b)",
        r"(?:peux|peut|pouvez|pourrais|pourriez|dois|doit|devons|faut|as|avez|es|etes|sommes|veux|voulez|prefere[sz]?|preferes|aimes|aimez|utilises|utilisez|devrions|devrait)-(?:tu|vous|on|nous|il|elle|je|t-on|t-il)",
        r"(?:tu|vous) (?:preferes|preferez|aimes|aimez|veux|voulez)",
    ),
    open_questions=("que", "qu'est-ce", "quel", "quelle", "quels", "quelles", "qui", "comment", "pourquoi", "ou", "quand", "combien", "lequel", "laquelle"),
    choices=(
        "lequel", "laquelle", "lesquel(?:le)?s", "(?:quel|quelle|quels|quelles) [^?]{0,60}(?:utiliser|choisir|prendre|voulez|veux|preferes?|preferez|devons|devrions|doit-on|on (?:prend|choisit|utilise))", "(?:doit|devrait|peut)-on", "devons-nous", "devrions-nous", "faut-il", "veux-tu", "voulez-vous",
        "preferes-tu", "preferez-vous", "tu (?:preferes|veux)", "vous (?:preferez|voulez)", "on (?:prend|part|utilise|choisit|garde|passe)", r"\w+ ou \w+", "dois-je", "est-ce que (?:je|on|nous) (?:dois|doit|devons|peux)", "souhaitez-vous", "souhaites-tu",
    ),
    invitations=("dis-moi (?:si|quel|quelle|lequel|laquelle|ce que)", "dites-moi (?:si|quel|quelle|lequel|laquelle|ce que)", "(?:merci de|veuillez) (?:choisir|preciser|confirmer|indiquer)"),
)  # fmt: skip
