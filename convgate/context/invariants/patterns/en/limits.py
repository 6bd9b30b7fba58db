"""English: how much at most, only what, and from when on."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

LIMITS = (
    Pattern(
        "obligation",
        "only",
        r"""
            only (?:an? |the )?[a-z]+ (?:may|can|is allowed|are allowed|gets to)|only (?:use|take
            |include|answer|write|deploy|reply|speak|buy|pick|choose|consider|suggest|recommend|send
            |merge|change|edit|touch|return|output|mention|cite|book|eat|cook|work|allow|accept|talk
            |plan|run|log|count|store|quote|add|keep|name|propose|ask|translate|print
            |(?:[a-z]+ )?(?:plain|cash|vegan|vegetarian|metric|free|public|official|local|organic
            |peer))\b|(?:may|can|could|must|should|shall|will|do|does|are|is|be|works?|happens?|allowed
            |available|permitted) only|(?:can|may|must|should|shall) [a-z]+ only|[a-z]+ only (?:does
            |goes|opens|prints|works|allows?|accepts?|takes?|supports?|permits?|runs?|has|eats?|drinks?
            |reads?|speaks?|understands?)|(?:use|take|answer|reply|write|include|with|in|from|speak
            |cite|by|on|for|recommend|suggest|buy|for|sources?|using) (?:[a-z0-9'-]+ ){0,4}only
            |[a-z0-9]+ only(?:{end}| please)|only (?:our|my|your|these|those) [a-z0-9]+
            |only to (?:people|those|users?|customers?|members|subscribers|the|my|our|staff|adults
            |friends)|nothing else, ever|only (?:on|in|with|by|from|during|between|after|before|through
            |via|if|when|for|the [a-z]+) [a-z0-9]+|nothing (?:but|else|other than)|exclusively|solely
        """,
        unless=r"""
            (?:not|if|the|my|our|one|your|is|was|but) only (?:one|thing|problem|question|issue|way
            |thought|reason|if|wish|difference|time|option|[a-z]+ (?:i|we) (?:have|know|had|saw|found))
            |not only|if only|the only|my only|our only|only (?:just|one|a|an|now|then|wanted|thing|two
            |because|that|recently|slightly|got|hope|know|knew)\b|(?:i|we|he|she|it|they)(?:'ve
            |'d)? (?:have |has |had )?only (?:just|wanted|know|knew|found|got|saw|had|tried|noticed|see
            |started|ever|asked|read|did|was|were|heard|care|[a-z]+ed)\b|nothing (?:else|but) (?:to
            |trouble|problems|matters|works|changed|for now)|was only|were only|(?:is
            |are) only (?:for )?(?:an?|{num}) [a-z]+|(?:only|but) when i|only (?:when|if|after|in|on
            |for|with) (?:i|it|the|we|my) [^.!?\n]{0,50}(?:fails?|crash|error|hangs?|slow|happens)
            |nothing else(?:[.!,]|$)|happens? only|only happens?|read.only|(?:fails?|crash[a-z]*
            |throws?|breaks?|shows?|error|bug|broken|occurs?|hangs?|freezes?
            |happens?) (?:[a-z]+ ){0,4}only
        """,
    ),
    Pattern(
        "obligation",
        "only …",
        "only (?:[a-z-]+ ){0,2}[a-z0-9-]{3,}",
        unless=r"""
            only (?:the (?:first|second|third|fourth|last|next|other|new|old|top|best)|if|when|problem
            |thing|one|because|that|just|a|an|then|now|wish|question|issue|the|this|i|we|it|you|he|she
            |they|downside|two|three|after|got|had|was|later|partly|half|slightly|recently|to find
            |for (?:now|today)|way|reason|difference|kidding|joking|halfway)\b
        """,
        opens_clause=True,
    ),
    Pattern(
        "obligation",
        "at most",
        r"""
            at (?:the )?(?:very )?(?:most|max(?:imum)?)|max(?:imum)?\.? (?:of )?(?:{num}|an? [a-z]+
            |half)|[0-9]+ ?[a-z%$]*,? (?:max|maximum|tops|or less|or fewer|or under|or more|minimum
            |or below)|(?:no|not) (?:more|longer|later|earlier|less|fewer|bigger|larger|higher|lower
            |older|heavier|shorter|wider|smaller|faster|slower|sooner|closer|further|greater
            |taller) than|never (?:more|less|longer|later|over|above|below|under|before
            |after) [a-z0-9]+|(?:word|page|time|character|size|line|weight|length) limit[: ]+(?:is
             |of )?[0-9]+|cuts? off (?:after|at) [0-9]+|(?:i|we)(?:'ve| have)? only (?:got
            |have) [^.!?\n]{0,30}(?:hours?|minutes?|days?|weeks?|euros?|dollars?|bucks|pounds?|[0-9]+)
            |(?:seats|holds|fits) [0-9]+|(?:a |one |single |an )?(?:cent|penny|dollar|euro|day|word
            |minute|gram|second|line|inch|hour|cm|mm|character|millimet(?:er|re)) (?:more|longer|later
            |less|over|extra|above|beyond)|not (?:a|one) (?:single )?(?:cent|penny|day|word|minute|euro
            |dollar)|(?:don't|do not) want (?:to )?(?:[a-z]+ ){0,2}(?:more than|over|anything|above
            |less than)|not [a-z]+ (?:more|over|above|less) than|not (?:paying|spending|going
            |willing) [^.!?\n]{0,20}(?:over|above|more)|(?:up to|under|below|within|less than
            |fewer than|not over|not above|not exceed|exceed|beyond|above
            |over) (?:[$] ?)?[0-9][0-9.,]*(?:k|m)? ?(?:words?|characters?|chars?|lines?|pages?|euros?
            |eur|dollars?|usd|pounds?|bucks|quid|minutes?|mins?|hours?|seconds?|ms|days?|kb|mb|gb|km|kg
            |g|grams?|calories|kcal|sentences?|bullets?|slides?|items|percent|%|tokens)?|(?:hard|strict
            |absolute|upper|lower|fixed) (?:limit|cap|deadline|maximum|minimum|ceiling|budget
            |requirement|rule|constraint)|(?:keep|stay|stays|limit|cap|capped|restrict|limited
            |cut) [^.!?\n]{0,40}(?:under|below|within|to|at|less than|shorter than|between) (?:[$] ?
            |about |around |the )?(?:[0-9]+|one|two|three|four|five|ten|budget)|(?:limit|cap|maximum
            |minimum|max|ceiling|budget|deadline|word count|word limit) (?:is|of|stays at|remains|=
            |:) ?(?:at |strictly |exactly |max )?(?:[$] ?)?[a-z0-9]+|(?:is|are|stays) (?:now )?(?:the
            |our|my) (?:new |absolute |hard )?(?:limit|maximum|cap|minimum|deadline|budget|max)|(?:cap
            |limit|max|maximum|minimum|ceiling|budget|deadline|word count)(?: is)? ?: ?(?:[$]
             ?)?[0-9a-z]+|at the latest|at the earliest|(?:[a-z0-9]+ )?tops{end}|that's all (?:there is
            |we have|i have|i've got|we've got)|exactly (?:[0-9]+|one|two|three|four|five|six|seven
            |eight|nine|ten|twelve)|by (?:\w+ )?(?:at the latest|latest)
        """,
        unless=r"""
            (?:was|were|took|takes|lasted|been|cost) (?:at most|no more than|not more than|at the most
            |maximum)|(?:is|was|are|were|costs?|took|takes|spent|weighs?|got|had|lasted|for|earns?
            |makes?|after|just|already|currently|now|grew|went) (?:\w+ )?(?:no |not )?(?:up to|under
            |below|within|less than|fewer than|more than|above|over|exactly|longer than|max
            |about) [0-9$]+|(?:over|above|under|below|within) (?:[0-9]+ )?(?:the )?(?:last|past|years?
            |time|here|there)|(?:over|under|above|below|within) [12][09][0-9][0-9]\b|not exactly
            |(?:what|how|why|whether|which|is there|is it|was) [^.!?\n]{0,40}(?:limit|budget|maximum
            |minimum|deadline)|exactly (?:one|two|the)? ?(?:what|how|that|like|year|month|week)
            |time limit (?:exceeded|error)|(?:limit|budget|deadline|maximum|minimum) (?:isn't|wasn't
            |is not)|returns? at most|rate limit|memory limit|deadline is (?:coming|getting|close|near
            |approaching|soon|over)|no (?:more|less|fewer) than (?:usual|before)|more days?|(?:one|a
            |another|few) more (?:day|word|minute|second|hour)|(?:a|one) (?:day|minute|second
            |hour) (?:later|earlier)
        """,
    ),
    Pattern(
        "obligation",
        "at least",
        r"""
            (?:with|of|have|has|contain|contains|be|is|leave|keep|for|include|needs?|requires?
            |give) (?:\w+ )?at least (?:[0-9]+|one|two|three|four|five|ten)|[0-9]+ [a-z]+ at least
            |at least [0-9]+ [a-z]+ (?:each|per|every|between|apart|away|before|long|wide|of)
            |(?:a )?minimum (?:of )?[0-9]+
        """,
        unless=r"""
            (?:has|have|had|been|was|were|there (?:is|are)|'s|is
            |took) (?:been )?at least [^.!?\n]{0,30}(?:years?|times|people|so far|since|ago)
        """,
    ),
    Pattern(
        "obligation",
        "for everything",
        """
            from now on|from here on|from today(?: on)?|going forward|henceforth
            |for the rest of (?:this|the|our)|in (?:all|every|each) (?:of )?(?:your|the|my|our
            |future|further|following|later) [a-z]+|(?:at all times|every single time
            |each and every)|(?:any|every|each|all) (?:further |future |following )?(?:answers?
            |repl(?:y|ies)|mails?|emails?|texts?|snippets?|messages?) (?:you|in|from|with|should)
            |(?:always|never|ever) (?:has|have|needs?|need|be|to) [a-z]+|(?:you|the [a-z]+|it|they
            |all [a-z]+|every [a-z]+) (?:should|have to|need to|are to|is to|shall|will|needs to
            |has to) (?:always|never|only)|for everything you|whenever you|every time you
            |each time you|(?:this|that|it) (?:goes|holds|applies|counts|stands) for (?:all|every
            |everything|the|any)
        """,
        unless="""
            (?:used|looked|searched|tried|happens?|is|are|all over|consistently) (?:everywhere
            |throughout)|(?:again|error|message|crash|fails?|expired[a-z, x]*
            |[a-z]+)[, ]+every single time{end}|(?:errors?|crash[a-z]*|fails?) (?:at all times
            |consistently|everywhere)|everywhere (?:i|we)|(?:can|could) never have|(?:we|i|they|you|he
            |she|it) (?:always|never) have [a-z]+
        """,
    ),
)
