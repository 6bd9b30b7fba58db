"""English: what takes back or puts right what was said."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

CORRECTIONS = (
    Pattern(
        "correction",
        "no, it's",
        r"""
            (?:no|nope|nah|no no|no wait|hm+ no|err? no|oh no|sorry no)(?:[,.!;:]+ ?| - ?|-| )
            (?:sorry,? |wait,? |but |no,? )*(?:that's|thats|that is|that isn't|that was|that wasn't|it's|its
            |it is|it was|i meant|i mean|actually|this is|this isn't|i said|i asked|i wanted|i want|the
            |they're|they are)
        """,
        unless=r"""
            no[a-z]*(?:[,.!;:]+ ?| - ?| )(?:that's|thats|that is|that was|it's|it is|this is|that)
             (?:just |really |quite |totally |perfectly )?(?:all|it|fine|ok|okay|good|great|perfect|enough
            |everything|alright|cool|not necessary|not needed|for now|plenty|helpful|a (?:good|great))\b
            |(?:said|says|asked|answered|replied|asks|goes)[:,]+ ?"?no|no (?:way|the less|wonder|doubt)
            |no[,.]? it(?:'s| is)? (?:works?|worked)\b
        """,
        opens_clause=True,
    ),
    Pattern(
        "correction",
        "no, …",
        r"""
            (?:no|nope|nah|no no)(?:[,!;:]+ ?|\. | - )(?:use|we|you|my|our|not|he's|she's|those|these
            |there's|there are|there is|only|make|keep|take|put|just|don't|do not|in|on|at|for|let's|her
            |his|their|make it|change|show|leave)
        """,
        unless=r"""
            no[a-z]*[,.!;:]* (?:you (?:can|don't|do|go|did|may|are)|not (?:yet|really|at all|now|today
            |necessarily|so far|for now|that i)|we (?:don't|do not|haven't|have|can|didn't|are (?:good
            |fine))
            |i'm|just (?:curious|asking|checking|wondering|kidding)|don't (?:worry|bother)|on my|in fact
            |at the moment|for now|let's (?:go on|continue|move on)|my (?:bad|mistake))\b
        """,
        opens_clause=True,
    ),
    Pattern(
        "correction",
        "wrong",
        "wrong|incorrect|incorrectly|mistaken",
        unless=r"""
            (?:go|goes|going|gone|went) (?:\w+ )?wrong
            |(?:what's|what is|whats|what was|what am|what are|what did|what do|how|why|where|who's
            |whatever)
             [^.!?,\n]{0,40}(?:wrong|incorrect)
            |\w*thing(?:'s)? (?:\w+ ){0,2}(?:wrong|incorrect)|get me wrong|wronged|or (?:wrong|incorrect)
            |wrong (?:number of|type|types|argument|arguments|shape|password|credentials|format|with
            |dtype|size|key|side of|dimensions?|syntax|token|checksum|turn|end of|hands|foot|crowd|place at)
            |wrong(?: ?=|[(\[]|[.][a-z_])|is_wrong|on_wrong|error:? [^.!?\n]{0,40}(?:wrong|incorrect)
            |(?:if|whether|in case|when|unless|not|never|isn't|aren't|can't be|n't do anything|right or
            |nothing|anything|say it's|feel|feels|felt)
             [^.!?,\n]{0,25}(?:wrong|incorrect|incorrectly|mistaken)
            |(?:am|was|were) i [^.!?\n]{0,20}(?:wrong|mistaken)|(?:i'm|i am|i was|i may be|i might be
            |i could be)
             (?:\w+ )?(?:wrong|mistaken)|if i'm not mistaken
            |incorrect (?:\w+ )?(?:value|values|password|syntax|usage|arguments?|credentials|pin|login)
            |prove[sd]? [a-z]+ wrong|(?:is|was|are) (?:that|this|it|there
            |the [a-z]+) [^.!?\n]{0,20}wrong ?\?
            |(?:i|he|she|they|we|someone|somebody|postman|dhl|ups)
             (?:\w+ )?(?:dialled|dialed|took|take|taken|bought|sent|got|made|opened|caught|picked|chose
            |ordered
            |delivered|typed|entered|installed|pressed|used|did|do|parked|boarded|married|went)
             [^.!?\n]{0,25}(?:wrong|incorrect|incorrectly)|[a-z]+s? (?:delivered|shipped
            |sent) [^.!?\n]{0,12}wrong
            |(?:left|came|arrived|landed|stopped|ended up|turned|walked|drove|ran|flew|got (?:on|off))
             [^.!?\n]{0,15}wrong
            |(?:i'm|i am|i was|we're|we are|we were) (?:\w+ )?(?:on|in|at) the wrong
        """,
    ),
    Pattern(
        "correction",
        "that's not right",
        r"""
            (?:that's|thats|that is|that was|this is|this was|it's|its|it is|answer is|still|which is
            |you're|are)
             (?:\w+ )?not (?:\w+ )?(?:right|correct|true|accurate|it\b|the one|the right|the correct
            |how (?:it|we|i)|my)
            |(?:that|this|it|which|answer) (?:isn't|isnt|wasn't|ain't) (?:\w+ )?(?:right|correct|true
            |accurate
            |it\b|the one|the right|the correct|how (?:it|we|i)|my)
            |not (?:correct|true)
        """,
        unless=r"""
            (?:if|whether|when|why|unless|what) [^.!?,\n]{0,30}(?:not|isn't|wasn't) (?:\w+ )?(?:right
            |correct|true)
            |not (?:right|true|correct) (?:now|away|here|after|before|and|or|anymore)|not (?:correct
            |true)(?:ly|=)
            |not my (?:fault|problem|thing|favou?rite|cup|day)|(?:did|do|could|were|does)[a-z ]* not correct
            |(?:true|correct|right) or not
        """,
    ),
    Pattern(
        "correction",
        "not what I",
        r"""
            (?:not|isn't|isnt|wasn't|aint|ain't) (?:\w+ )?(?:what|how|where|the one|the \w+) (?:i|we|that i)
             (?:asked|meant|said|wanted|want|mean|need|needed|had in mind|was asking|was looking|requested
            |ordered|am asking|expected|told)
            |not what i|i (?:didn't|did not|never) (?:ask|asked|say) (?:for|you|to|that|it)
        """,
    ),
    Pattern(
        "correction",
        "I said",
        r"""
            i (?:just |already |clearly |explicitly |specifically )?(?:said|asked for|asked you for
            |asked you to)
            |i (?:already |just |clearly )?told you
        """,
        unless=r"""
            i said (?:hello|hi|hey|goodbye|bye|thanks|thank you|sorry|yes to|no to|to (?:my|the|him|her|them
            |myself)|something|nothing|goodnight|i would|i'd|so to|as much|a few|what i)\b
            |(?:when|what|where|while|after|before|because|if|than|everything|anything|he|she|they|did|have
            |think|thinks|thought|heard|whatever|something|words|and then) i (?:just |already )?(?:said
            |asked|told)
            |i told you (?:about|so|that i (?:love|was))|i said that (?:the cat|he|she|they)
        """,
    ),
    Pattern(
        "correction",
        "I meant",
        r"""
            i meant|what i (?:actually |really )?meant|i mean the|i was (?:talking|asking) about
            |i misspoke|i mistyped
        """,
        unless=r"""
            i meant to (?:ask|say|tell|thank|call|write|reply|send|mention|come|do|get|buy|bring)\b
            |(?:if|when|that's|thats|exactly|is|just|knows?|knew|see|understood|get|got)
             (?:exactly )?what i (?:actually |really )?meant|(?:when|where|person|book|film) i was
        """,
    ),
    Pattern(
        "correction",
        "actually, it's",
        r"""
            (?:actually|wait|sorry|oops|well actually|correction|hold on),? (?:no,? )?(?:it's|its|it is
            |that's
            |thats|that is|i meant|i mean|no|my|our|they|he's|she's|there are|there's|i said|i wanted|not
            |the \w+ (?:is|are|was|were)|we (?:use|have|are|don't|need)|i'm (?:on|using|in|from)|make it
            |make that)
            |it should (?:be|say|read) [^.!?\n]{1,40}\b(?:not|instead of) |should (?:be
            |have been) [^.!?\n]{1,30},? not
            |(?:it's|its|it is|that's|he's|she's|i'm|they're) [^.!?,;\n]{1,40}, (?:and )?not (?:[a-z0-9']+)
            |it's not [^.!?,;\n]{1,30}[,;:]? (?:but|it's|it is)
        """,
        unless=r"""
            (?:what|that|who|how|why) actually
            |(?:actually|wait|sorry|oops|hold on),? (?:it's|its|that's|thats|that is|it is|that)
             (?:\w+ )?(?:good|great|fine|nice|cool|perfect|ok|okay|funny|better|question|interesting|all
            |correct|right|true|helpful|useful|working|amazing|impressive|smart|clever|clear|neat|brilliant|easy
            |easier|pretty)\b
            |sorry,? (?:that|it's) (?:was )?(?:late|long|taken|my)|(?:actually|sorry|wait),? (?:no
            |not) (?:problem
            |worries|need|rush|yet|sure)|sorry,? my|sorry,? not|i'm [^.!?,;\n]{1,40}, not
        """,
        opens_clause=True,
    ),
    Pattern(
        "correction",
        "scratch that",
        r"""
            scratch that|correction[,:;-] ?[a-z0-9_]+|i take that back|strike that|disregard (?:that
            |my last|what i)
            |my (?:mistake|bad)[,:;.!]? (?:it|the|that|i meant|i mean)
            |you(?:'ve| have)? (?:misunderstood|misread|misheard|misinterpreted|got (?:it|that|this|me
            |the \w+) wrong
            |made (?:a|an) (?:mistake|error)|mixed up|confused|mixed)
        """,
        unless=r"""
            (?:error|auto|spelling|colou?r|bug|gamma|tax|market|grammar) ?-?correction
            |(?:a|the|for|any) correction|(?:if|when|unless|in case) you(?:'ve| have)?
        """,
    ),
)
