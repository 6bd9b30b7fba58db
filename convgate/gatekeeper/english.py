"""English patterns, greetings, confirmations and questions."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Language, Pattern

# fmt: off
NAMED = {
    "polite": r"""
        (?:(?:and|but|so|also|then|ok|okay|please|pls|just|hi|hey|hello|team|all|everyone|remember|remember
         to|be sure to|be sure you|make sure to|make sure you|make sure we|ensure you|try to|you should|you
         must|you have to|you need to|we need to|we have to|one should|important|note|reminder|yes|no|sure
        |right|in general|generally),? )*
    """,
    "very": r"""
        (?:(?:really|also|just|still|much|very much|definitely|generally|strongly|personally|actually|do
        |would|quite|absolutely|now|usually|typically|honestly|always|both|all|much more) )*
    """,
    "not": "(?:do not|don't|dont|wouldn't|wouldnt|would not|never|no longer|didn't) ",
    "team": r"""
        (?:team|group|company|department|squad|devs|developers|engineers|designers|testers|crew|staff
        |colleagues|office|board)
    """,
    "request": r"""
        (?:explain|help|write|tell|show|give|find|fix|create|make|build|add|change|check|look|read
        |summari[sz]e|translate|generate|list|describe|compare|run|test|analy[sz]e|implement|do|go|play|act
        |pretend|imagine|think|come|see|know|take|draw|plan|book|order|send|review|answer (?:my|this|the)
        |understand|solve|calculate|refactor|convert|remove|delete|update|try|start|teach|prepare|set|open
        |close|call (?:the|my|a|him|her|them)|buy|get|compute|draft|rewrite|finish)
    """,
    "lately": "(?:always|never|usually|normally|generally|typically|mostly)",
    "once": r"""
        (?:get|gets|got|see|saw|have (?:problems?|trouble|issues?|been|had|the same|this|that)|had|forget
        |forgot|end up|ended|receive|knew|know|thought|think|said|say that|understand|understood|heard|hear
        |tried|seem|was|were|am|wanted|liked|loved|hoped|wonder|wished|felt|feel|did|been|went|run into|ran
        |find|found|met|meet|meant|could|would|will|have to|mind|[a-z]*[^e ]ed|lost|lose|came|made|told
        |spoke|mean|expect|fail|struggle|confuse|mix up|remember|left|gave|took|don't (?:ask|know|mind|get
        |have|see|bother)|wrote|asked|dreamt|learnt|learned|be|should|can|bother|mess)
    """,
    "leisure": r"""
        (?:go (?:to|for|out|home|on|get|grab|eat|see|and|back|there|now|over|through|shopping|skiing)|grab
        |have (?:lunch|dinner|a|some|an|been|had|known|seen|gotten|done|left|gone|enough|missed|lost
        |forgotten|brought|bought|told|come|thought|said|asked|[a-z]+[^e ]ed|fun|that|it|time|everything
        |taken|made|used)|get (?:lunch|dinner|some|a|together|going|started|back|to|home|out|there|the|an|it
        |this|that)|meet|talk|chat|speak|catch up|celebrate|hang|take (?:a|our time)|leave|see|hear|start
        |sleep|be|know|wait|watch|expect|arrive|ask|call|thank|look|visit|order|eat|drink|say|admit|hurry
        |still (?:have|be)|not (?:be|worry|forget that))
    """,
}

PATTERNS = (
    Pattern("correction", "no, it's", r"""
        (?:no|nope|nah|no no|no wait|hm+ no|err? no|oh no|sorry no)(?:[,.!;:]+ ?| - ?|-| )(?:sorry,? |wait,?
         |but |no,? )*(?:that's|thats|that is|that isn't|that was|that wasn't|it's|its|it is|it was|i meant
        |i mean|actually|this is|this isn't|i said|i asked|i wanted|i want|the|they're|they are)
        """, unless=r"""
        no[a-z]*(?:[,.!;:]+ ?| - ?| )(?:that's|thats|that is|that was|it's|it is|this is|that) (?:just
         |really |quite |totally |perfectly )?(?:all|it|fine|ok|okay|good|great|perfect|enough|everything
        |alright|cool|not necessary|not needed|for now|plenty|helpful|a (?:good|great))\b
        """, opens_clause=True),
    Pattern("correction", "no, …", r"""
        (?:no|nope|nah|no no)(?:[,!;:]+ ?|\. | - )(?:use|we|you|my|our|not|he's|she's|those|these|there's
        |there are|there is|only|make|keep|take|put|just|don't|do not|in|on|at|for|let's|her|his|their|make
         it|change|show|leave)
        """, unless=r"""
        no[a-z]*[,.!;:]* (?:you (?:can|don't|do|go|did|may|are)|not (?:yet|really|at all|now|today
        |necessarily|so far|for now|that i)|we (?:don't|do not|haven't|have|can|didn't|are (?:good|fine))
        |i'm|just (?:curious|asking|checking|wondering|kidding)|don't (?:worry|bother)|on my|in fact|at the
         moment|for now|let's (?:go on|continue|move on)|my (?:bad|mistake))\b
        """, opens_clause=True),
    Pattern("correction", "wrong", r"""
        wrong|incorrect|mistaken
        """, unless=r"""
        (?:go|goes|going|gone|went) (?:\w+ )?wrong|(?:what's|what is|whats|what was|what am|what are|what did
        |what do|how|why|where|who's|whatever) [^.!?,\n]{0,40}(?:wrong|incorrect)|\w*thing(?:'s)? (?:\w+
         ){0,2}(?:wrong|incorrect)|get me wrong|or (?:wrong|incorrect)|wrong (?:number of|type|types|argument
        |arguments|shape|password|credentials|format|with|dtype|size|key|side of|dimensions?|syntax|token
        |checksum|turn|end of|hands|foot|crowd|place at)|wrong(?: ?=|[(\[]|[.][a-z_])|(?:if|whether|in case
        |when|unless|not|never|isn't|aren't|can't be|n't do anything|right or|nothing|anything|say it's|feel
        |feels|felt) [^.!?,\n]{0,25}(?:wrong|incorrect|incorrectly|mistaken)|(?:i'm|i am|i was|i may be|i
         might be|i could be) (?:\w+ )?(?:wrong|mistaken)|incorrect (?:\w+ )?(?:value|values|password|syntax
        |usage|arguments?|credentials|pin|login)|(?:i|he|she|they|we|someone|somebody|postman|dhl|ups) (?:\w+
         )?(?:dialled|dialed|took|take|taken|bought|sent|got|made|opened|caught|picked|chose|ordered
        |delivered|typed|entered|installed|pressed|used|did|do|parked|boarded|married|went)
         [^.!?\n]{0,25}(?:wrong|incorrect|incorrectly)|(?:left|came|arrived|landed|stopped|ended up|turned
        |walked|drove|ran|flew|got (?:on|off)) [^.!?\n]{0,15}wrong
        """),
    Pattern("correction", "that's not right", r"""
        (?:that's|thats|that is|that was|this is|this was|it's|its|it is|answer is|still|which is|you're
        |are) (?:\w+ )?not (?:\w+ )?(?:right|correct|true|accurate|it\b|the one|the right|the correct|how
         (?:it|we|i)|my)|(?:that|this|it|which|answer) (?:isn't|isnt|wasn't|ain't) (?:\w+ )?(?:right|correct
        |true|accurate|it\b|the one|the right|the correct|how (?:it|we|i)|my)
        """, unless=r"""
        not my (?:fault|problem|thing|favou?rite|cup|day)
        """),
    Pattern("correction", "not what I", r"""
        (?:not|isn't|isnt|wasn't|aint|ain't) (?:\w+ )?(?:what|how|where|the one|the \w+) (?:i|we|that i)
         (?:asked|meant|said|wanted|want|mean|need|needed|had in mind|was asking|was looking|requested
        |ordered|am asking|expected|told)|i (?:didn't|did not|never) (?:ask|asked|say) (?:for|you|to|that
        |it)
        """),
    Pattern("correction", "I said", r"""
        i (?:just |already |clearly |explicitly |specifically )?(?:said|asked for|asked you for|asked you
         to)|i (?:already |just |clearly )?told you
        """, unless=r"""
        i said (?:hello|hi|hey|goodbye|bye|thanks|thank you|sorry|yes to|no to|to (?:my|the|him|her|them
        |myself)|something|nothing|goodnight|i would|i'd|so to|as much|a few|what i)\b|(?:when|what|where
        |while|after|before|because|if|than|everything|anything|he|she|they|did|have|think|thinks|thought
        |heard|whatever|something|words|and then) i (?:just |already )?(?:said|asked|told)|i told you
         (?:about|so|that i (?:love|was))
        """),
    Pattern("correction", "I meant", r"""
        i meant|what i (?:actually |really )?meant|i mean the|i misspoke|i mistyped
        """, unless=r"""
        i meant to (?:ask|say|tell|thank|call|write|reply|send|mention|come|do|get|buy|bring)\b|(?:if|when
        |that's|thats|exactly|is|just|knows?|knew|see|understood|get|got) (?:exactly )?what i (?:actually
         |really )?meant
        """),
    Pattern("correction", "actually, it's", r"""
        (?:actually|wait|sorry|oops|well actually|correction|hold on),? (?:no,? )?(?:it's|its|it is|that's
        |thats|that is|i meant|i mean|no|my|our|they|he's|she's|there are|there's|i said|i wanted|not|the
         \w+ (?:is|are|was|were)|we (?:use|have|are|don't|need)|i'm (?:on|using|in|from)|make it|make that)
        |it should (?:be|say|read) [^.!?\n]{1,40}\b(?:not|instead of) |(?:it's|its|it is|that's|he's|she's
        |i'm|they're) [^.!?,;\n]{1,40}, (?:and )?not (?:[a-z0-9']+)|it's not [^.!?,;\n]{1,30}[,;:]? (?:but
        |it's|it is)
        """, unless=r"""
        (?:actually|wait|sorry|oops|hold on),? (?:it's|its|that's|thats|that is|it is|that) (?:\w+ )?(?:good
        |great|fine|nice|cool|perfect|ok|okay|funny|better|question|interesting|all|correct|right|true
        |helpful|useful|working|amazing|impressive|smart|clever|clear|neat|brilliant|easy|easier|pretty)\b
        |sorry,? my
        """, opens_clause=True),
    Pattern("correction", "scratch that", r"""
        scratch that|correction[,:;-] ?[a-z0-9_]+|strike that|my (?:mistake|bad)[,:;.!]? (?:it|the|that|i
         meant|i mean)|you(?:'ve| have)? (?:misunderstood|misread|misheard|misinterpreted|got (?:it|that
        |this|me|the \w+) wrong|made (?:a|an) (?:mistake|error)|mixed up|confused|mixed)
        """),
    Pattern("preference", "I prefer", r"""
        i {very}(?:{not}{very})?prefer|i'?d {very}prefer|my (?:\w+ )?preferences? (?:is|are|would be|goes)
        """, unless=r"""
        i {very}prefer to (?:think|wait|sleep|stay|believe|remain|live|die|listen|rest|watch|say|hope|see
        |imagine|forget|ignore|not (?:think|say|know))\b|(?:if|when|which|what|whatever|than) i prefer
        """),
    Pattern("preference", "I'd rather", r"""
        i(?:'d| would|d) {very}rather
        """),
    Pattern("preference", "I like", r"""
        i {very}(?:{not}{very})?(?:like|love|dislike|enjoy)|i(?:'d| would) (?:really )?like (?:all|every|my
        |it if|it when|the (?:answers|code|comments|responses|replies|reports|tests|output|results
        |summaries)|you to (?:always|never|only|use|keep|avoid|be)|to (?:keep|use|avoid|stick))
        """, unless=r"""
        i {very}(?:{not}{very})?(?:like|love) (?:your|that|this|these|those|how you|the way you|what you
        |what|where|you|how (?:it|this|that)|the (?:idea|look|sound|result|answer|suggestion|second|first
        |new))\b|i {very}(?:like|love|enjoy) (?:it|them)(?: (?:so|too|very|already|here|a lot|but|and|now
        |much)\b|[.,!?;:)]|$)|i would {very}(?:like|love) (?:to (?:[a-jl-tv-z]\w*)|you to (?:{request})|an?
        |some|more|one|two|information)\b|i {very}(?:like|love) to (?:think|believe|hear|know|say)\b|(?:if
        |when|whenever|whatever|as|than|thing|things|what|did|do|would) i (?:like|love)\b
        """),
    Pattern("preference", "I hate", r"""
        i {very}(?:hate|can't stand|cannot stand|cant stand|can't bear|cannot bear|can't abide|detest
        |despise|loathe)
        """, unless=r"""
        i {very}hate (?:to (?:bother|ask|say|admit|interrupt|break|be|see|tell|do)|this|that i|it(?: so
        |[.!,]|$)|myself|my (?:life|boss|job)|for|you|him|her|them)\b
        """),
    Pattern("preference", "I want", r"""
        i {very}(?:{not}{very})?want (?:[a-su-xz0-9]\w*|t[a-np-z]\w*|y[a-np-z]\w*)|i
         {very}(?:{not}{very})?want (?:you )?to (?:always|never|only|use|keep|have|avoid|stick|stay|work
        |receive|be called|be addressed|be asked|be told|see (?:no|fewer|less|more|only|tests))|i
         {very}{not}{very}want (?:to|you) \w+|i {very}want you to \w+
        """, unless=r"""
        (?:if|when|whenever|what|whatever|because|since|thing|once|all|where|why|how|that|than|things) i
         {very}(?:{not}{very})?want|i {very}want (?:it|that|this|in|out|more|my money|(?:an?|some|one|two
        |three|the) (?:[\w-]+ ){0,2}(?:function|script|program|method|query|regex|refund|example|examples
        |explanation|list of|recipe|poem|story|joke|answer to|summary of|replacement|discount|copy|coffee
        |drink|break|holiday|vacation|dog|cat|new (?:laptop|phone|car|bike|job))|help|info|information
        |ideas?|advice|to have (?:lunch|dinner|a|an|some|fun|breakfast))\b|i {very}want you to (?:please
         |now )?{request}\b|i {very}{not}{very}want (?:to (?:bother|interrupt|sound|be rude|be a|die|go|miss
        |lose|know|think|offend|get|wait)|it|that|this|you to (?:think|worry|feel))\b|i want(?: so)? (?:bad
        |badly)
        """),
    Pattern("preference", "I always", r"""
        i tend to|i {lately}
        """, unless=r"""
        i {very}{lately} (?:also |just |still |really )?{once}\b|(?:did|do|have|had|am|was|as|like|than|what
        |why|how|which|can|could|should|would) i {very}{lately}|i (?:would|do|could) (?:always|never)
        """),
    Pattern("preference", "my favourite", r"""
        my (?:\w+ |all-time )?favou?rite (?:[^.!?\n]{1,40} )?(?:is|are|has (?:always )?been)|i(?:'m| am)
         (?:not )?(?:really )?(?:a|much of a) (?:big |huge |great )?(?:fan of|[a-z]+ person)|i(?:'m| am) not
         (?:that |so )?(?:keen on|fond of|into)|i(?:'m| am) (?:very |really |quite )?(?:keen on|fond of)
        """),
    Pattern("preference", "I don't use", r"""
        i (?:don't|do not|no longer|only) (?:use|eat|drink|work on|fly|smoke|read)
        """, unless=r"""
        (?:if|when|because|what|that|which|why) i (?:don't|do not|only)
        """),
    Pattern("team_preference", "we prefer", r"""
        we(?:'d| would|d)? {very}prefer|we {very}(?:like|love|hate|dislike) (?:to (?:keep|use|work|have
        |avoid)|it when|using|having|our|working)|(?:the|our|my|this|whole|entire) (?:[a-z-]+
         ){0,2}{team}(?: members| mates)? {very}(?:prefers?|likes|loves|hates|dislikes|would rather|would
         prefer|favou?rs?|don't like|doesn't like|is not a fan of)
        """),
    Pattern("policy", "we always", r"""
        we (?:\w+ly |also |all |both |still |do |here )?(?:always|never)
        """, unless=r"""
        we (?:\w+ly |also |all |both |still )?(?:always|never) (?:really |even |just |quite |actually |seem
         to )?(?:{once}|argue|laugh|go to|go on|fight|have (?:fun|so|such|lunch|dinner|breakfast|a|enough)
        |miss|bicker|dream)\b|(?:if|when|whenever|like|as|than|what|which|that|how|why|places?|song) we
         (?:always|never)
        """, said="both"),
    Pattern("policy", "we should", r"""
        we (?:also |all |really |definitely |both |probably )?(?:should|must|mustn't|shouldn't|need to
         always|need to never|have to always) [a-z]+
        """, unless=r"""
        we (?:also |all |really |definitely |both |probably )?(?:should|must|mustn't|shouldn't)(?: just|
         really| probably| all| also| maybe| totally| definitely| soon| both| perhaps| now| then| at least|
         first)* {leisure}\b|(?:if|what|which|when|how|where|why|whether|whatever|first|now|then|before
        |think that|says|say|said|suppose|imagine|assume|pretend|wish|wonder) we (?:should|must|shall)|we
         (?:should|must) (?:first|now|then|next|solve|find|subtract|divide|multiply|compute|calculate|choose
        |distinguish|consider|note|observe|recall|prove|account for|bear in mind|take into account|square
        |integrate|differentiate)\b
        """, said="both"),
    Pattern("policy", "our standard", r"""
        our (?:[\w-]+ )?(?:standards?|conventions?|polic(?:y|ies)|rules?|guidelines?|style guide)|the
         (?:general |house |team |basic )?(?:rule|policy|convention)(?: here| for us| in this \w+| with us|
         at \w+)? (?:is|says)
        """, unless=r"""
        our (?:[\w-]+ )?(?:standards?|conventions?|polic(?:y|ies)|rules?|guidelines?) (?:number|engine|page
        |service|library|file|document|table|server|module|class|checker|room|deviation|error|input|output
        |holder|holders|hall|cent(?:er|re)|id|no|check|test|tests|parser|set|sets|editor|plan|package|booth
        |hotel|badge|trip|model|models|price|rate|of (?:living|thumb)|delivery|shipping|size|sizes|suite
        |maker|wording|expired|expires|broke|was lovely|team)\b
        """, said="both"),
    Pattern("policy", "don't ever", r"""
        (?:don't|dont|do not|never),? ever,? [a-z]+
        """, said="both"),
    Pattern("policy", "don't use", r"""
        (?:don't|dont|do not) use|we (?:also )?(?:don't|dont|do not) use
        """, said="both", opens_clause=True),
    Pattern("policy", "please never", r"""
        (?:please|pls|kindly) (?:don't|dont|do not|never|always|avoid|refrain from)|(?:don't|dont|do not)
         [a-z]+ [^.!?\n]{0,40}(?:without|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|on weekends|ever
        |anymore|any more|unless|under any)
        """, opens_clause=True),
    Pattern("policy", "never …", r"""
        never [a-z]{2,}
        """, unless=r"""
        never (?:random|mind|again|ever|heard|seen|done|had|been|got|gotten|knew|thought|used|an?|the|said
        |saw|met|happened|works?|in|on|at|to|would|could|have|has|did|was|were|is|too|once|before|really
        |even|quite|actually|tell me|fear|told|felt|found|came|went|gonna|going|more|less|fails?|felt|took
        |tried|understood|gave|so|not|any|that|this|one|having|expected|stops?|sleeps?|know|say never
        |[a-z]*[^e ]ed|[a-z]{3,}ing|[a-z]+[^su ]s)\b
        """, opens_clause=True),
    Pattern("policy", "always …", r"""
        always [a-z]{2,}
        """, unless=r"""
        always (?:the|an?|there|here|been|happy|glad|welcome|on|in|at|to|my|his|her|with|good|nice|fun|great
        |had|has|is|was|were|got|gets?|late|so|such|and|or|that|this|it|when|if|for|too|as|up|down|same|one
        |something|someone|wanted|wondered|crash|fail|me|you|thought|not|of|better|best|busy|true|false
        |loved|felt|returns?|wins?|open|free|available|wrong|right|more|less|these|those|[a-z]*[^e ]ed
        |[a-z]{3,}ing|[a-z]+[^su ]s)\b
        """, opens_clause=True),
    Pattern("policy", "avoid …", r"""
        avoid [a-z]{2,}|under no circumstances|refrain from|steer clear of|stay away from|no (?:deploys
        |deployments|merges|pushes|commits|releases|meetings|phones|force pushes|changes|exceptions) (?:on
        |without|after|before|in|to|at|during)
        """, opens_clause=True),
    Pattern("policy", "from now on", r"""
        from now on|from here on(?: out)?|from today on|from this point on|as a (?:general )?rule|by
         convention
        """),
    Pattern("policy", "every … must", r"""
        (?:every|all|each|any|no) [^.,!?\n]{2,60} (?:must|mustn't|needs? to be|has to be|have to be|shall
        |should always|should never|need a|needs a)|(?:nobody|no one|everyone|everybody|anyone) (?:\w+
         ){0,3}(?:must|mustn't|may|has to|needs to|is allowed to|should)|[a-z]{3,}[^su ]s (?:must|mustn't
        |are to be) [a-z]+|[a-z]+ (?:must|should) (?:always|never)|(?:that's|it's|this is|that is|is) (?:a
        |the|our|company) (?:hard |strict |general |team |house )?(?:rule|policy|convention)|(?:is|are)
         (?:strictly |absolutely )?(?:forbidden|prohibited|not allowed|mandatory|off limits|off-limits
        |banned|not permitted|compulsory)|no exceptions|without exception|we only (?:use|accept|deploy|ship
        |merge|support|allow|hire|buy|release|write|commit|push|store|hand|serve)
        """, unless=r"""
        (?:every|all|each|any) (?:time|day|night|of (?:it|this|that))|must have (?:been|had|missed|lost
        |forgotten|gone|done|made|left|seen|got|gotten|taken|\w+ed)|(?:i|we|this|that|it) should (?:always
        |never)
        """),
    Pattern("decision", "let's go with", r"""
        (?:let's|lets|let us)(?: just| simply| then| all| instead| actually| please| rather| now| do| both|
         not)* (?:go with|use|choose|pick|go for|stick with|stick to|settle on|settle for|opt for|adopt
        |switch to|move to|go ahead with|keep using|keep the|keep our|do option|do it with|standardi[sz]e on
        |run with|postpone|drop|take the|do the (?:first|second|third|other|same))
        """, unless=r"""
        (?:let's|lets|let us) (?:\w+ )?(?:(?:choose|pick) an?|pick up|pick (?:it|this|that|things|him|her
        |them|you) up|pick [a-z']+ brain|use up|use (?:the|this|that|our|some|my|your)(?: \w+)? (?:time
        |opportunity|chance|break|moment|day|weekend|fact|formula|function|method|definition|rule|theorem
        |hour|minutes|identity|following)|go with the flow|go for (?:an?|it|lunch|dinner|drinks|coffee|walk
        |some|pizza|ice|gold)|use (?:it as an|an example|the example)|move to the (?:next|living|other
        |garden)|stick to the (?:topic|point|subject)|drop (?:it|by|in|off|the (?:subject|kids))|take the
         (?:train|bus|stairs|elevator|lift|kids|dog|car|opportunity|time|example|case|day)|switch to
         (?:another|a different|the other) (?:topic|subject)|keep the (?:conversation|ball|good|change
        |faith))\b
        """, said="both"),
    Pattern("decision", "I've decided", r"""
        (?:i|we|the (?:team|board|client|management|committee|family|council)|management|everyone|my (?:wife
        |husband|partner) and i)(?:'ve|'s| have| has|ve)?(?: just| now| finally| already| all| both)*
         (?:decided|agreed|voted)|(?:i|we)(?:'ve| have|ve)(?: just| now| finally| already| all| both)*
         (?:chosen|settled|opted|picked|made (?:a|the|our|my|up my|up our) (?:decision|choice|mind|minds))
        |(?:it|that)(?:'s| is| has been) (?:settled|decided)
        """, unless=r"""
        (?:haven't|hasn't|have not|has not|not|never|hadn't|until|once|if|when|before|after|whether|who|how
        |why|wish|glad|since|while|what)(?: i| we| yet| been| the team| you| have| 've| finally| all|
         really)* (?:decided|chosen|settled|agreed|picked|made)|i(?:'ve| have)? agreed|(?:until|once|when|if
        |after|before|unless|whether) (?:it|that)(?:'s| is| has been) (?:settled|decided)
        """, said="both"),
    Pattern("decision", "we'll use", r"""
        we(?:'ll| will|'re going to| are going to|ll)(?: just| now| then| all| simply| both| probably)*
         (?:use|go with|go for|choose|pick|stick with|stick to|adopt|switch to|settle on|take the|opt for|be
         using|standardi[sz]e on|go ahead with)|(?:we're|we are) (?:now )?(?:going with|switching to
        |sticking with|choosing|opting for|moving to|going for)
        """, unless=r"""
        we(?:'ll| will)(?: just| now| then)* (?:use (?:it|that|this|them|up)\b|pick (?:you|up|him|her|it up
        |them)|take the (?:bus|train|car|kids|dog|stairs)|use the (?:formula|following|fact|definition|time)
        |go for (?:an?|lunch|dinner|walk|drinks))
        """, said="both"),
    Pattern("decision", "I'll go with", r"""
        i(?:'ll| will|'m going to| am going to|ll)(?: just| now| then| simply)* (?:use|go with|go for|choose
        |pick|stick with|stick to|adopt|switch to|settle on|take (?:the|option|it\b)|opt for)|(?:i'm|i am
        |im) (?:now )?(?:going with|switching to|sticking with|choosing|picking|opting for|going for)|(?:i
        |we)(?: finally| just| all| both)* (?:chose|picked|settled on|opted for|went with|ended up choosing)
        """, unless=r"""
        (?:if|when|once|how|what|whether|maybe|perhaps|until|unless|that|which|suppose|after|before|think|not
         sure|where|who|why|guess|did|should|can) (?:i|we)(?:'ll| will|'m| am)?(?: \w+)? (?:use|go|going
        |choose|pick|stick|chose|picked|went|take)|i(?:'ll| will|'m going to| am going to)(?: just| now|
         then)* (?:use (?:it|that|this|them|up|the (?:bathroom|toilet|restroom|example|following|train|bus))
        |pick (?:you|up|him|her|it up|them|the kids|my)|take (?:the (?:bus|train|car|kids|dog|stairs|day)|it
         (?:from|to|back|easy|slow))|go for (?:an?|lunch|dinner|walk|drinks|my))\b|(?:picked|pick) (?:up|on)
        """),
    Pattern("decision", "the decision is", r"""
        (?:the|our|my) (?:final )?(?:decision|choice|verdict) (?:is|was|has been)|decision: ?[a-z0-9_]+
        |(?:is|are) out,? we'll
        """, unless=r"""
        (?:decision|choice) (?:is|was) (?:yours?|up to|hard|difficult|easy|not|still|pending|entirely|often
        |between|tough|really|made by|based|a |an |due|overdue|in the hands|about|clear|to be)
        """, said="both"),
    Pattern("decision", "go with", r"""
        (?:go|going|stick|sticking) with (?:the |an? |option )?[a-z0-9]+
        """, opens_clause=True),
)

ENGLISH = Language(
    code="en", named=NAMED, patterns=PATTERNS,
    greetings=r"""
        hi|hiya|hello|hey|heya|hullo|good (?:morning|afternoon|evening|day)|morning|howdy|sup|what's up
        |whats up|wassup|what is up|yo|greetings|g'day
    """,
    pleasantries=r"""
        there|all|everyone|everybody|every one|team|folks|guys|y'all|again|friends?|buddy|mate|man|dude|bro
        |sir|madam|ma'am|ladies|gentlemen|and|to you|to you all|my|dear|you|claude|chatgpt|gpt|gemini
        |copilot|siri|alexa|assistant|bot|ai|world|people|today|doing|how are (?:you|u|things|y'all|we)(?:
         all)?(?: doing)?(?: today| this morning)?|how's it going|hows it going|how is it going|how r u|how
         do you do|how have you been|how's (?:everything|your day|things)(?: going)?|what's up|whats up
        |what's new|nice to (?:meet|see) you(?: all)?|good to see you|hope you(?:'re| are) (?:well|doing
         well|good)|(?:are )?you there|anyone there|anybody (?:there|home)|long time no see|happy (?:monday
        |friday)|can you help(?: me)?|i need (?:some |your )?help|it's me|good (?:morning|afternoon|evening
        |day)
    """,
    confirmations=r"""
        ok|okay|k|got it|sure|thanks|thank you|ty|great|yes|no|yep|nope|alright|understood|roger|ack|cool
        |nice
    """,
    yes_or_no="yes|no|yep|nope|sure|yeah|yup|nah|yes please|no thanks|no thank you",
    agreements="ok|okay|k|alright",
    questions=r"""
        (?:what|which|who|whose|whom|how|why|where|when)(?:'s|'re|'d| [a-z']+)|(?:do|does|did|should|shall
        |can|could|would|will|is|are|am|was|were|has|have|had|may|might|must|isn't|aren't|don't|doesn't
        |didn't|won't|can't|couldn't|shouldn't|wouldn't|haven't|hasn't) (?:i|you|u|we|they|he|she|it|the
        |this|that|these|those|there|our|my|your|his|her|their|people|any\w*|some\w*|all|most|each|every\w*
        |[a-z]+s|[a-z]+ (?:always|never|prefer|usually))
    """,
    open_questions="what|what's|whats|which|who|who's|whose|whom|how|how's|why|where|where's|when",
    choices=r"""
        which (?:one|of|would|do|should|option|\w+ (?:should|do|would|shall))|should (?:we|i)|shall (?:we|i)
        |(?:do|would|did) you (?:want|like|prefer)|(?:what|which|where|when|who) (?:\w+ ){0,3}(?:should
        |shall) (?:we|i|it|they|the)|want me to|would you rather|what (?:\w+ ){0,3}(?:do|would) you (?:want
        |like|prefer)|go with|what's your (?:choice|pick|preference|decision)|what is your (?:choice|pick
        |preference|decision)|what have you decided|what did (?:you|the team) decide|\w+ or \w+\?|(?:the|an?
        |option|plan) [^?]{1,40} or (?:the|an?|option|plan) ?[^?]{1,40}\?|what'?s it going to be|your call
        |pick (?:one|a)|are we (?:going|using)|will (?:we|you) (?:use|go)
    """,
    invitations=r"""
        let me know (?:what|which|if|whether|who|where|when|how)|tell me (?:what|which|if|whether|who|where
        |when|how|your)|please (?:choose|pick|confirm|specify|tell|select|enter|provide|give)|(?:choose|pick
        |select) (?:one|between|from)|your (?:choice|call|pick)
    """,
    offers="how (?:can|may|could) i (?:help|assist|be of)|what can i (?:do|help)",
)
# fmt: on
