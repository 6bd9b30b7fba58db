"""Cues of GENERAL: what belongs to none of the others, such as greetings, news of oneself and small talk."""

from __future__ import annotations

from convgate.context.modes.cues.cue import Cue

GENERAL = (
    Cue(
        "thanks",
        "it thanks",
        r"""
        thanks?|thank you|thx|ty|cheers|much appreciated|grateful|bless you|danke\w*|merci|vielen
        dank|you're welcome|no worries|no problem|well done|good job|nice (?:one|work)
        """,
    ),
    Cue(
        "greets",
        "it greets or takes leave",
        r"""
        hi|hello|hey|hiya|good (?:morning|evening|night|afternoon)|morning|bye|goodbye|see you|talk
        (?:to you )?(?:later|soon|tomorrow)|later|until (?:tomorrow|then|next)|have a (?:nice|good
        |great|lovely)|take care|welcome back|greetings|happy (?:new|birthday|easter|monday|friday)
        |merry|congrat\w*|get well|sleep well|good luck|hallo|guten (?:morgen|abend|tag)|tschuss|bis
        (?:morgen|dann|spater|bald)|schonen? (?:tag|abend|feierabend|wochenende)|bonjour|salut
        |bonsoir|bonne (?:nuit|journee|soiree)|a (?:demain|bientot|plus)|servus|moin|enjoy
        """,
    ),
    Cue(
        "agrees",
        "it agrees, refuses or closes",
        r"""
        agreed|exactly|fair (?:enough|point)|makes sense|sounds (?:good|great|fine|right)|got it
        |understood|i see|will do|you're right|true|indeed|fine (?:by|with) me|works for me|i'm
        (?:happy|content|fine|good) (?:with|for)|perfect|great|lovely|awesome|brilliant|not bad
        |never ?mind|forget it|let's leave it|leave it (?:at|like)|that's (?:it|all|fine|good|right
        |enough|what)|that'll do|we're done|nothing (?:more|else) (?:for|from)|call it a day|alles
        (?:klar|gut)|passt|in ordnung|d'accord|ca me va|parfait|c'est (?:bon|parfait|tout)|genau
        |stimmt|no rush|no hurry|whatever|if you say so
        """,
    ),
    Cue(
        "laughs",
        "it laughs or exclaims",
        r"""
        (?:ha){2,}h?|(?:he){2,}|lol|lmao|rofl|wow|omg|yay|phew|ugh|oops|whoops|oh (?:no|well|dear
        |my)|hihi|mdr|ahah|hm+|huh|aww|joke|joking|kidding|funny|such is life|what a (?:day|week
        |match|night)|fingers crossed|touch wood
        """,
    ),
    Cue(
        "about_oneself",
        "it tells of oneself",
        r"""
        i(?:'m| am) (?:a|an|the|from|in|on|at|off|\d+|\w+ years|tired|happy|back|home|so|proud|more
        |not|your|vegetarian|left-handed|here|writing)|my name|call me|i live|i work|i teach|i speak
        |i (?:love|hate|miss|prefer|hope|enjoy|adore)|we live|we(?:'re| are) (?:a|in|on|back|off|at
        |home|having)|i(?:'ve| have) (?:a|an|two|three|four|got|been|worked|lived)|i was (?:born
        |raised|just|in|at)|i grew up|i used to|we used to|for a living|my (?:wife|husband|mother
        |father|mum|mom|dad|sister|brother|son|daughter|kids|granddaughter|grandson|grandmother
        |grandfather|aunt|uncle|dog|cat|boss|neighbour|neighbor|colleague)s?|years old|ich (?:bin
        |wohne|arbeite|liebe|habe)|wir (?:haben|sind|wohnen)|je (?:suis|travaille|vis|m'appelle)
        |j'habite|on a|nous (?:avons|sommes)|mein (?:mann|sohn|vater|bruder)|meine (?:frau|mutter
        |tochter)|mon (?:fils|mari|pere)|ma (?:fille|femme|mere)
        """,
    ),
    Cue(
        "news",
        "it reports that all is well",
        r"""
        solved|fixed (?:it|now|itself|ourselves)|works (?:now|again|like)|working now|all (?:good
        |fine|well|green|done|set)|(?:it|that|everything|all) (?:works|worked|went)|merged|deployed
        |shipped|released|went (?:well|fine|through|live|home)|is (?:live|done|out|through|over|gone
        |back)|no (?:complaints|incidents|issues|problems)|finished|passed|got (?:the job|in
        |accepted)|accepted|signed|arrived|quick (?:update|note|status)|status|update:|fyi|for
        (?:the record|your information)|by the way|btw|just so you know|so far so good|on call|quiet
        |numbers for|good news|erledigt|geschafft|gemergt|fertig|c'est fait|we won|i won|we lost|won
        |our stack|our team is
        """,
    ),
    Cue(
        "daily_life",
        "it speaks of the day, the weather or the family",
        r"""
        rain(?:s|ed|ing)?|snow(?:s|ed|ing)?|sun(?:ny|shine)?|weather|drizzle|storm|fog|lovely
        |beautiful|weekend|holiday(?:s)?|birthday|christmas|lunch|dinner|breakfast|coffee|tea|cake
        |yesterday|today|tonight|tomorrow|last night|off to|in bed|asleep|home|on my way|on the
        (?:train|bus|ferry|tram)|train is late|match|score|garden|kids|grandma|grandpa|regnet
        |schneit|wetter|gestern|heute|morgen|feierabend|wochenende|pluie|pleut|soleil|week-end|hier
        soir|aujourd'hui|cried|laughed|danced|proud|wonderful|delicious
        """,
    ),
    Cue(
        "about_the_chat",
        "it speaks of the chat itself",
        r"""
        you(?:'re| are) (?:a|an|the|so|very|more|funny|welcome|getting|nice|kind|like|right)|are you
        (?:a|an|there|real|ready|still|even|mad|human|okay|ok)|do you (?:ever|sleep|remember|like
        |have|dream|get|know me|mind|speak)|can you (?:remember|hear|see me)|who (?:made|built
        |trained) you|(?:this|our) (?:chat|conversation|talk|thread)|wrong (?:window|chat|tab|person
        |thread)|sorry,? |my bad|hang on|one (?:moment|sec|second|minute)|give me a (?:minute|moment
        |sec)|brb|i'll (?:be back|come back|get back|try|read|report|let you know|think|sleep on)
        |let me (?:think|check|read|try|ask|sleep)|where were we|as i said|you (?:said|answered
        |sound|remember|always|always begin|know me)|talking to you|bist du|kannst du dich|du bist
        |tu es|falsches fenster|read(?:ing)? (?:it|this) (?:through|later)|typo|autocorrect
        |copy.?paste
        """,
    ),
    Cue(
        "saying",
        "it says something in general",
        r"""
        (?:used to|would|likes? to|always) say|as (?:my|the|they) [^.?!]{1,40} (?:say|says|said)
        |they say|somebody said|in my (?:opinion|book|view|experience|family|dialect|day)|if you ask
        me|i (?:think|doubt|suppose|believe|must say|admit)|to be honest|tbh|ich finde|je trouve
        |honestly|life|nobody
        """,
    ),
)
