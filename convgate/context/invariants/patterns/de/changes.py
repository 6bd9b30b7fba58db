"""German: what changes, ends or solves something that was said before."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

CHANGES = (
    Pattern(
        "change",
        "no, …",
        r"""
            (?:(?:nein|ne|nee|halt|stop|stopp|falsch|quatsch|korrektur)(?:[,.!:;]+ ?| - ?)|(?:sorry
            |moment|warte|tschuldigung|entschuldigung|ups|hoppla|oh|eigentlich|doch|stimmt nicht
            |achtung|verzeihung|fast)[,.!: ]+)[^.!?\n]{3,}
        """,
        unless=r"""
            (?:nein|ne|nee)[,.! ]+(?:danke|das (?:war|ist|reicht|passt)|alles|nicht notig|schon gut
            |wie|was|warum)|(?:sorry|moment|entschuldigung|oh|warte)[,.!: ]+(?:fur|dass|wie|was
            |warum|kannst|konnen|danke|schon|super|toll|noch|nur|ich bin|one|another|to|about|i|i'm
            |what|how|can|if|that|my|again|but|the|das hat|klar|stimmt|gut|ja|eine frage)
            |eigentlich (?:mag|wollte ich (?:nur|fragen)|ganz|gut|nicht|schon|kein|klar|alles)
            |halt (?:so|nicht|die|das|den|sich)\b
        """,
        opens_clause=True,
    ),
    Pattern(
        "change",
        "my mistake",
        """
            (?:du|sie) (?:hast|haben) (?:[a-z]+ ){0,5}(?:vertauscht|verwechselt|vergessen|ubersehen
            |falsch)|mein fehler|mein irrtum|ich (?:hab|habe
            |hatte) (?:mich )?(?:[a-z]+ ){0,5}(?:vertippt|verrechnet|verwechselt|geirrt|vertan
            |falsch (?:geschrieben|gesagt|gelesen|gezahlt|abgelesen)|verschrieben|verlesen|verzahlt)
            |(?:hab|habe|haben) (?:es |das )?(?:noch ?mal|nochmals|nochmal|gerade
            |eben) (?:nach)?(?:gemessen|geschaut|geguckt|gezahlt|gefragt|gerechnet|gelesen|gepruft)
            |nachgemessen|nachgeschaut|vertippt|verwechselt|falsch gesagt|ich meinte|gemeint war
            |meinte ich|plananderung|es hat sich geandert|hat sich geandert|wurde (?:verschoben
            |geandert|erhoht|gesenkt|verlegt)|ist (?:jetzt )?(?:verschoben|verlegt|geandert)|(?:der
            |die|das) [0-9a-z.]+ war (?:letztes|letzten|letzte|der alte|die alte|das alte|falsch
            |voriges)|ich hab[e]? (?:mich )?(?:es mir )?anders uberlegt|doch lieber|doch nicht
            |vergiss was ich|das stimmt nicht|stimmt (?:so )?nicht
        """,
    ),
    Pattern(
        "change",
        "not X but Y",
        r"""
            nicht [^.!?\n]{2,50} sondern [^.!?\n]{2,}|[a-z0-9.]+,? (?:und )?nicht (?:der |die |das |
            den |dem |in |im |am |an |auf |seit |mit |um |von |vom |bei |auf )*[a-z0-9]+|(?:statt
            |anstatt|anstelle(?: von)?) (?:[a-z]+ )?[a-z0-9]+|(?:fast|beinahe)[,.!] [^.!?\n]+
            |also brauchen wir (?:nur|kein[a-z]*) [^.!?\n]+
        """,
        unless="""
            (?:ist|sind|war|kann|konnen|geht|habe|hab|hat|weiss|bin|will|wurde|macht|druckt|lauft
            |darf|durfen|muss|ob|oder|noch|auch|warum|wenn|lieber|gar|uberhaupt|leider|bitte|mir|es
            |das|sich|mich|ihn|sie|er|wir|ich|du|man) nicht|nicht (?:so|zu|mehr|sicher|schlecht|ganz
            |wahr|langer|spater|uber|nur|notig|sehr|gut|unbedingt|da|lange|viel|immer|wirklich
            |einmal|erlaubt|moglich)
        """,
    ),
    Pattern(
        "modifies",
        "make it",
        r"""
            (?:mach|mache|machen sie|setz|setze|ander|andere|erhohe|senke
            |nimm) (?:[a-z]+ ){0,4}(?:auf|zu|daraus|draus|stattdessen|lieber|doch)[^.!?\n]*|(?:ist
            |sind|hat|haben|gilt|gelten|durfen|mussen) (?:jetzt|nun|inzwischen
            |mittlerweile) [^.!?\n]+|(?:jetzt|nun|inzwischen|mittlerweile) (?:ist|sind|gilt|gelten
            |doch)|sollte[n]? (?:[a-z]+ ){1,5}(?:sein|heissen|stehen|haben)
        """,
    ),
)

ENDINGS = (
    Pattern(
        "lifted",
        "forget the …",
        r"""
            (?:vergiss|vergessen sie|ignoriere?|streich[e]?|lass|lassen sie) (?:[a-z]+ ){0,3}(?:die
            |das|den|mit|was|regel|grenze|limit|vorgabe)[^.!?\n]*|(?:gilt|gelten|brauchen|braucht
            |brauche|zahlt|stimmt|besteht|muss|mussen|mussten) (?:[a-z]+ ){0,5}(?:nicht mehr
            |kein[a-z]* [a-z]* ?mehr)|(?:kein[a-z]*) (?:grenze|limit|vorgabe|beschrankung|regel
            |frist|problem) mehr|(?:ist|sind|wurde|wurden|wird) (?:[a-z]+ )*(?:aufgehoben|hinfallig
            |gestrichen|abgeschafft|vom tisch|wieder erlaubt|jetzt erlaubt|wieder moglich
            |wieder frei|egal|abgesagt|uberholt|ausgefallen)|(?:du|sie|wir|ihr|man|ich) (?:darfst
            |durfen|kannst|konnen|durft|darf|kann) (?:[a-z]+ ){0,5}(?:jetzt|wieder|nun|doch
            |inzwischen|ruhig)[^.!?\n]*|(?:jetzt|nun|inzwischen|wieder) (?:[a-z]+ ){0,3}(?:erlaubt
            |ok|okay|moglich|in ordnung)|(?:gibt es|gibts|gibt's) (?:[a-z]+ )?kein[a-z]* [a-z]+ mehr
        """,
    ),
    Pattern(
        "resolved",
        "works now",
        """
            (?:lauft|funktioniert|geht|klappt|startet|druckt|baut|tut|ladt|verbindet|heizt) (?:es |
            das |alles |sie |er )?(?:jetzt|wieder|nun|durch|endlich|einwandfrei|problemlos|super
            |prima|perfekt)|(?:hat|das hat|es hat) (?:[a-z]+ )?(?:geklappt|geholfen|funktioniert
            |gelost)|(?:das|daran|genau das|das) (?:war'?s|war es|lag es|hat es gelost)|(?:ist|wurde
            |problem|fehler|alles) (?:jetzt |nun |wieder )?(?:behoben|gelost|weg|gefixt|wieder da
            |repariert|erledigt)|(?:fehler|meldung|problem) (?:ist )?(?:jetzt )?weg|wieder online
            |lauft durch|(?:jetzt|nun) [a-z]+t (?:er|es|sie|alles) (?:wieder|endlich)|(?:jetzt
            |nun) (?:geht|lauft|klappt|funktioniert|druckt)(?:'s| es| er| sie| alles)?|alles grun
            |behoben|gelost
        """,
        unless=r"""
            (?:nicht|noch nicht|nie|kein|wenn|damit|bis|ob|warum|wie) [^.!?,\n]{0,30}(?:lauft
            |funktioniert|geht|klappt|behoben|gelost|startet)|(?:lauft|funktioniert|geht|klappt
            |startet|druckt) (?:[a-z]+ )?(?:nicht|nie|trotzdem|immer noch)
        """,
    ),
)
