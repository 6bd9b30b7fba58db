# ruff: noqa: E501
"""English."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern
from convgate.gatekeeper.patterns.language import Language

_NAMED = {
    "polite": r"(?:(?:and|but|so|also|then|ok|okay|please|pls|just|hi|hey|hello|remember|remember to|be sure to|make sure to|you should|you must|try to|to) )*",
    "very": r"(?:(?:really|also|just|still|much|very much|definitely|generally|strongly|personally|actually|do|would|quite|absolutely|now|usually|always|typically|honestly|always) )*",
    "not": r"(?:do not|don't|dont|wouldn't|would not|never|no longer) ",
    "noun": r"(?:team|whole team|entire team|group|company|department|squad|devs|developers|crew|staff|family)",
    # What is done once and is no lasting wish.
    "mind": r"(?:know|understand|learn|ask|see|find out|figure|check|clarify|discuss|talk|thank|say|tell|hear|apologi[sz]e|confirm|mention|point out|share|show|be sure|make sure|be able|get started|start|try|start|think|wait|believe|emphasi[sz]e|remind|know)",
    "task": r"(?:add|build|create|make|write|fix|change|update|delete|remove|implement|deploy|install|run|test|debug|refactor|generate|convert|import|export|print|sort|parse|read|compare|plot|draw|plan|book|buy|order|go|do|get|sell|send|call|visit|cook|bake|print)",
}

_PREFERENCES = (
    Pattern(
        "preference",
        "I prefer",
        r"i {very}(?:{not}{very})?prefer|i'?d {very}prefer|my (?:own |personal |strong )?preferences? (?:is|are|would be)",
        unless=r"i {very}prefer to (?:think|wait|sleep|stay|believe|remain|live|die|listen|rest|watch)\b|if i prefer",
    ),
    Pattern("preference", "I'd rather", r"i(?:'d| would|d) {very}rather", unless=r"rather than"),
    Pattern(
        "preference",
        "I like",
        r"i {very}(?:{not}{very})?(?:like|love|dislike|enjoy)",
        unless=(
            r"i {very}(?:like|love) (?:it|your|that|this|these|those|how|the way|what|where|you)\b"
            r"|i would {very}(?:like|love) (?:to|you to|an?|the|some)\b|i (?:feel|look|sound|seem|act) like"
            r"|(?:if|when|whenever|whatever|as|than|thing|things|what) i (?:like|love)\b"
        ),
    ),
    Pattern(
        "preference",
        "I hate",
        r"i {very}(?:hate|can't stand|cannot stand|can't bear|detest|despise|loathe)",
        unless=r"i {very}hate (?:to (?:bother|ask|say|admit|interrupt|break|be)|this|that i|it|myself|my life)\b",
    ),
    Pattern(
        "preference",
        "I want",
        r"i {very}(?:{not}{very})?want",
        unless=(
            r"i {very}(?:{not}{very})?want (?:you )?to {very}(?:{mind}|{task})\b|i {very}want you to (?:[a-z]+)\b"
            r"|(?:if|when|whenever|what|whatever|because|since|thing|once) i {very}(?:{not}{very})?want|i want (?:it|that|this|an?|one|two|three|some|in|out|more)\b"
        ),
    ),
    Pattern(
        "preference",
        "I always",
        r"i {very}(?:always|never|usually|normally|generally|typically|tend to)",
        unless=(
            r"i {very}(?:always|never|usually|normally|generally|typically) (?:get|gets|got|see|saw|have (?:problems?|trouble|issues?)|had"
            r"|forget|forgot|end up|receive|knew|know|thought|think|said|understand|understood|heard|tried|seem|was|were"
            r"|wanted|liked|loved|hoped|wondered|wonder|wished|felt|did|been|went|[a-z]*[^e ]ed|run into|find|found|met|saw|meant|could|would|will|have been|have had|have to|mind)\b"
        ),
    ),
    Pattern(
        "preference",
        "my favourite",
        r"my (?:own |personal |all-time )?favou?rite [^.!?\n]{1,40} (?:is|are)|i(?:'m| am) (?:not )?a (?:big |huge )?fan of",
    ),
    Pattern("preference", "I don't use", r"i (?:don't|do not|never) use"),
    Pattern(
        "team_preference",
        "we prefer",
        r"we(?:'d| would|d)? {very}prefer|we(?:'d| would) {very}rather"
        r"|(?:the|our|my) {noun}(?: members| mates)? {very}prefers?|everyone (?:here |on the team |in the team )?prefers"
        r"|(?:our|the team's|the {noun}'s) (?:\w+ )?preference (?:is|are)|most of us prefer"
        r"|(?:the|our|my) {noun} (?:likes|loves|hates|dislikes|would rather)",
        unless=r"(?:if|whether|what) (?:we|the team) prefer|(?:my|the) family",
    ),
)

_CORRECTIONS = (
    Pattern(
        "correction",
        "no, it's",
        r"(?:no|nope|nah|no no|not quite|hm+ no|um+ no|err? no|sorry no)(?: |, ?|\. ?|! ?|; ?| ?- ?|: ?)(?:sorry,? |wait,? |but )?(?:that's|thats|that is|it's|its|it is|i meant|i mean|actually|that isn't|that wasn't|this is|the|use|we|they're|they are|he's|she's|you|my|our|not|i'm|i am|i asked|i wanted|i want|i said|those|these|there's|there are|there is|only|make)",
        unless=r"(?:no|nope|nah)[,.!]? (?:that's|thats|that is|it's|it is|this is) (?:all|it|fine|ok|okay|good|great|perfect|enough|everything|alright|cool|not necessary)\b|no way|no the less",
        opens_clause=True,
    ),
    Pattern(
        "correction",
        "wrong",
        r"wrong|incorrect(?:ly)?|not (?:right|correct|true)",
        unless=(
            r"(?:go|goes|going|gone|went) (?:\w+ )?wrong|(?:what's|what is|whats|what was|what'?re|what are|how|why|where) [^.!?,\n]{0,40}wrong|\w*thing (?:\w+ )?(?:wrong|incorrect)"
            r"|get me wrong|wrong (?:number|type|arguments?|password|credentials|format|with|=)|wrong ?[=(.\[]|wrong way round\?"
            r"|(?:if|whether|in case|when|unless|not) [^.!?,\n]{0,30}(?:wrong|incorrect|right|correct|true)\b|(?:am|was) i (?:wrong|right)|(?:i'm|i am|i was|i may be|i might be|i could be|is that|is this|is it) (?:not )?(?:wrong|right|correct)"
            r"|incorrect (?:\w+ )?(?:value|password|syntax|usage|arguments?)|error[^.!?\n]{0,40}(?:wrong|incorrect)|prove[sd]? [a-z]+ wrong|wrong side of|(?:nothing|anything|something)'?s? wrong"
            r"|not (?:right|true) (?:now|away|here|after|before|and)|(?:do|does|did|dial(?:l?ed)?|took|take|taken|bought|sent|got|made|opened|caught) [^.!?\n]{0,25}(?:the|a|an) wrong"
        ),
    ),
    Pattern(
        "correction",
        "not what I",
        r"(?:not|isn't|wasn't|aint|ain't) (?:exactly |quite |really )?(?:what|how) (?:i|we) (?:\w+)|not what i",
    ),
    Pattern(
        "correction",
        "I said",
        r"i (?:just |already |clearly |explicitly )?said|i asked (?:you )?for|i told you|i specifically (?:asked|said)",
        unless=(
            r"i said (?:hello|hi|hey|goodbye|bye|thanks|thank you|sorry|yes to|no to|to (?:my|the|him|her)|that|something|nothing|so)\b"
            r"|(?:when|what|where|while|after|before|because|if|like|than|everything|anything|he|she|they|did|have|think|thinks) i (?:just |already )?(?:said|asked|told)"
        ),
    ),
    Pattern(
        "correction",
        "I meant",
        r"i meant|what i (?:actually |really )?meant",
        unless=r"i meant to (?:ask|say|tell|thank|call|write|reply|send|mention|come)\b|(?:if|when|that's what|thats what|exactly what|is what) i meant",
    ),
    Pattern(
        "correction",
        "actually, it's",
        r"actually,? (?:it's|its|it is|that's|thats|that is|i meant|the|we|no|my|our|they|he|she|there are|there's|i'm|i am|i said|i wanted|not)",
        unless=r"(?:what|that|who|how|why) actually|actually,? (?:it's|its|that's|thats|that is|it is) (?:a |an |really |very |pretty |quite )*(?:good|great|fine|nice|cool|perfect|ok|okay|funny|better|question|interesting|correct|right|true|helpful|useful)\b",
        opens_clause=True,
    ),
    Pattern(
        "correction",
        "scratch that",
        r"scratch that|correction|i misspoke|you(?:'ve| have)? (?:misunderstood|misread|misheard|got (?:it|that|this) wrong|made a mistake|mixed up|confused)|i take that back|my mistake,? (?:it|the|that)",
        unless=r"(?:error|auto|spelling|colou?r|bug|gamma|tax|market|grammar) ?-?correction|correction (?:factor|fluid|tape|of)|(?:a|the|for|any) correction",
    ),
)

_RULED = r"(?:must|mustn't|shall|shan't|needs? to|has to|have to)"
_LEISURE = (
    r"(?:go (?:to|for|out|home|on|get|grab|eat|see|and|back|there|now|skiing|shopping)|grab|have (?:lunch|dinner|a|some|an)|get (?:lunch|dinner|some|a|together|going|started|back|to know|home|out)"
    r"|meet|talk|chat|speak|catch up|celebrate|hang|take (?:a|our time)|leave|see|hear|start|be (?:fine|good|ok|okay|able|done|ready|safe|seeing|getting|there|home|back|happy|grateful|proud|in|at|on|all)"
    r"|have (?:been|had|known|seen|gotten|done|left|gone|enough|missed|lost|forgotten)|know|wait|watch|expect|arrive|ask|call|thank|look|visit|order|eat|drink|be)"
)

_POLICIES = (
    Pattern(
        "policy",
        "we always",
        r"we (?:\w+ly )?(?:always|never)|we (?:also|all) (?:always|never)",
        said="both",
        unless=(
            r"we (?:\w+ly )?(?:always|never) (?:get|got|see|saw|seem|have (?:problems?|trouble|issues?|fun|lunch|been|had)|had|end up|heard|hear|met|meet|knew|know|said|thought|found|find"
            r"|were|been|go to|went|did|run out|run into|fight|argue|laugh|forget|forgot|lose|lost|came|could|would|will|made|saw|told|spoke|wanted|[a-z]*[^e ]ed|seem|mind)\b"
            r"|(?:if|when|whenever|like|as|than|what|which|that|how|why) we (?:always|never)"
        ),
    ),
    Pattern(
        "policy",
        "we should",
        r"we (?:also |all |really |definitely )?(?:should|must|shall|have to|need to) (?:\w+)",
        said="both",
        unless=(
            r"we (?:also |all |really )?(?:have to|need to) (?:[a-m]|[o-z])\w*"
            r"|we (?:also |all |really |definitely )?(?:should|must|shall) (?:just |really |probably |all |also |maybe |totally |definitely |soon |both |not )*{leisure}\b"
            r"|(?:if|what|which|when|how|where|why|whether|that|think|whatever|first|now|then) we (?:should|must|shall)"
            r"|we (?:should|must|shall) (?:first|now|then|next|solve|find|subtract|divide|multiply)"
        ),
    ),
    Pattern(
        "policy",
        "our standard",
        r"our (?:\w+ )?(?:standards?|conventions?|polic(?:y|ies)|rules?|guidelines?|style guide)",
        said="both",
        unless=(
            r"our (?:\w+ )?(?:standards?|conventions?|polic(?:y|ies)|rules?|guidelines?) (?:number|engine|page|service|library|file|document|table|server|module|class|checker|room|deviation|error|input|output|holder|holders|hall|cent(?:er|re)|id|no|check|test|tests|parser|set|sets|editor|plan|package)\b"
            r"|(?:what|where|which|who|how|why) [^.!?\n]{0,30}our (?:\w+ )?(?:standard|convention|policy|rule|guideline)s?"
        ),
    ),
    Pattern(
        "policy",
        "don't ever",
        r"(?:don't|dont|do not|never) ever \w+|(?:don't|dont|do not) use",
        said="both",
        unless=(
            r"(?:i|you|they|people|users|why|who|that|which|we really|customers|if we|if you) (?:don't|dont|do not) (?:ever|use)"
            r"|(?:don't|do not) use (?:up|it yet)|(?:don't|do not|never) ever (?:know|mind|again|want|get|see|seem)"
        ),
    ),
    Pattern(
        "policy",
        "please don't",
        r"(?:please|pls|kindly) (?:don't|dont|do not|never|always|avoid|refrain from)",
        unless=r"(?:don't|dont|do not) (?:worry|hesitate|mind|be|get me|hate|laugh|judge|go|stop)\b",
    ),
    Pattern(
        "policy",
        "never …",
        r"never [a-z]{2,}",
        unless=(
            r"never (?:mind|again|ever|heard|seen|had|been|got|gotten|knew|thought|used|an?|the|said|happened|worked|works|had|saw|met|in|on|at|to|would|could|have|has|did|was|were|is|too|once|before|really|even|quite|actually|give up on|tell me|going|fear|told|felt|found"
            r"|[a-z]*[^e ]ed|[a-z]{3,}ing|[a-z]+[^su ]s)\b|it never|never [a-z]+ (?:me|him|her|us) (?:back|again)"
        ),
        opens_clause=True,
    ),
    Pattern(
        "policy",
        "always …",
        r"always [a-z]{2,}",
        unless=(
            r"always (?:the|an?|there|here|been|happy|glad|welcome|on|in|at|to|my|his|her|with|good|nice|fun|great|had|has|is|was|were|got|gets|late|so|such|and|or|that|this|it|when|if|for|too|as|up|down|same|one|something|someone|wanted|wondered|crash(?:es)?|fail(?:s)?|me|you"
            r"|[a-z]*[^e ]ed|[a-z]{3,}ing|[a-z]+[^su ]s)\b"
        ),
        opens_clause=True,
    ),
    Pattern(
        "policy",
        "avoid …",
        r"avoid [a-z]{2,}|under no circumstances|refrain from|steer clear of",
        unless=r"avoid (?:the|this|that|these|those|it)\b",
        opens_clause=True,
    ),
    Pattern(
        "policy",
        "from now on",
        r"from now on|going forward|from here on(?: out)?|from today on|henceforth|in (?:the )?future,? (?:always|never|please|use|don't|do not|make|only)|as a rule|by convention|as a matter of policy|by policy",
        unless=r"(?:not|such) as a rule|(?:as a rule of)",
    ),
    Pattern(
        "policy",
        "every … must",
        r"(?:every|all|each|any|no) [^.,!?\n]{2,60} (?:must|mustn't|needs? to be|has to be|have to be|have to go|must not|are to be|is to be|shall|may be)"
        r"|(?:nobody|no one|everyone|everybody|anyone) (?:\w+ )?(?:must|mustn't|may|has to|needs to|should)|[a-z]{3,}[^su ]s must(?:n't| not| never| always)? [a-z]+"
        r"|(?:that's|it's|this is) (?:a|the|our) (?:hard |strict |general |team |house )?(?:rule|policy|convention)|(?:is|are) (?:strictly )?(?:forbidden|not allowed|mandatory|off limits|required) (?:here|in our|for all|on all|for every)|no exceptions",
        unless=r"all (?:i|you|we|they) |(?:every|all|each|any) (?:time|day|night|of (?:it|this|that))|(?:there|it|that|this|he|she) must be|suppose|must have|(?:a|an|the|this|that|which|it|he|she) must",
    ),
)

_DECISIONS = (
    Pattern(
        "decision",
        "let's go with",
        r"(?:let's|lets|let us) (?:just |simply |then |all |instead |actually |please |rather )?(?:go with|use|choose|pick|go for|stick with|stick to|settle on|settle for|opt for|adopt|switch to|move to|do it with|keep using)",
        said="both",
        unless=(
            r"(?:let's|lets|let us) (?:\w+ )?(?:pick up|pick (?:it|this|that|things) up|pick [a-z']+ brain|use (?:the|this|that|our|some)(?: \w+)? (?:time|opportunity|chance|break|moment|day|weekend|fact|formula|function|method|definition|rule|theorem)|go with the flow|go for (?:a|it|lunch|dinner|drinks|coffee|walk|some)"
            r"|use (?:it|that|this|an example|the example)|move to the (?:next|living|other)|stick to the (?:topic|point))\b"
            r"|(?:now|next|first),? (?:let's|lets|let us) use"
        ),
    ),
    Pattern(
        "decision",
        "I've decided",
        r"(?:i|we|the team|the board|management|the client|everyone)(?:'ve|'s| have| has|ve)? (?:just |now |finally |already |all )*(?:decided|chosen|settled|agreed|opted)(?: on| to| that| for| against|,|:)?"
        r"|(?:i|we) (?:finally |just )?(?:chose|picked|settled on|opted for|made (?:a|the|our|my) decision)|i(?:'ve| have) made up my mind|(?:it|that)(?:'s| is) (?:settled|decided)",
        said="both",
        unless=(
            r"(?:haven't|hasn't|have not|has not|not|never|hadn't|until|once|if|when|before|after|whether|who|how) (?:i |we |yet |been |the team |you )*(?:have |'ve )?(?:yet )?(?:decided|chosen|settled|agreed)"
            r"|(?:i|we|everyone)(?:'ve| have)? agreed?(?:,)? (?:that|with)?(?:you|it|this)|i(?:'ve| have)? agreed|he's|she's|they've"
        ),
    ),
    Pattern(
        "decision",
        "we'll use",
        r"(?:we|i)(?:'ll| will|'re going to| are going to|'m going to| am going to|ll)(?: just| now| then| all| simply)? (?:use|go with|go for|choose|pick|stick with|stick to|adopt|switch to|settle on|take the|opt for|be using)"
        r"|(?:we're|we are|i'm|i am|were) going with|(?:we're|we are|i'm|i am) (?:switching to|sticking with|choosing|picking|opting for|moving to)",
        said="both",
        unless=(
            r"(?:if|when|once|how|what|whether|think|maybe|perhaps|until|unless|that|which) (?:we|i)(?:'ll| will|'re| are|'m| am)"
            r"|(?:we|i)(?:'ll| will)(?: just| now| then)? (?:use (?:it|that|this|them)\b|pick (?:you|up|him|her|it up|them)|take the (?:bus|train|car|kids|dog))|i(?:'ll| will) use (?:the|an?) (?:example|following|analogy)|i(?:'m| am) moving to"
        ),
    ),
    Pattern(
        "decision",
        "the decision is",
        r"(?:the|our|my|final) (?:final )?(?:decision|choice|verdict|pick) (?:is|was|:|has been)|final decision|decision:|decided:|the winner is",
        said="both",
        unless=r"(?:decision|choice) is (?:yours?|up to|hard|difficult|easy|not|still|pending|entirely|often)\b|(?:what|who|why|how|until|if|when|once)(?:'s| is| was)? (?:the|our|my) (?:final )?(?:decision|choice)",
    ),
    Pattern(
        "decision",
        "go with",
        r"(?:go|going) with (?:the |an? |option )?[a-z0-9]+|(?:we|i) (?:go|choose|pick|opt) (?:with|for) ",
        unless=r"go with (?:me|you|him|her|us|them|it)\b|(?:to|should|could|would|can|that|which|colou?rs?|does|do|doesn't) go(?:ing)? with",
        opens_clause=True,
    ),
)

ENGLISH = Language(
    code="en",
    named={**_NAMED, "leisure": _LEISURE},
    patterns=(*_CORRECTIONS, *_PREFERENCES, *_POLICIES, *_DECISIONS),
    greetings=(
        "hi",
        "hiya",
        "hello",
        "hey",
        "heya",
        "hullo",
        "good (?:morning|afternoon|evening|day)",
        "morning",
        "howdy",
        "sup",
        "what's up",
        "whats up",
        "wassup",
        "what is up",
        "yo",
        "greetings",
        "g'day",
    ),
    pleasantries=(
        "there",
        "all",
        "everyone",
        "everybody",
        "every one",
        "team",
        "folks",
        "guys",
        "y'all",
        "again",
        "friends?",
        "buddy",
        "mate",
        "man",
        "dude",
        "bro",
        "sir",
        "madam",
        "ma'am",
        "ladies",
        "gentlemen",
        "and",
        "to you",
        "to you all",
        "my",
        "dear",
        "you",
        "claude",
        "chatgpt",
        "gpt",
        "gemini",
        "copilot",
        "siri",
        "alexa",
        "assistant",
        "bot",
        "ai",
        "world",
        "people",
        "today",
        "doing",
        "how are (?:you|u|things|y'all|we)(?: all)?(?: doing)?(?: today| this morning)?",
        "how's it going",
        "hows it going",
        "how is it going",
        "how r u",
        "how do you do",
        "how have you been",
        "how's (?:everything|your day|things)(?: going)?",
        "what's up",
        "whats up",
        "what's new",
        "nice to (?:meet|see) you(?: all)?",
        "good to see you",
        "hope you(?:'re| are) (?:well|doing well|good)",
        "(?:are )?you there",
        "anyone there",
        "anybody (?:there|home)",
        "long time no see",
        "happy (?:monday|friday)",
        "can you help(?: me)?",
        "i need (?:some |your )?help",
        "it's me",
        "good (?:morning|afternoon|evening|day)",
    ),
    confirmations=(
        "ok",
        "okay",
        "k",
        "got it",
        "sure",
        "thanks",
        "thank you",
        "ty",
        "great",
        "yes",
        "no",
        "yep",
        "nope",
        "alright",
        "understood",
        "roger",
        "ack",
        "cool",
        "nice",
    ),
    yes_or_no=(
        "yes",
        "no",
        "yep",
        "nope",
        "sure",
        "yeah",
        "yup",
        "nah",
        "yes please",
        "no thanks",
        "no thank you",
    ),
    questions=(
        r"(?:what|which|who|whose|whom|how|why|where|when)(?:'s|'re|'d| [a-z']+)",
        r"(?:do|does|did|should|shall|can|could|would|will|is|are|am|was|were|has|have|had|may|might|must|isn't|aren't|don't|doesn't|didn't|won't|can't|couldn't|shouldn't|wouldn't|haven't|hasn't) "
        r"(?:i|you|u|we|they|he|she|it|the|this|that|these|those|there|our|my|your|his|her|their|people|any\w*|some\w*|all|most|each|every\w*|[a-z]+s|[a-z]+ (?:always|never|prefer|usually))",
    ),
    open_questions=(
        "what",
        "what's",
        "whats",
        "which",
        "who",
        "who's",
        "whose",
        "whom",
        "how",
        "how's",
        "why",
        "where",
        "where's",
        "when",
    ),
    choices=(
        "which (?:one|of|would|do|should|option|\\w+ (?:should|do|would|shall))",
        "should (?:we|i)",
        "shall (?:we|i)",
        "(?:do|would|did) you (?:want|like|prefer)",
        "(?:what|which|where|when|who) (?:\\w+ ){0,3}(?:should|shall) (?:we|i|it|they|the)",
        "want me to",
        "would you rather",
        "what (?:\\w+ ){0,3}(?:do|would) you (?:want|like|prefer)",
        "go with",
        "what's your (?:choice|pick|preference|decision)",
        "what is your (?:choice|pick|preference|decision)",
        "what have you decided",
        "what did (?:you|the team) decide",
        "\\w+ or \\w+\\?",
        "what'?s it going to be",
        "your call",
        "pick (?:one|a)",
        "are we (?:going|using)",
        "will (?:we|you) (?:use|go)",
    ),
    invitations=(
        "let me know (?:what|which|if|whether|who|where|when|how)",
        "tell me (?:what|which|if|whether|who|where|when|how|your)",
        "please (?:choose|pick|confirm|specify|tell|select|enter|provide|give)",
        "(?:choose|pick|select) (?:one|between|from)",
        "your (?:choice|call|pick)",
    ),
)
