"""French: what things do to people, and further subjects that are safety-critical."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

DANGERS = (
    Pattern(
        "fact",
        "réaction",
        r"""
            (?:fait|font|a fait|faisait|faire) (?:un|des|une) (?:[a-z]+ )?(?:odemes?|chocs?
             anaphylactiques?|crises?|malaises?|reactions?|allergies?|convulsions?|fausses? routes?
            |hypoglycemies?)|(?:gonfle|gonflent|s'evanouit|s'etouffe|convulse|fait un malaise)
            (?: (?:si|quand|des|avec|a|au))?|(?:finit|fini|fini[es]*|atterrit|termine|envoie|envoye[e]?) (?:
            [a-z]+ ){0,2}(?:aux urgences|a l'hopital)|choc (?:allergique|anaphylactique)|risque de
             (?:choc|mort|noyade|brulure|chute|fausse route)|(?:ai|a|as|ont|suis|est|souffre
             d[e']|sous|mon|ma|son|sa|un|une) ?(?:[a-z0-9']+ ){0,3}(?:[a-z]{4,}ite|anemie|migraines?
            |parkinson|sclerose|arythmie|insuffisan[a-z]+|dialyse|thyroide|drepanocyt[a-z]+
            |mucoviscidose|anorexi[a-z]+|boulimi[a-z]+|depressi(?:f|ve)|stoma|prothese|sonde|phlebite
            |fibromyalgie|immunodepri[a-z]+|greffe[e]?|cardiaque)|abstinent[e]?|ne (?:doit|peut) pas
             forcer|sur (?:ordre|ordonnance) (?:du|medicale?)
        """,
        unless=r"""
            (?:film|roman|histoire|livre|article|expose|personnage)[^.!?\n]{0,60} (?:avec|a|sur|qui)
             [^.!?\n]*|(?:une|la|sa|ma|mon|son|un) (?:[a-z]+ )?(?:petite|visite|suite|limite|site|elite
            |invite|reussite|faillite|recite|marmite|conduite|fuite|merite|vite|ensuite|gratuite
            |ecrite|redite)
        """,
    ),
    Pattern(
        "subject",
        "dangers",
        r"""
            hopital|urgences|clinique|infirmier[a-z]*|fauteuil roulant|deambulateur|vertige[s]?|comprimes?
            |thyroide|jeun|fievre|infection[s]?|allerg[a-z]*|crustaces?|sesame|moutarde|soja|ble
            |fruits a coque|contamin[a-z]*|chaine du froid|temperature a coeur|sterilis[a-z]*|seringue[s]?
            |machine[s]?|scie|perceuse|lunettes de protection|gants|harnais|corde|balcon|garde-corps
            |rambarde|escalier[s]?|chute[s]?|avalanche|lac|noyer|brassards|gilet de sauvetage|siege
             (?:auto|enfant)|ceinture|vitesse|volant|freins?|pompiers?|evacuation|detecteur|fumee
            |monoxyde|essence|ethanol|allumettes?|barbecue|friteuse|haute tension|rallonge|prise[s]?
            |avertissements?|directive|reglement[a-z]*|norme[s]?|amende[s]?|prefecture|mairie|assurance
            |conservation|bulletins? de (?:paie|salaire)|salaire[s]?|arret[s]? maladie|dossier[s]? (?:
            medica[a-z]+|patients?|personnels?|des)|noms?|date[s]? de naissance|visages?|plaques?
             d'immatriculation|numero[s]? (?:de securite|de compte|client)|adresse[s]? (?:ip|mail|perso
            [a-z]*|postale[s]?)|photos? des (?:enfants|eleves|clients)|prive[es]*|interne[s]?|diffus[a-z]+
            |acces|droits? d'acces|admin[a-z]*|root|certificat[s]?|pare-feu|serveur de (?:prod|production)
            |en ligne|base clients?|virement[s]?|compte bancaire|prelevement[s]?|remboursement[s]?|debite
            |copyright|mineur[es]*|moins de 18|temps de repos|temps de travail|clause[s]?|contrat[s]?
            |laisse|museliere|venimeu[a-z]+|frelons?|abeilles?
        """,
        unless=r"""
            (?:il|elle|on|je|tu|qui|me|te|se|nous|lui|l'|le) laisse[s]?|laisse[sz]? (?:[a-z]+ )?(?:moi|le|la
            |les|tomber)|nom[s]? (?:de variable|de fichier|de fonction|de code|commun[s]?|propre[s]?)|lit
             bebe|au nom de|en mon nom|chute libre|prise de (?:notes|vue|parole)|par c?oeur|interne en
             medecine|(?:cours|lecon|devoir|exercice)[^.!?\n]*en ligne|accessible
        """,
    ),
)
