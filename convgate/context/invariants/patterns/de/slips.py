"""German: slips owned up to, what stands still and runs again, and rules taken back, in further words."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

SLIPS = (
    Pattern(
        "mistake",
        "da hab ich mich vertan",
        r"""
            (?:hab|habe|hatte|haben|hast|hatten)(?: ich| wir| du| sie)?(?:'s| es| das| da| mich| uns| mir
            | wohl| irgendwie| nur| glatt| ja| was| die| den| beides| alles| leider| einfach| beim
            | [a-z]+){0,6} (?:vertan|vertippt|verrechnet|verwechselt|geirrt|verzahlt|verlesen|verschrieben
            |verhort|verguckt|versehen|verplappert|vertauscht|verdreht|durcheinandergebracht
            |durcheinander gebracht|durcheinander geworfen|falsch (?:im kopf|abgeschrieben|abgetippt
            |notiert|verstanden|gemerkt|eingetragen|angegeben|in erinnerung)|doppelt gezahlt|ubersehen
            |unterschlagen|nicht mitgezahlt|weggelassen|ausgelassen)|(?:zahlen|ziffern|tage|namen|daten
            |beide|spalten) (?:sind |waren |wurden)?(?:vertauscht|verdreht|verwechselt)|zahlendreher
            |buchstabendreher|dreher drin|tippfehler|(?:war|bin) (?:ich )?(?:da )??(?:im falschen
            |in der falschen|beim falschen|auf dem falschen|gedanklich|noch bei|schon bei
            |wohl bei) [^.!?\n]+|(?:war|ist|sind|waren) (?:quatsch|unsinn|blodsinn|unfug|kase|mist|veraltet
            |uberholt|nicht mehr aktuell|ein versehen|ein irrtum|ein missverstandnis|geraten
            |aus der luft gegriffen)(?: von mir)?|aus gewohnheit|ich (?:bin
            |war) (?:so |echt |heute |ja |noch |wohl )*(?:ein |eine )?(?:schussel|doof|blod|depp|idiot
            |trottel|dussel|verpeilt|durcheinander|verwirrt|nicht wach|mude)|mein (?:gedachtnis|kopf|hirn
            |gehirn)[^.!?\n]*|kommando zuruck|(?:alles |nochmal )?zuruck auf (?:anfang|los)|rolle ruckwarts
            |nehme (?:ich )?(?:das |alles )?zuruck|(?:vergiss|vergessen sie|streich|streichen sie
            |ignoriere?|ignorieren sie) (?:bitte )?(?:die|den|das|was ich|meine|mein|alles) [^.!?\n]+
            |(?:anders ?(?:he)?rum|umgekehrt|genau andersrum|gerade andersrum|seitenverkehrt)|(?:gerade
            |genau) (?:anders|das gegenteil)|(?:tausch|tausche|vertausch|dreh|drehe) (?:die|das|sie
            |es) (?:beiden|um|mal um|bitte)[^.!?\n]*|hab ich (?:nie|nicht) (?:gesagt|behauptet|geschrieben
            |gemeint)|(?:nie|nicht) gesagt[,.]|du (?:meinst|verwechselst|denkst an|redest von
            |hast) [^.!?\n]*(?:wohl|sicher|vermutlich|da|mit|vertauscht|vergessen|unterschlagen|ubersehen
            |ausgelassen|weggelassen)\b[^.!?\n]*|(?:letztes|vergangenes|voriges) (?:jahr|mal)[^.!?\n]*
            |da (?:stimmt|passt) (?:was|etwas|was nicht|der|die|das)[^.!?\n]*nicht|(?:ist|sind|heisst
            |heissen|liegt|kommt|beginnt|findet|wird|war|hat|haben|sind's
            |ist's) (?:ja |aber |es )?doch (?:am |um |im |in |der |die |das |erst |nur |schon |ein
            |eine |einen |den |dem )?[a-z0-9][^.!?\n]*|in wirklichkeit|in wahrheit|tatsachlich (?:ist|sind
            |war|waren|heisst|haben)|genauer gesagt|besser gesagt|ich meine (?:naturlich|eigentlich)
            |naturlich (?:meinte|meine) ich|meinte (?:naturlich|eigentlich)
            |sollte (?:naturlich |eigentlich )?[^.!?\n]{1,30} heissen
            |muss (?:naturlich )?[^.!?\n]{1,30} heissen|ach (?:mensch|je|quatsch|nein|was|herrje
            |du meine)[,. ]
        """,
        unless=r"""
            (?:wenn|falls|ob|damit|bevor|sobald) [^.!?,\n]*|(?:ist|war|wird
            |hat) (?:ja |aber |es )?doch (?:kein|gut|schon|toll|klar|super|egal|nett|ein witz|logisch
            |schoner|besser|okay|ok|in ordnung|nicht so|immer|so)[^.!?\n]*|ach (?:was|ja|so)[,. ] (?:wie|wo
            |wann|kann|ist)|(?:letztes|vergangenes|voriges) (?:jahr|mal) (?:war ich|waren wir|hatten wir
            |gab es)[^.!?\n]*|alles doch (?:gut|klar)
        """,
    ),
    Pattern(
        "checked",
        "da steht",
        r"""
            (?:hab|habe|haben)(?: ich| wir)?(?: [a-z]+){0,5} (?:nachgeschaut|nachgesehen|nachgemessen
            |nachgezahlt|nachgefragt|nachgelesen|nachgerechnet|gegoogelt|geschaut|geprufft|gepruft
            |angerufen|gemessen|gewogen|nachgeguckt)|(?:laut|gemass|nach) (?:dem|der|den|meinem|meiner
            |unserem|unserer|ticket|rechnung|vertrag|kalender|mail) ?[a-z]*|(?:auf|in|im) (?:dem|der|meinem
            |meiner|unserem)? ?[a-z]+ (?:steht|stehen)|(?:da|hier|dort) (?:steht|stehen)|(?:meine|mein
            |unser|unsere|der|die) (?:frau|mann|chef|chefin|arzt|arztin|kollegin|kollege|vermieter|kalender
            |vertrag|rechnung|mutter|vater|lehrerin|lehrer|verein|stadt|zettel|etikett|packung) (?:sagt
            |meint|hat|schreibt|zeigt)[^.!?\n]*
        """,
    ),
    Pattern(
        "error",
        "streikt",
        r"""
            (?:streikt|spinnt|muckt|zickt|bockt|hakt|klemmt|tropft|leckt|qualmt|stottert|ruckelt|flackert
            |rattert|brummt nur|verweigert|hangt sich|bleibt (?:kalt|schwarz|dunkel|weiss|leer|hangen
            |stehen|stumm|aus|tot|rot|zu|stecken|an der)|geht (?:aus|sofort aus|einfach aus|wieder aus
            |dauernd aus|in die knie)|fliegt (?:raus|dauernd|standig|sofort)|wirft (?:mich|uns|einen|eine
            |nur)|spuckt|lasst mich nicht|lasst sich nicht|lassen sich nicht|ist hinuber|ist im eimer
            |ist ausgefallen|fallt (?:aus|standig aus|dauernd aus)|gibt den geist auf
            |hat den geist aufgegeben|ist abgeraucht|abgeschmiert|schmiert ab|hat sich aufgehangt
            |aufgehangt|eingefroren|abgesturzt|lahmgelegt|liegt lahm|nicht ansprechbar|meldet sich nicht
            |antwortet nicht|tut sich nichts|passiert nichts|passiert gar nichts|kommt nichts
            |kommt kein[a-z]*|kommt nicht (?:mehr )?(?:an|durch|hoch|raus|in gang)|keinen (?:mucks|ton|saft
            |strom|empfang|pieps)|kein (?:ton|bild|strom|wasser|internet|netz|signal|warmwasser|empfang
            |licht|zugriff) (?:mehr|da|auf|seit|im)|(?:ton|bild|strom|wasser|internet|netz|wlan|heizung
            |licht|signal|verbindung|display|fahrstuhl|aufzug
            |server) (?:ist |sind )?(?:seit [^.!?\n]{2,30} )?(?:weg|aus|ausgefallen|tot|futsch|down|gestort
            |unterbrochen)|(?:ist|sind) (?:der|die|das) [a-z]+ (?:weg|aus|tot|futsch|kaputt|hinuber|dunkel)
            |(?:komme|kommen|komm) (?:ich |wir )??(?:[a-z]+ ){0,3}(?:nicht|kein[a-z]*) (?:mehr )?(?:rein
            |rauf|ins|in|auf|weiter|durch|an|dran|drauf)|nicht mehr (?:ins|in den|in das|auf den|auf das
            |erreichbar|zu erreichen|ansprechbar)|(?:bin|sind|bin ich) (?:ausgesperrt|blockiert)
            |unbenutzbar|unbrauchbar|nichts geht mehr|geht nichts mehr|lauft nichts mehr|bricht (?:standig
            |dauernd|immer|alle)|(?:standig|dauernd) (?:abgemeldet|getrennt|unterbrochen
            |rausgeworfen))\b[^.!?\n]*
        """,
        unless=r"""
            (?:wenn|falls|ob|damit|dass|was passiert|sobald|bevor|nie|darf|soll|muss|kann|konnte
            |wurde) [^.!?,\n]{0,40}(?:weg|aus|tropft|streikt|spinnt|klemmt|tot|raus|bleibt|geht)|(?:kind
            |sohn|tochter|katze|hund|er|sie|chef|bahn|lehrer|piloten) (?:streikt|spinnt|zickt|bockt)
            |letztes jahr[^.!?\n]*|bleibt (?:zu hause|stehen wie|dabei)|fliegt (?:raus aus|er raus)
            |ich (?:bleibe|komme nicht)[^.!?\n]*
        """,
        asked=True,
    ),
    Pattern(
        "resolved",
        "alles wieder da",
        r"""
            (?:fahrt|rennt|schnurrt|brummt|summt|tickt|flitzt|heizt|kuhlt|druckt|spielt|lauft|geht|tut
            |startet|springt|pumpt|leuchtet|funktioniert|steht|antwortet|reagiert|ladt
            |kommt) (?:er |sie |es |das |alles |die [a-z]+ |der [a-z]+ |das [a-z]+)?(?:an wie|wieder|jetzt
            |nun|endlich|nun wieder|jetzt wieder|wie (?:neu|am ersten tag|geschmiert|gewohnt|fruher|ein
            |eine|gehabt)|rund|stabil|sauber|tadellos|reibungslos|einwandfrei|ohne (?:murren|probleme
            |zicken|fehler))|(?:ton|bild|strom|wasser|internet|netz|wlan|heizung|licht|signal|verbindung
            |seite|server|alles|zugang|druck) (?:ist|sind|geht
            |lauft) (?:jetzt |nun |wieder |auch )*(?:wieder da|da|zuruck|an|online|gut|oben|warm|erreichbar
            |stabil|grun|ok|okay|normal|im lot)|wieder (?:da|online|am laufen|im lot|warm|flott|fit
            |erreichbar|drin|in gang|gut|heil|grun)|(?:problem|fehler|sache|ding|meldung|panne|storung
            |spuk) (?:ist |war |hat sich )?(?:jetzt |nun |somit |damit )*(?:geschichte|erledigt|vorbei
            |beseitigt|gelost|behoben|weg|vom tisch|passe)|(?:das|es|hat sich|damit|hiermit) (?:war'?s|wars
            |hat's|hats|erledigt|gelost)|(?:bin|sind) (?:ich |wir )?(?:jetzt |nun )?(?:wieder )?(?:drin
            |durch|online)|(?:habs|hab's|hab es|hab ihn|hab sie|habe es) (?:wieder |jetzt )?(?:hinbekommen
            |hingekriegt|geschafft|repariert|gelost|zum laufen gebracht)|zum laufen (?:gebracht|bekommen
            |gekriegt)|alles (?:gut|paletti|bestens|wieder gut|lauft|klar jetzt)|kein(?:e|en)? (?:fehler
            |absturz|absturze|meldung|aussetzer|problem|probleme) mehr|seitdem (?:ruhe|nichts mehr|stabil
            |lauft)[^.!?\n]*
        """,
        unless=r"""
            (?:nicht|noch nicht|nie|kein|wenn|damit|bis|ob|warum|wie|soll|muss
            |falls) [^.!?,\n]{0,30}(?:lauft|wieder|geht|da|startet|erledigt)|(?:geht|lauft|kommt
            |ist) (?:jetzt |nun )?(?:wieder |immer noch |schon wieder )(?:nicht|kein|der fehler|aus|weg
            |kaputt)[^.!?\n]*|(?:da|hier) (?:ist|sind) wieder|immer wieder|hin und wieder|schon wieder
        """,
    ),
    Pattern(
        "lifted",
        "ist vom Tisch",
        r"""
            (?:die|der|das|den|diese|dieser|meine|unser|unsere) [^.!?,\n]{2,40} (?:kannst|konnen|darfst
            |durfen|konnt) (?:du |sie |wir |ihr)?(?:also |jetzt |nun |ruhig |getrost |wieder |gleich )*(?:ve
            rgessen|streichen|ignorieren|weglassen|loschen|lockern|aufheben)|(?:fallt|fallen|entfallt
            |entfallen|erubrigt sich|erledigt sich|platzt
            |endet) (?:damit |also |jetzt |nun |ab sofort)?(?:weg|flach|aus)?\b[^.!?\n]*|(?:ist|sind|war
            |waren|wurde|wurden|hat sich) (?:jetzt |nun |damit |also |ab sofort |inzwischen
            |endgultig )*(?:passe|geschichte|kein thema mehr|kein muss mehr|nicht mehr notig
            |nicht mehr pflicht|freigegeben|gelockert|erledigt|kein problem mehr|gekippt|zuruckgenommen
            |ausgesetzt|abgelaufen|weggefallen|entfallen)|(?:nach (?:lust und laune|belieben)
            |wie du (?:willst|magst|mochtest)|wie sie (?:wollen|mochten)|wie es dir|ganz egal
            |was auch immer|hauptsache)[^.!?\n]*|freie (?:hand|wahl|bahn)|grunes licht|darf (?:jetzt|nun
            |wieder|ab sofort|inzwischen|doch)[^.!?\n]*|durfen (?:jetzt|nun|wieder|ab sofort|inzwischen
            |doch)[^.!?\n]*|(?:isst|esse|essen|trinkt|vertragt) (?:jetzt|nun|wieder|inzwischen)[^.!?\n]*
        """,
        unless=r"""
            (?:nicht|nie|niemals|nur|kein[a-z]*|hochstens) [^.!?,\n]{0,40}(?:vergessen|durfen|darf|egal
            |belieben)|darf (?:jetzt|nun) (?:nicht|nur|kein|nie|hochstens)[^.!?\n]*|ganz egal (?:was|wie
            |wer|ob|wo)[^.!?\n]*|egal was[^.!?\n]*
        """,
    ),
)
