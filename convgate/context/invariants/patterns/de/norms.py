"""German: what has to be or may not be, told as if it were so already; and how much at most."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

NORMS = (
    Pattern(
        "obligation",
        "Punkt",
        r"""
            (?:punkt|basta|aus die maus|ende der (?:diskussion|durchsage)|keine diskussion
            |keine widerrede|und damit basta|und schluss|fertig|da gibt's nichts|ohne wenn und aber
            |komme was wolle|egal was|so ist das|das steht fest|das ist fix|das bleibt so
            |sonst nichts|und sonst nichts|nichts anderes|und nichts anderes|und nicht mehr
            |mehr nicht|mehr ist nicht drin|nicht einer mehr|keiner mehr|keinen mehr){end}
        """,
        unless=r"""
            (?:^|[.!?\n] ?)(?:punkt|basta|fertig|egal was)|(?:der|ein|am|zum|fast|schon|bin
            |ist) (?:punkt|fertig)
        """,
        opens_clause=True,
    ),
    Pattern(
        "obligation",
        "hat nichts zu suchen",
        r"""
            (?:hat|haben) (?:[a-z]+ ){0,5}nichts (?:zu suchen|verloren|zu tun in)|(?:kommt|kommen|geht
            |gehen|darf|gehort|gehoren) (?:mir |uns |[a-z]+ ){0,4}(?:nicht|nie|kein[a-z]*
            |niemals) (?:[a-z]+ ){0,3}(?:in|auf|an|rein|ran|raus|aus|unter|uber|durch|ins|aufs|hinein
            |hinaus|mit|vor|infrage|in frage)|(?:ist|sind|bleibt|bleiben) (?:hier |bei uns |fur mich
             |absolut |[a-z]+ )?(?:tabu|raus|gestrichen|ausgeschlossen|passe|gesperrt|untersagt
            |unerwunscht|nicht drin|gesetzt|pflicht|heilig|unantastbar|verbindlich|bindend|festgelegt
            |ein no.go|fix|nicht verhandelbar|vegan|vegetarisch|fleischfrei|geschlossen|zu|unverandert
            |wie (?:er|sie|es)|besetzt|drin|intern|geheim|anonym|im haus|unter uns|unangetastet|frei
            |verschlossen|abgeschlossen|ausgeschaltet|aus){end}|bleibt (?:[a-z]+ ){1,6}(?:besetzt|zu
            |geschlossen|frei|drin|stehen|verschlossen|aus|dran|intern|geheim|anonym)|(?:wird
            |werden) (?:hier |bei uns |[a-z]+ ){0,5}(?:nicht|nie|niemals|niemand|nirgends|nichts
            |kein[a-z]*|immer|stets|nur|ausschliesslich|grundsatzlich|vorher|erst
            |zuerst) (?:[a-z]+ ){0,4}[a-z]*(?:t|en)\b|ge[a-z]{3,}t wird (?:[a-z]+ ){0,3}(?:nicht
            |niemand|nie|nichts|nur|immer)|ge[a-z]{3,}en wird (?:[a-z]+ ){0,3}(?:nicht|niemand|nie|nur)
            |(?:so|das|es) (?:ist|steht) (?:[a-z]+ )?(?:vorgeschrieben|vorgegeben|im vertrag|im gesetz)
            |(?:gesetz|vertrag|vorschrift|versicherung|chef|chefin|kunde|kundin|vermieter|behorde|amt
            |ordnungsamt|schule|hausordnung|satzung|bauamt|redaktion|verlag|drucker|server|arbeitgeber
            |norm|trainer|prof|professorin?|gutachter) (?:verlangt|fordert|schreibt|verbietet|erlaubt
            |besteht|will|nimmt|akzeptiert|untersagt|gestattet|begrenzt|deckelt) [a-z]+|(?:verlangt
            |fordert|schreibt [a-z]+ vor|verbietet|besteht auf|besteht darauf|untersagt) [a-z]+
            |das ist (?:gesetz|pflicht|vorschrift|bedingung)|bleibt,? wie (?:er|sie|es) ist|(?:wir|ich
            |man) (?:nehmen|nehme|verwenden|nutzen|kaufen|essen|esse|nimmt|schreiben
            |antworten) nur [a-z0-9]+|(?:ich|wir) (?:will|wollen|mochte|mochten|dulde|dulden|akzeptiere
            |akzeptieren|brauche|brauchen) (?:[a-z]+ ){0,4}(?:kein[a-z]*|nirgends|niemals
            |nichts) [a-z]+|lass (?:[a-z]+ ){1,4}(?:weg|raus|in ruhe|unverandert|so wie|aus dem spiel)
            |finger weg (?:von|vom)|(?:sonst|andernfalls|ohne (?:das|den|die|dem
            |der)) [a-z ]{0,30}(?:verlieren|droht|nimmt uns|passiert|zahlen wir|gibt's arger|platzt
            |fliegen wir)
        """,
        unless=r"""
            (?:haben|hat) damit nichts zu tun|(?:app|seite|server|drucker|mail|bild|licht|strom
            |programm|fenster|gerat|rechner|motor|display|bildschirm) (?:ist|bleibt|sind|wird
            |geht|kommt) [^.!?\n]*|(?:es|das|er|sie) (?:wird|werden|kommt|geht) (?:mir |uns )?(?:nicht
            |nie|nichts|immer) [a-z]+|(?:wird|werden) (?:wohl|bestimmt|sicher|vielleicht|noch
            |immer [a-z]+er)[^.!?\n]*|(?:ist|sind|bin) (?:schon |jetzt )?(?:zu|raus|aus)[,!]|(?:was
            |wie|warum|wann|wo|wer|ob) [^.!?\n]{0,40}wird [^.!?\n]*
        """,
    ),
    Pattern(
        "obligation",
        "ist Schluss",
        r"""
            (?:bei|nach|um|mit|ab) [0-9a-z][0-9.,]*(?: [a-z]+){0,4} ist (?:[a-z ]+ )?(?:schluss|ende
            |aus|feierabend|zu|ruhe)|(?:bei|nach|um|mit|ab) (?:mitternacht|feierabend
            |sonnenuntergang) ist (?:schluss|ende|ruhe|aus)|mehr als (?:[0-9][0-9.,]*|zwei|drei|vier
            |funf|zehn|eine?n?)(?: [a-z]+){0,3} (?:gebe|zahle|will|mochte|kann|darf|geht|gibt|nehme
            |brauche|lasst|schaffe|schaffen|ist|sind|haben|hat|passt|passen
            |werden) [^.!?\n]{0,40}(?:nicht|kein[a-z]*|nie)|mehr als (?:[0-9][0-9.,]*|zwei|drei|vier
            |funf|zehn) [a-z]+ (?:gibt's|gibt es|geht|gehen|sind|werden es) nicht
            |bis (?:zu )?[0-9][0-9.,]* (?:uhr|euro|kg|kilo|minuten|seiten|worter|personen
            |prozent)(?: [a-z]+){0,3} (?:darf|durfen|ist|sind|geht|gehen|kann|erlaubt)
            |danach (?:kein[a-z]*|nichts|nicht|ist)|[0-9][0-9.,]*(?: [a-z]+){1,4} (?:ist|sind) (?:das
            |die|unser|mein|mein absolutes|unsere?|meine) (?:[a-z]+ )?(?:maximum|limit|obergrenze
            |grenze|minimum|budget|deckel|hochste|ausserste|schmerzgrenze)|(?:das|die|der|unser|mein
            |unsere|meine) (?:neue |absolute |harte )?(?:maximum|limit|obergrenze|grenze|budget|deckel
            |schmerzgrenze|hochstwert|mindestalter|frist) (?:ist|liegt|sind|bleibt
            |betragt)(?: [a-z]+){0,3} [0-9]+|[0-9][0-9.,]* [a-z]+ (?:pro|je) [a-z]+
            |mindestens [0-9a-z]+ [a-z]+|hochstens [a-z0-9]+|[0-9][0-9.,]* [a-z]+,? (?:mehr nicht
            |nicht mehr|keine? [a-z]+ mehr|und nicht mehr|und keine? [a-z]+ (?:mehr|langer))|(?:muss
            |mussen|soll|sollen|darf|durfen) (?:auf|in) (?:eine?|[0-9]+) [a-z]+ passen|(?:nimmt|fasst
            |passen) (?:nur|hochstens|maximal) [a-z0-9]+
        """,
        unless=r"""
            (?:kostet|dauert|dauerte|kostete|hat|haben|war|waren|sind|zahle|zahlen|verdiene|fahrt|fahre
            |lauft|lauf|trinke|arbeite) (?:[a-z]+ )?[0-9][0-9.,]* [a-z]+ (?:pro|je) [a-z]+|mehr als
             [0-9]+ (?:jahre|mal)|mindestens (?:so|genauso)
        """,
    ),
)
