"""French: what is safety-critical: facts that bind by themselves, and subjects."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

SAFETY = (
    Pattern(
        "fact",
        "allergy",
        """
            allerg(?:ie|ies|ique|iques|ene|enes)|intoleran(?:t|te|ts|ce|ces)|c(?:o|oe)liaque[s]?
            |maladie c(?:o|oe)liaque|anaphyla[a-z]*|(?:ne supporte|ne digere|ne tolere) pas (?:le|la
            |les) (?:gluten|lait|lactose|noix|oeufs)
        """,
        unless="""
            allergique (?:aux? (?:reunions?|lundi|travail|anglicismes))|(?:pas|aucune
            |sans) (?:d')?allerg[a-z]*
        """,
    ),
    Pattern(
        "fact",
        "illness",
        r"""
            (?:suis|est|etre|elle est|femme|actuellement|bientot) (?:[a-z0-9]+ ){0,3}enceinte
            |enceinte de|allait[ea][a-z]*|(?:ai|a|as|ont|suis|est|souffre de|souffrant d[e']|sous
            |opere[e]? d'une?|mon|ma|son|sa|un|une) (?:[a-z0-9']+ ){0,3}(?:diabet[a-z]*|epilep[a-z]*
            |asthm[a-z]*|pacemaker|insuffisance (?:renale|cardiaque)|hypertension|hernie discale
            |infarctus|avc|cancer|chimio[a-z]*|osteoporose|phlebite|alzheimer|anticoagulants?
            |insuline|cortisone|antidepresseurs?|hemophil[a-z]*)|(?:prends?|prend|prenons
            |prennent) (?:[a-z]+ ){0,3}(?:anticoagulants?|insuline|lithium|medicaments?|cortisone
            |antidepresseurs?|metformine)|(?:medecin|chirurgien|cardiologue|veterinaire|sage-femme
            |kine|pediatre|docteur) (?:[a-z']+ ){0,4}(?:interdit|deconseille|defend|exige|a dit
            |insiste|impose)[^.!?\n]*|s'etouffe[^.!?\n]*|ne sait pas nager|ne savent pas nager
        """,
    ),
    Pattern(
        "subject",
        "health and people",
        """
            sante|medecin[s]?|medicament[s]?|docteur|chirurgien|veterinaire|dose[s]?|posologie
            |blessure[s]?|douleur[s]?|sang|gluten|lait|lactose|noix|cacahuetes?|arachides?|amandes?
            |alcool|miel|cru[es]*|hygiene|patient[s]?|enfant[s]?|bebe[s]?|nourrisson
            |petit[e]? (?:vomit|mange|dort)|eleves?|danger[a-z]*|risque[s]?|securite|casque|couteau
            |escabeau|toit|echelle|noyade|piscine|etouff[a-z]*|chien[s]?|chat[s]?|lapin
            |issue de secours|vaccin[s]?
        """,
        unless=r"securite sociale|chien soit admis[^.!?\n]*|risque de (?:pluie|retard)",
    ),
    Pattern(
        "subject",
        "fire, electricity, chemistry",
        """
            feu|incendie|bougies?|gaz|courant|electri(?:que|cite|cien)|disjoncteur|tension
            |prises? electrique|fils?|batterie|acide[s]?|javel|ammoniaque|chlore|poison|toxique[s]?
            |pesticides?|amiante|solvants?|explos[a-z]*|chaudiere|produits? chimiques?
        """,
        unless="""
            (?:mot|texte|au) courant|au courant|fil (?:conducteur|rouge|de discussion)|au fil de
            |fils? (?:de|aine)|mon fils|notre fils
        """,
    ),
    Pattern(
        "subject",
        "security, data, money, production, law",
        """
            mots? de passe|secret[s]?|identifiants?|cles? (?:api|privees?|d'api)|jetons?|tokens?
            |chiffre[es]*|en clair|donnee personnelle|donnees (?:des (?:clients|patients|eleves
            |utilisateurs)|personnelles|privees|clients?|patients?|de sante|sensibles|bancaires)
            |rgpd|vie privee|confidentiel[a-z]*|anonym[a-z]*|noms? (?:de famille|des (?:clients
            |patients|eleves))|adresses? (?:des|de nos)|numeros? de (?:carte|telephone)
            |sauvegarde[s]?|perte de donnees|perdre|supprim[a-z]*|effac[a-z]*|ecras[a-z]*
            |base de (?:donnees|prod[a-z]*)|production|prod|loi[s]?|legal[e]?|illegal[e]?|avocat
            |tribunal|juge|droit d'auteur|delit|licence|cnil|fisc|impots|economies
        """,
        unless="""
            secret (?:de famille|pour)|maison de production|site de production
            |production (?:laitiere|locale)
        """,
    ),
)
