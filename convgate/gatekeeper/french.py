"""French patterns, greetings, confirmations and questions."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Language, Pattern

# fmt: off
NAMED = {
    "polite": r"""
        (?:(?:et|mais|donc|alors|puis|ok|bonjour|salut|s'il (?:te|vous) plait|svp|merci de|veuillez|il faut)
         )*
    """,
    "very": r"""
        (?:(?:vraiment|aussi|beaucoup|surtout|toujours|personnellement|nettement|largement|plutot|tellement
        |bien|de loin) )*
    """,
    "noun": "(?:equipe|groupe|societe|entreprise|boite|service)",
    "mind": r"""
        (?:savoir|comprendre|apprendre|demander|voir|connaitre|verifier|dire|te|vous|etre|remercier|parler
        |discuter)
    """,
}

PATTERNS = (
    Pattern("correction", "non, c'est", r"""
        non(?: |, ?|\. ?|! ?|; ?| ?- ?)(?:pardon,? |attends,? |mais |non,? |desole,? )?(?:c'est|c'etait|ce
         n'est|c'est pas|je voulais|je parlais|je parle|en fait|en realite|il s'agit|le|la|les|l'|pas|ca
        |nous|on|j'ai dit|plutot|celui|celle|mon|ma|notre|utilise)
        """, opens_clause=True),
    Pattern("correction", "c'est faux", r"""
        (?:c'est|c'etait|est|etait|totalement|completement) (?:faux|fausse|incorrecte?|inexacte?|errone
        |erronee|pas (?:ca|correct|exact|juste|bon|le bon|la bonne|vrai))|ce n'(?:est|etait) pas (?:ca
        |correct|exact|juste|bon|le bon|la bonne|vrai|ce que)|(?:tu|vous) (?:te|t'es|vous etes|vous|t'etes
        |as|avez) (?:trompe[sz]?|tort|mal compris)|mauvais(?:e)? (?:fichier|reponse|version|date|adresse)
        |pas ce que j[e']
        """),
    Pattern("correction", "je voulais dire", r"""
        je voulais (?:dire|parler)|je parlais d|j'ai dit|j'avais dit|j'avais demande|je t'ai dit|je vous ai
         dit|tu m'as mal compris|vous m'avez mal compris
        """),
    Pattern("correction", "en fait, c'est", r"""
        (?:en fait|en realite),? (?:c'est|c'etait|ce n'est|je voulais|je parlais|le|la|les|il|elle|on|nous
        |mon|ma|notre|non)
        """, opens_clause=True),
    Pattern("preference", "je préfère", r"""
        je {very}prefere(?:rais)?|je ne prefere|ma preference (?:est|va|irait)|mon [a-z ]{2,30} (?:prefere
        |favori) (?:est|c'est)|ma [a-z ]{2,30} (?:preferee|favorite) (?:est|c'est)|j'aimerais (?:mieux
        |plutot|autant)|je veux plutot
        """),
    Pattern("preference", "j'aime", r"""
        j'(?:aime|adore|apprecie)|je n'(?:aime|apprecie) (?:pas|plus|guere|vraiment pas)|je (?:deteste|hais)
        |j'ai horreur|je ne supporte pas
        """),
    Pattern("preference", "je veux", r"""
        je (?:ne )?(?:veux|voudrais)
        """, unless=r"""
        je (?:ne )?(?:veux|voudrais) (?:pas |bien |juste |seulement )?(?:{mind}|[a-z]+(?:er|ir|re)|(?:que tu
        |que vous) (?:m'|me )?(?:donnes?|expliques?|expliquiez|aides?|aidiez|ecrives?|ecriviez|fasses?
        |fassiez|montres?|dises?|corriges?|verifies?|traduises?|resumes?)|un|une|du)\b
        """),
    Pattern("preference", "j'utilise toujours", r"""
        j'[a-z]+ (?:toujours|jamais|d'habitude|generalement|habituellement)|je (?:n'|ne )?[a-z]+ (?:toujours
        |jamais|d'habitude|generalement|habituellement)|d'habitude,? (?:je|j')|j'ai l'habitude d
        """, unless=r"""
        (?:j'|je |je n'|je ne )(?:ai|suis|avais|etais|vois|obtiens|recois|sais|savais|oublie|comprends
        |attends|pense|trouve|me|m'en) (?:toujours|jamais|d'habitude)
        """),
    Pattern("team_preference", "nous préférons", r"""
        nous {very}prefer(?:ons|erions)|on {very}prefer(?:e|erait)|(?:l'|notre |mon |toute l'|la |le ){noun}
         (?:entiere )?prefere(?:rait)?|la preference de (?:l'equipe|notre equipe)|notre preference
        """),
    Pattern("policy", "nous … toujours", r"""
        (?:nous|on) (?:ne |n')?[a-z]+ (?:\w+ment )?(?:toujours|jamais|systematiquement)
        """, unless=r"""
        (?:nous|on) (?:ne |n')?(?:avons|sommes|a|est|sait|savons|va|voit|arrive|attend|attendons|dirait
        |avait|etait|oublie|s'est) (?:toujours|jamais)
        """, said="both"),
    Pattern("policy", "nous devons", r"""
        (?:nous|on) (?:ne )?(?:devons|devrions|doit|devrait) (?:pas |jamais |toujours )?\w+
        """, unless=r"""
        (?:nous|on) (?:devons|devrions|doit|devrait) (?:bientot |peut-etre |d'abord |aller|manger|dejeuner
        |diner|sortir|partir|se |nous |etre|avoir|pouvoir|parler|discuter|attendre|voir|feter|rentrer)
        """, said="both"),
    Pattern("policy", "notre règle", r"""
        notre (?:standard|convention|politique|regle|norme|charte|reglement)|nos (?:standards|conventions
        |regles|normes)|la regle (?:est|chez nous|ici|de l'equipe)|chez nous,? (?:c'est|on|nous)
        """, said="both"),
    Pattern("policy", "n'utilise pas", r"""
        (?:n'utilis(?:e|ez|ons) (?:pas|jamais|plus)|n'employ?(?:e|ez|ons) (?:pas|jamais)|ne (?:jamais|pas)
         (?:utiliser|\w+(?:er|ir|re))|ne \w+ez (?:jamais|pas)|ne \w+ (?:surtout )?(?:jamais|pas) )\w*
        """, said="both", opens_clause=True),
    Pattern("policy", "toujours …", r"""
        (?:toujours|jamais|il faut (?:toujours|absolument)|il ne faut (?:jamais|pas)|[a-z]+(?:e|ez|s)
         toujours|ne jamais|veille[zr]? a|pense[zr]? toujours) [a-z]{2,}|(?:evite[zr]?|evitons)
         (?:[dl]')?[a-z]{2,}|interdiction (?:d'|de |les |le |la |l'|tout)
        """, unless=r"""
        toujours (?:le|la|les|un|une|pas|est|en|au|dans|plus|aussi|rien|autant)\b|jamais (?:de la vie|vu
        |entendu|deux|plus|su)
        """, opens_clause=True),
    Pattern("policy", "désormais", r"""
        desormais|dorenavant|a partir de maintenant|a partir d'aujourd'hui|a l'avenir|par convention|en
         aucun cas|sous aucun pretexte|c'est (?:la|une) regle|(?:chaque|toute?s?(?: les)?) [^.,!?\n]{2,50}
         (?:doit|doivent)
        """),
    Pattern("decision", "on part sur", r"""
        (?:on|nous) (?:part|partons|va|allons) (?:sur|pour|avec|utiliser|prendre|choisir|opter pour|partir
         sur|adopter|rester sur)|(?:partons|allons-y|restons|optons|va|pars) (?:sur|pour|avec)|(?:on|nous)
         (?:prend|prendra|utilisera|utiliserons|choisit|choisira|garde|reste sur|opte pour|adopte|utilise
         donc)|va pour
        """, said="both"),
    Pattern("decision", "utilisons", r"""
        (?:utilisons|choisissons|prenons|adoptons|gardons|optons|partons sur|restons sur)
        """, said="both", opens_clause=True),
    Pattern("decision", "j'ai décidé", r"""
        (?:j'ai|on a|nous avons|l'equipe a|c'est) (?:finalement |donc |enfin |bien )?(?:decide|choisi|opte
        |tranche|retenu|convenu)(?:e|es|s)?|ma decision est|la decision (?:est|a ete)|notre choix|mon choix
         (?:est|se porte)|le choix (?:est|s'est)|decision ?:
        """, said="both"),
)

FRENCH = Language(
    code="fr", named=NAMED, patterns=PATTERNS,
    greetings="bonjour|salut|bonsoir|coucou|hello|allo|bonne journee|bon matin|rebonjour|re-bonjour",
    pleasantries=r"""
        a tous|a toutes|a tous et a toutes|a toutes et a tous|tout le monde|l'equipe|les amis|les gars
        |madame|monsieur|messieurs|mesdames|a toi|a vous|ca va(?: bien)?|comment (?:ca va|vas-tu|vas tu
        |allez-vous|allez vous|tu vas)(?: aujourd'hui| bien)?|comment va|quoi de neuf|tu vas bien|vous allez
         bien|enchante|bien|et|mon ami|chers collegues|toi|vous
    """,
    confirmations=r"""
        oui|non|merci|merci beaucoup|merci bien|d'accord|daccord|dac|ok merci|compris|bien compris|entendu
        |parfait|tres bien|super|genial|ca marche|c'est bon|bien|bien sur|note|c'est note|bien recu|recu
        |ouais|nan|cool|nickel|top|excellent|je vois|volontiers|si
    """,
    yes_or_no="oui|non|ouais|nan|si|bien sur|volontiers|oui merci|non merci|d'accord",
    agreements="ca marche|parfait|tres bien|entendu",
    questions=r"""
        (?:que|qu'|qu'est-ce|quel|quelle|quels|quelles|qui|comment|pourquoi|ou|quand|combien|est-ce)(?: |\b)
        |(?:peux|peut|pouvez|pourrais|pourriez|dois|doit|devons|faut|as|avez|es|etes|sommes|veux|voulez
        |prefere[sz]?|preferes|aimes|aimez|utilises|utilisez|devrions|devrait)-(?:tu|vous|on|nous|il|elle|je
        |t-on|t-il)|(?:tu|vous) (?:preferes|preferez|aimes|aimez|veux|voulez)
    """,
    open_questions=r"""
        que|qu'est-ce|quel|quelle|quels|quelles|qui|comment|pourquoi|ou|quand|combien|lequel|laquelle
    """,
    choices=r"""
        lequel|laquelle|lesquel(?:le)?s|(?:quel|quelle|quels|quelles) [^?]{0,60}(?:utiliser|choisir|prendre
        |voulez|veux|preferes?|preferez|devons|devrions|doit-on|on (?:prend|choisit|utilise))|(?:doit
        |devrait|peut)-on|devons-nous|devrions-nous|faut-il|veux-tu|voulez-vous|preferes-tu|preferez-vous|tu
         (?:preferes|veux)|vous (?:preferez|voulez)|on (?:prend|part|utilise|choisit|garde|passe)|\w+ ou \w+
        |dois-je|est-ce (?:que (?:je|nous)|qu'on)|souhaitez-vous|souhaites-tu
    """,
    invitations=r"""
        dis-moi (?:si|quel|quelle|lequel|laquelle|ce que)|dites-moi (?:si|quel|quelle|lequel|laquelle|ce
         que)|(?:merci de|veuillez) (?:choisir|preciser|confirmer|indiquer)
    """,
    offers="(?:comment|en quoi) (?:puis-je|je peux)|que puis-je faire",
)
# fmt: on
