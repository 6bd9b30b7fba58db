"""German: what things do to people, and further subjects that are safety-critical."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

DANGERS = (
    Pattern(
        "fact",
        "Reaktion",
        r"""
            (?:schwillt|schwillen|schwellen|lauft blau|kriegt keine luft|bekommt keine luft|kippt um
            |wird ohnmachtig|fallt in ohnmacht|bekommt (?:atemnot|ausschlag|krampfe|anfalle|quaddeln)
            |kriegt (?:atemnot|ausschlag|krampfe|anfalle|quaddeln|nesselsucht)|erstickt
            |verschluckt sich|landet im krankenhaus|landete im krankenhaus|musste ins krankenhaus
            |ins krankenhaus gebracht|notarzt|notaufnahme|schockgefahr|schock (?:bekommen|gefallen)
            |lebensbedrohlich|lebensgefahrlich|todlich)|(?:reagiert|reagiere|reagieren) (?:[a-z]+ )?
            (?:heftig|stark|allergisch|empfindlich) auf|(?:kann|konnen|darf|durfen) (?:[a-z]+ ){0,3}
            nicht schwimmen|zoliakie[a-z]*|(?:hat|habe|haben|mit|wegen|nach) (?:[a-z0-9]+ ){0,3}
            (?:[a-z]{4,}itis|anamie|migrane|herzrhythmusstorungen?|parkinson|multipler sklerose
            |rollator|schrittmacher|magersucht|essstorung|depressionen|rheuma|arthrose|lupus
            |mukoviszidose|krampfanfalle[n]?|anfallsleiden|sauerstoffgerat|dialyse|stoma
            |blutgerinnungsstorung|ptbs|suchterkrankung|herzklappe|stents?)|trockener alkoholiker
            |trocken seit|(?:ist|bin|sind) (?:[a-z]+ )?(?:bluter|epileptiker[a-z]*|asthmatiker[a-z]*
            |diabetiker[a-z]*|dialysepatient[a-z]*)
        """,
        unless=r"""
            (?:film|roman|geschichte|buch|artikel|referat|gedicht|figur)[^.!?\n]{0,60} (?:mit|hat|uber)
             [^.!?\n]*|migrane (?:von|wegen) (?:meetings|montag)|(?:prozess|server|app|programm|motor)
             (?:erstickt|kippt um)|kein[a-z]* (?:lebensgefahrlich|todlich)[a-z]*
        """,
    ),
    Pattern(
        "subject",
        "Gefahren",
        r"""
            krankenhaus|klinik|notfall[a-z]*|erste.hilfe|sanitats[a-z]*|sanitater[a-z]*|rollstuhl[a-z]*
            |rollator|schwindel|allerg[a-z]*|erdnuss[a-z]*|haselnuss[a-z]*|walnuss[a-z]*|schalentier[a-z]*
            |sellerie|senf|sesam|soja|weizen|kontamin[a-z]*|keime?n?|salmonellen|kuhlkette|mude macht
            |einschlaf[a-z]*|am steuer|fahrtuchtig[a-z]*|auto fahr[a-z]*|lkw|kran|gabelstapler
            |maschine[n]?|sage|kreissage|bohrmaschine|frase|presse|not-?aus|schutzbrille|handschuhe
            |gehorschutz|warnweste|atemschutz|abzug|brom|labor[a-z]*|reagenz[a-z]*|ethanol|benzin
            |spiritus|propan|gasflasche|grill|kohlenmonoxid|schimmel|legionellen|trinkwasser
            |hochspannung|starkstrom|[0-9]+ volt|verlangerungskabel|mehrfachsteckdose|gelander
            |balkon|klettern|seil|gurt|steigeisen|lawine[a-z]*|eisflache|teich|see|pool|strand
            |kindersitz|anschnall[a-z]*|gurtpflicht|tempolimit|geschwindigkeit|verschraubt
            |umkippen|kippsicher[a-z]*|feuerwehr[a-z]*|rettungsweg[a-z]*|rauchmelder|brandschutz[a-z]*
            |absturz[a-z]*|statik|tragend[a-z]*|leine|maulkorb|kotern?|bienen|wespen|rattengift
            |ordnungsamt|genehmigung|behorde[n]?|gesetzlich|vorgeschrieben|aufbewahr[a-z]*
            |krankmeldung[a-z]*|krankschreib[a-z]*|lohn[a-z]*|gehalt[a-z]*|personalakte[n]?|zeugnis[a-z]*
            |namen|nachname[n]?|geburtsdatum|geburtsdaten|telefonnummer[n]?|kontonummer[n]?
            |steuernummer|ausweis[a-z]*|mandant[a-z]*|klient[a-z]*|bewerber[a-z]*|mieterdaten
            |kundennamen|kundenliste|mailadressen|gesicht[a-z]*|kennzeichen|privat[a-z]*|intern[a-z]*
            |zugriff[a-z]*|admin[a-z]*|root|schlussel|zertifikat[a-z]*|firewall|vpn|verschlusselt
            |live-?(?:server|datenbank|betrieb)|datenbank[a-z]*|kundendatenbank|truncate|drop
            |konto|uberweis[a-z]*|abbuch[a-z]*|doppelt (?:abbuch|bezahl|bucht|gebucht)[a-z]*|kredit[a-z]*
            |urheberrecht[a-z]*|lizenz[a-z]*|jugendschutz|minderjahrig[a-z]*|unter 18|arbeitszeitgesetz
            |ruhezeit[a-z]*|kundigungsfrist|vertragsstrafe|datenschutzerklarung
        """,
        unless=r"""
            (?:see|seite|strand|pool|grill)(?:blick|haus|fest|bar|party|hotel)|namen (?:fur
            |der variable|vorschlagen)|(?:variablen|funktions|datei|klassen|spalten)namen
            |internet[a-z]*|international[a-z]*|internist|(?:text|brief) intern|datenbankkurs
            |schlussel(?:wort|worter|begriff[a-z]*|stelle)|druckerpresse|presse(?:text|mitteilung
            |artikel|abteilung)?|gehaltvoll|inhalt[a-z]*|private (?:methode|funktion|attribut)[a-z]*
            |drop.?down|lohnt|lohnen[a-z]*
        """,
    ),
)
