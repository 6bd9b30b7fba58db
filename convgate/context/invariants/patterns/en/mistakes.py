"""English: how people own up to a slip, point out one, or say where the right value stands."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

MISTAKES = (
    Pattern(
        "mistake",
        "I slipped",
        r"""
            (?:i|i've|i'd|i have|i had|we|we've|we'd|you|you've|you'd|you have|you had|they|she|he
            |someone) (?:just |must have |may have |clearly |obviously |simply |only |totally |again |'ve |h
            ave |had |got |went and )*(?:muddled|mistook|transposed|inverted|flipped|swapped|reversed
            |jumbled|scrambled|crossed|confused|misread|misheard|mistyped|miscounted|misremembered
            |misquoted|mislabelled|misplaced|misdated|mangled|botched|fudged|conflated|interchanged
            |mixed (?:up|those|them|these|it|that|the)|left (?:out|off)|forgot to count|doubled up on
            |counted twice|copied the wrong|pasted the wrong|grabbed the wrong|took the wrong
            |looked at the (?:wrong|old|saturday|sunday|last)|was (?:reading|looking|counting|thinking
            |going by|on) (?:at |of |off |from )?(?:the|a|my|last|yesterday's|tomorrow's))\b[^.!?\n]*|(?:i
            |i've|i'd|i have|i had) (?:[a-z]+ ){0,6}(?:mixed|swapped|crossed|muddled|confused|reversed
            |backwards|inverted|jumbled|the wrong way (?:round|around)|back to front|upside down|mixed up
            |switched){end}|(?:silly|stupid|daft|dumb|foolish|careless|sloppy|clumsy|thick
            |dense) (?:of )?(?:me|mistake|typo|slip|error|oversight)|(?:i'm|i am|i was|i'm being
            |i was being) (?:a |an |such a |so |just |totally |being |clearly |obviously )*(?:daft|dense
            |dim|thick|blind|stupid|silly|an idiot|idiot|muddled|confused|muppet|sloppy|careless|senile
            |hopeless|terrible (?:parent|mother|father|son|daughter|friend|person|typist)|behind the times
            |out of date|half asleep|not awake)|(?:my|these|those) (?:fingers?|thumbs?|brain|memory|head
            |eyes|maths?|arithmetic|handwriting|count|counting|spelling|typing|keyboard|calculator|misread
            |misheard|mistyped|miscounted|misremembered|mistook|(?:measured|counted|checked|weighed
            |calculated|added) (?:it |that |them |it all )?(?:again|twice|once more|properly this time)
            |(?:just |quickly |re-?|double.?|i |i've )*(?:checked|looked|measured|counted|asked|rang|phoned
            |called|verified|weighed)[^.!?\n]{0,40}[,;:] (?:and |but )?(?:it's|it is|they're|they are
            |there are|there's|that's|he's|she's|it has|it was|i'm|we're) [^.!?\n]+|(?:scrap|scratch|strike
            |nix) [a-z0-9.]+[,:;]|been overruled|auto-?correct|notes?|sum)(?:'s|'re| is| are| was| were
            | has| have)? (?:still |just |clearly |really )?(?:on autopilot|off|slipped|played|fried|mush
            |foggy|rusty|elsewhere|failing|failed|tired|out|shot|wrong|fuzzy|somewhere else|not what|ahead
            |changed|too fast|did)\b[^.!?\n]*|auto-?correct|brain (?:fog|fart|freeze|fade)
            |slip of the (?:pen|tongue|finger|keyboard)|fat.?finger[a-z]*|senior moment|blonde? moment
            |(?:got|had|have) (?:the |my |those |these |them |it |that |your )?(?:[a-z]+ ){0,3}(?:mixed up
            |muddled|confused|swapped|crossed|back to front|backwards|reversed|in the wrong order
            |wrong way (?:round|around)|twisted|jumbled|upside down)|(?:force|out) of habit
            |from memory,? and|can't (?:count|add up|spell|type|read|do (?:maths?|sums))|(?:digits?
            |numbers?|names?|letters?|dates?|days?|columns?|figures?|two
            |units?) (?:are |were |got |have been )?(?:swapped|transposed|reversed|mixed up|crossed
            |the wrong way round|switched|flipped)|(?:was|is|were) (?:rubbish|nonsense|garbage|rot|baloney
            |hogwash|sloppy|a guess|a wild guess|guesswork|a slip|a typo|a mistake|an error|an oversight
            |a misprint|a leftover|outdated|out of date|not true|untrue|never (?:true|right)|far off
            |way off|miles off|off by)\b[^.!?\n]*|typo (?:on my (?:side|end|part)|there|above|of mine)
            |(?:on|at) my (?:end|side|part)[,:] [a-z0-9]+|(?:error|mistake|slip|fault) (?:on my (?:side|end
            |part)|of mine|in what i)
        """,
        unless=r"""
            (?:checked|looked|asked|measured|called|verified|rang
            |counted)[^.!?\n]{0,40}[,;:] (?:and |but )?(?:it's|it is|they're|that's|they are|it was
            |there's) (?:all |just |really |totally |perfectly |still |not |nothing )*(?:fine|ok|okay|good
            |there|done|green|right|correct|great|nothing|blown|working|clean|full|empty|up|on|off|perfect
            |possible|allowed|free|open|closed|sold out)\b|people (?:often )?mis[a-z]+|(?:if|when|whether
            |unless|in case|should|have|what if|can|could|did|do|before|until) (?:i|we|you|they|he|she
            |someone) [^.!?,\n]*|(?:they|she|he|someone) (?:left|swapped|flipped|crossed|was|took|reversed)
            |(?:i|we|you) (?:crossed|flipped) (?:the (?:street|road|river|border|line|bridge|page|coin
            |table|switch|egg|pancake))|i'm (?:so |just |a bit |still |totally )?(?:confused
            |muddled) (?:about|by|now|here|how|why|what|whether)?|left (?:out|off) (?:in|at
            |of the (?:fridge|bag))|swapped (?:the(?:battery|cable|disk|ram|card|router|fuse|bulb|filter
            |tyres?|board|drive|psu))|(?:i|we) (?:swapped|reversed|flipped|switched) (?:the|it|them
            |over) [^.!?\n]*(?:works?|working|helped|fixed|boots|starts|now)|auto-?correct(?:ion)? (?:is
            |should|must|for|in|off|on|feature|tool|function|library)|(?:is|was) (?:off by (?:default
            |heart)|rubbish at)|out of habit,? (?:i|we|he|she) (?:go|drink|eat|always)
        """,
    ),
    Pattern(
        "mistake",
        "what I gave you",
        r"""
            (?:scratch|scrap|strike|bin|forget|ignore|disregard|delete|drop|kill|cancel|undo|never mind
            |nix) (?:the|that|those|my|all) (?:[a-z]+ ){0,2}(?:[0-9][0-9.,:]*[a-z%]*|monday|tuesday
            |wednesday|thursday|friday|saturday|sunday|one|two|three|four|five|six|seven|eight|nine|ten
            |eleven|twelve)\b|(?:forget|ignore|disregard|scratch|scrap|strike|bin|drop|discard|never mind
            |erase|overlook) (?:everything |all |the bit |the thing |the part |the figure |the number |the d
            ate |the name |the value )?(?:what |that |which )?(?:i|i've|i'd
            |we) (?:just |first |have |had )*(?:put|said|wrote|told|gave|typed|mentioned|claimed|sent
            |posted|quoted|listed)\b[^.!?\n]*|(?:scrap|scratch|strike|undo|reverse|redo|revoke) (?:that
            |this|it|the last|my last|the previous)|(?:what|the [a-z0-9 ]{1,30}|that|everything) (?:i
            |we) (?:said|told you|wrote|gave you|mentioned|claimed|put|quoted|stated
            |typed)[^.!?\n]{0,40} (?:is|was|were|are) (?:not|wrong|rubbish|nonsense|old|from|for|last
            |the old|a |an |out|in|off|too|without|only|just)[^.!?\n]*|the [a-z0-9.,]+ (?:i|i've been|i've
            |we) (?:said|gave|quoted|quoting|mentioned|told you|wrote|used|using|saying|typed|put
            |been)[^.!?\n]*|(?:earlier|before|above|at first|previously|originally|in my first (?:message
            |mail|post)),? (?:i|we|i've|i'd) (?:said|wrote|told|gave|claimed|put|mentioned|typed|stated
            |called|quoted)[^.!?\n]*|i (?:think |believe |know )?(?:i |i've |i'd )?(?:told you|said|wrote
            |claimed|typed|put|gave you|gave) (?:[a-z0-9.]+ ){0,6}(?:earlier|before|above|at the (?:top
            |start|beginning)|first|at first|in the beginning)\b[^.!?\n]*|(?:i|i'd|i've) (?:wrote|typed|put
            |written|said|told you|gave you|given you) [^.,;!?\n]{1,40}[,;] (?:but )?(?:it|that|the|they
            |there|we|he|she|i)(?:'s|'re| is| are| was| were| has| have| say| says| said| meant| papers?
            | label| box| invoice| sheet)[^.!?\n]*|[^.,;!?\n]{2,40}[,;] i (?:typed|wrote|put|said|gave you
            |had) [a-z0-9.]+{end}|you(?:'ve| have| had)? (?:left out|left off|skipped|missed(?: out)?
            |dropped|omitted|forgotten|overlooked|invented|made up|put down|got|made it|taken|mixed in
            |lumped|swapped|flipped|reversed|counted|misspelled|misspelt|mistaken|turned
            |written) [a-z0-9][^.!?\n]*|you (?:had|have|wrote|put|took|used|got|made it|said|gave
            |wrote down|assumed|counted|read) (?:it as |the |them as |down )??[a-z0-9]+(?: (?:for|as
            |instead|there|down|wrong|twice))?{end}|i (?:never|didn't|did not) (?:said|told|gave|say|tell
            |give|mention|write|wrote|ask|asked|order|ordered|mean|meant|want|wanted|claim
            |claimed)\b[^.!?\n]*|(?:you're|you are|you must be|you were|you seem to be) (?:thinking of
            |confusing|mixing|mistaking|looking at|reading|going by|referring to|talking about|in the wrong
            |on the wrong|off by|out by|one (?:day|hour|row|line|off))[^.!?\n]*
            |you (?:must |probably |surely )mean [a-z0-9][^.!?\n]*
            |who said (?:anything about )?[a-z0-9]+[^.!\n]*|(?:where|how) did you get [^.!\n]*|(?:no idea
            |don't know) where you (?:got|get|took|have)[^.!?\n]*|there(?:'s| is| are| was) no such [a-z]+
            |(?:the )?other way (?:a?round|about)|vice versa|back to front|the opposite(?: is true| way
            |{end})|(?:flip|swap|switch|reverse|exchange|invert) (?:those|them|these|that|the two|the order
            |it|both|places|the names|the dates|the numbers|the columns|the roles|the first)(?: two| names
            | dates| numbers| columns| around| round| over)?|wrong (?:way|order|side|person|day|date|year
            |month|name|one|city|column|file|version|wall|room|address|unit|currency|place|number|gender
            |spelling|table|end|end of|country|language|model|key){end}|(?:strictly|technically
            |properly) speaking|read (?:it |that |the [a-z]+ )?again[.,:!]|look again[.,:!]
        """,
        unless=r"""
            (?:if|when|whether|unless|in case|should|have|did|do|could|can) (?:i|we|you|they)[^.!?,\n]*
            |i (?:didn't|did not) (?:mean to|want to|tell (?:him|her|them|anyone|my)|ask (?:him|her|them)
            |order|give up|say anything|say (?:goodbye|hello))|you(?:'ve| have) (?:got (?:this|it|a|me|to)
            |made (?:my|it|this|me)|forgotten more|taken|counted on)|you (?:had|have|got) (?:me|fun|to|it
            |time)|drop (?:the|that|those) [a-z]+ (?:in|into|on)|(?:swap|switch|exchange|flip) (?:it|that
            |them) (?:out|for|on|off)|i(?:'ve| have) (?:wrote|written) [^.!?\n]*(?:code|test|tests|script
            |function|letter|book)|delete the [0-9a-z]+ (?:rows?|files?|records?|items?|branches?)|(?:where
            |how) did you get (?:this|that|the) (?:idea|recipe|information)|vice versa\?
        """,
    ),
    Pattern(
        "checked",
        "it says",
        r"""
            (?:i|i've|i have|we|we've|just|so i
            |and i)? ?(?:just |have |also |went and |quickly |then |finally )*(?:checked|double.?checked
            |re-?checked|looked (?:it up|at|again|in|into|through|closer|over)|measured|re-?measured
            |counted|recounted|weighed|asked|rang|phoned|called|verified|confirmed|re-?read
            |read (?:it |that |the [a-z ]{2,25} )?again|opened the|dug out|found the|went back|had (?:a
            |another) (?:closer )?look|timed|tested|tasted|googled|scrolled)\b[^.!?\n]*|(?:the|my|our|his
            |her|their|its|this|a) (?:[a-z']+ ){0,2}(?:says?|said|states?|reads?|tells? me|told me
            |just told me|insists?|corrected me|reckons?|confirms?|confirmed)\b[^.!?\n]*
            |(?:[a-z]+ )?(?:calendar|label|invoice|receipt|ticket|contract|letter|email|sheet|papers?|box
            |passport|schematic|manual|docs?|spec|boarding pass|timesheet|tape measure|scale|register
            |certificate|menu|website|timetable|supervisor|boss|wife|husband|mum|mother|doctor|teacher
            |client|accountant|landlord) (?:says?|said|has|have|reads?|states?|shows?|gives|wants
            |insists?)\b[^.!?\n]*|(?:according to|per|as per|going by|by) (?:the|my|our) [a-z]+
            |is what (?:it|the|they|he|she|i'm|we're|i|my|we) [a-z]+|(?:has|have|'s|'ve) (?:just )?(?:told
            |written to|texted|emailed|messaged|called|corrected) (?:me|us|in|back|to say)
        """,
        unless=r"""
            (?:can|could|if|when|should|please|will|whether|before|once) (?:you|i|we|the|it|he
            |she) [^.!?,\n]*|(?:i|we) (?:asked|called|tested) (?:you|because|for)
        """,
    ),
)
