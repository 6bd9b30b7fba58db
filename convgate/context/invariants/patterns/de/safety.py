"""German: what is safety-critical: facts that bind by themselves, and subjects."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

SAFETY = (
    Pattern(
        "fact",
        "allergy",
        """
            [a-z]*allerg(?:ie|ien|isch|iker|ikerin|ene?)|unvertraglich[a-z]*|[a-z]*intoleran[a-z]*
            |zoliakie|anaphyla[a-z]*|laktoseintoleran[a-z]*|(?:vertragt|vertrage
            |vertragen) (?:[a-z]+ ){0,3}(?:kein[a-z]*|nicht)
        """,
        unless="""
            kein[a-z]* (?:bekannten? )?(?:allerg[a-z]*|unvertraglich[a-z]*)|allergisch (?:gegen
            |auf) (?:montage|meetings|arbeit|buzzwords|sport)
        """,
    ),
    Pattern(
        "fact",
        "illness",
        r"""
            (?:bin|ist|sind|bereits|gerade|wieder|auch|[0-9]+\. (?:woche
            |monat)) (?:[a-z0-9.]+ ){0,3}schwanger|stillt|stille (?:noch|gerade|derzeit|mein)
            |schwangerschaft|(?:hat|habe|haben|leidet an|leide an|leiden an|mit|wegen|bin|ist|sind
            |nach) (?:[a-z0-9]+ ){0,3}(?:[a-z]*diabet[a-z]*|epilep[a-z]*|asthma[a-z]*
            |herzschrittmacher|herz(?:infarkt|fehler|krankheit|probleme|schwache)|bluthochdruck
            |hohen blutdruck|nierenkrank[a-z]*|niereninsuffizienz|leberschaden|demenz|dement
            |bandscheibenvorfall|osteoporose|krebs|chemo[a-z]*|thrombose|schlaganfall|hamophilie
            |bluter|immunsupprimiert|magengeschwur|glaukom|gicht)|(?:nimmt|nehme|nehmen|bekommt
            |bekomme) (?:[a-z0-9]+ ){0,3}(?:marcumar|blutverdunner|insulin|lithium|antidepressiva
            |metformin|cortison|kortison|betablocker|tabletten|medikamente|ramipril|antibiotika)
            |(?:arzt|arztin|kardiologe|hausarzt|tierarzt|tierarztin|hebamme|chirurg|orthopade
            |physiotherapeut[a-z]*) (?:hat |sagt |meint |hat mir |hat ihm |
            hat ihr )*[^.!?\n]*(?:verboten|nicht|kein[a-z]*|nur|hochstens|maximal|nie)
        """,
    ),
    Pattern(
        "subject",
        "health",
        """
            gesund[a-z]*|arzt[a-z]*|medikament[a-z]*|medizin[a-z]*|[a-z]*tabletten?|dosis|dosierung
            |dosen|operation|operiert|verletz[a-z]*|schmerz[a-z]*|blut[a-z]*|herz|gluten[a-z]*|mehl
            |[a-z]*nusse?n?|nuss|mandeln?|laktose|milch|alkohol[a-z]*|honig|rohe[mnrs]? [a-z]+|hund
            |hunde|katze[n]?|kaninchen|pferd|hygien[a-z]*|infektion[a-z]*|patient[a-z]*|salz|zucker
        """,
    ),
    Pattern(
        "subject",
        "people",
        """
            kind|kinder[n]?|kindes|baby|babys|saugling[a-z]*|kleinkind[a-z]*|sohn|tochter
            |schuler[a-z]*|unbeaufsichtigt|allein im|gesturzt|sturz[a-z]*|verschluck[a-z]*|ersticken
            |erstick[a-z]*|trauben|gefahr[a-z]*|sicherheit[a-z]*|gefahrlich[a-z]*|unfall[a-z]*
            |risiko|helm|messer|herd|leiter|gerust|dach|notausgang|fluchtweg|bremsen?|schwimm[a-z]*
            |waffe[n]?|lebensgefahr
        """,
        unless="""
            (?:die|unsere) kinder (?:halten|wollen|mogen|freuen|finden|sind begeistert|lieben)
            |schwimmbad|messerblock
        """,
    ),
    Pattern(
        "subject",
        "fire, electricity, chemistry",
        """
            feuer|brand[a-z]*|brenn[a-z]+|kerzen?|gas|gasleitung|strom|stromschlag|sicherung(?:en)?
            |spannung|steckdose[n]?|kabel|leitung(?:en)?|fi-schalter|elektrik[a-z]*|batterie[n]?
            |akku|saure[n]?|lauge|chlor|bleiche|gift|giftig[a-z]*|chemikalie[n]?|asbest
            |losungsmittel|abgas[a-z]*|explo[a-z]*|rauch[a-z]*
        """,
        unless="brandneu|datensicherung|sicherung (?:der|des|von)|gaststatte|leitung des|feuerwerk",
    ),
    Pattern(
        "subject",
        "security, data, money, production, law",
        """
            passwort[a-z]*|passworter[n]?|kennworter|geheim[a-z]*|zugangsdaten|schlussel im
            |verschlussel[a-z]*|unverschlussel[a-z]*|klartext|api-?keys?|tokens?|datenschutz[a-z]*
            |dsgvo|personenbezogen[a-z]*|kundendaten|patientendaten|personliche[nrms]? daten
            |vertraulich[a-z]*|adressen|klarnamen?|nachnamen|namen von|anonym[a-z]*|iban|kontodaten
            |gehalter|diagnose[n]?|backup[s]?|[a-z]*sicherung(?:en)?|datenverlust|verloren|loschen
            |gelosch[a-z]*|uberschreib[a-z]*|bestandsdaten|originale|produktion[a-z]*
            |produktiv[a-z]*|live-?system|live-?daten|prod|gesetz[a-z]*|rechtlich|strafbar|illegal
            |gericht[a-z]*|haftung|anwalt|steuerberater|finanzamt|erspart[a-z]*|bankdaten
        """,
        unless="""
            (?:das )?gericht (?:schmeckt|ist lecker|kochen)|ein gericht|verloren gegangene
            |produktion(?:sleiter|splan)
        """,
    ),
)
