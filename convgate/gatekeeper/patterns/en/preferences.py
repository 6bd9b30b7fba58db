"""English: what a person or a team prefers."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

PREFERENCES = (
    Pattern(
        "preference",
        "I prefer",
        r"""
            i {very}(?:{not}{very})?prefer|i'?d {very}prefer|my (?:\w+ )?preferences? (?:is|are|would be
            |goes)
            |my preferred [a-z -]{2,30} (?:is|are)|i have a (?:\w+ )?preference for
        """,
        unless=r"""
            i {very}prefer to (?:think|wait|sleep|stay|believe|remain|live|die|listen|rest|watch|say|hope
            |see|imagine|forget|ignore|not (?:think|say|know))\b|(?:if|when|which|what|whatever
            |than) i prefer
        """,
    ),
    Pattern(
        "preference",
        "I'd rather",
        "i(?:'d| would|d) {very}rather",
        unless="(?:if|when) i(?:'d| would) rather|i(?:'d| would) rather (?:die|be (?:at|in|on)|not say)",
    ),
    Pattern(
        "preference",
        "I like",
        r"""
            i {very}(?:{not}{very})?(?:like|love|dislike|enjoy)
            |i(?:'d| would) (?:really )?like (?:all|every|my|it if|it when|the (?:answers|code|comments
            |responses|replies|reports|tests|output|results|summaries)|you to (?:always|never|only|use
            |keep|avoid|be)|to (?:keep|use|avoid|stick))
        """,
        unless=r"""
            i {very}(?:{not}{very})?(?:like|love) (?:your|that|this|these|those|how you|the way you
            |what you|what
            |where|you|how (?:it|this|that)|the (?:idea|look|sound|result|answer|suggestion|second|first
            |new))\b
            |i {very}(?:like|love|enjoy) (?:it|them)(?: (?:so|too|very|already|here|a lot|but|and|now
            |much)\b|[.,!?;:)]|$)
            |i would {very}(?:like|love) (?:to (?:[a-jl-tv-z]\w*)|you to (?:{request})|an?|some|more|one
            |two|information)\b
            |i (?:feel|look|sound|seem|act) like|i {very}(?:like|love) to (?:think|believe|hear|know
            |say)\b|i would {very}(?:hate|love) (?:for|if)
            |(?:if|when|whenever|whatever|as|than|thing|things|what|did|do|would) i (?:like|love)\b
            |i enjoyed
        """,
    ),
    Pattern(
        "preference",
        "I hate",
        r"""
            i {very}(?:hate|can't stand|cannot stand|cant stand|can't bear|cannot bear|can't abide|detest
            |despise|loathe)
        """,
        unless=r"""
            i {very}hate (?:to (?:bother|ask|say|admit|interrupt|break|be|see|tell|do)|this|that i
            |it(?: so|[.!,]|$)
            |myself|my (?:life|boss|job)|for|you|him|her|them)\b|i would {very}hate
        """,
    ),
    Pattern(
        "preference",
        "I want",
        r"""
            i {very}(?:{not}{very})?want (?:[a-su-xz0-9]\w*|t[a-np-z]\w*|y[a-np-z]\w*)
            |i {very}(?:{not}{very})?want (?:you )?to (?:always|never|only|use|keep|have|avoid|stick|stay
            |work
            |receive|be called|be addressed|be asked|be told|see (?:no|fewer|less|more|only|tests))
            |i {very}{not}{very}want (?:to|you) \w+|i {very}want you to \w+
        """,
        unless=r"""
            (?:if|when|whenever|what|whatever|because|since|thing|once|all|where|why|how|that|than|things)
             i {very}(?:{not}{very})?want
            |i {very}want (?:it|that|this|in|out|more|my money|(?:an?|some|one|two|three
            |the) (?:[\w-]+ ){0,2}(?:function
            |script|program|method|query|regex|refund|example|examples|explanation|list of|recipe|poem|story
            |joke|answer to|summary of|replacement|discount|copy|coffee|drink|break|holiday|vacation|dog|cat
            |new (?:laptop|phone|car|bike|job))|help|info|information|ideas?|advice|to have (?:lunch
            |dinner|a
            |an|some|fun|breakfast))\b
            |i {very}want you to (?:please |now )?{request}\b
            |i {very}{not}{very}want (?:to (?:bother|interrupt|sound|be rude|be a|die|go|miss|lose|know
            |think|offend
            |get|wait)|it|that|this|you to (?:think|worry|feel))\b|i wanted|i want(?: so)? (?:bad|badly)
        """,
    ),
    Pattern(
        "preference",
        "I always",
        "i {very}{lately}|i tend to|i {very}{lately}|i {lately}",
        unless=r"""
            i {very}{lately} (?:also |just |still |really )?{once}\b
            |(?:did|do|have|had|am|was|as|like|than|what|why|how|which|can|could|should
            |would) i {very}{lately}
            |(?:if|because) i {very}{lately}|i (?:would|do|could) (?:always|never)
            |i tend to (?:forget|think|get|lose|mix|confuse|overthink|be)
        """,
    ),
    Pattern(
        "preference",
        "my favourite",
        r"""
            my (?:\w+ |all-time )?favou?rite (?:[^.!?\n]{1,40} )?(?:is|are|has (?:always )?been)
            |i(?:'m| am) (?:not )?(?:really )?(?:a|much of a) (?:big |huge |great )?(?:fan of|[a-z]+ person)
            |i(?:'m| am) not (?:that |so )?(?:keen on|fond of|into)|i(?:'m
            | am) (?:very |really |quite )?(?:keen on|fond of)
        """,
    ),
    Pattern(
        "preference",
        "I don't use",
        "i (?:don't|do not|no longer|only) (?:use|eat|drink|work on|fly|smoke|read)",
        unless="(?:if|when|because|what|that|which|why) i (?:don't|do not|only)",
    ),
    Pattern(
        "team_preference",
        "we prefer",
        r"""
            we(?:'d| would|d)? {very}prefer|we(?:'d| would) {very}rather|we {not}{very}(?:like|prefer)
            |we {very}(?:like|love|hate|dislike) (?:to (?:keep|use|work|have|avoid)|it when|using|having
            |our|working)
            |(?:the|our|my|this|whole|entire) (?:[a-z-]+ ){0,2}{team}(?: members| mates)? {very}(?:prefers?
            |likes|loves|hates|dislikes|would rather|would prefer|favou?rs?|don't like|doesn't like
            |is not a fan of)
            |(?:everyone|everybody|most people|most of us
            |all of us) (?:here |on the team |in the team )?prefers?
            |(?:our|the team's|the {team}'s) (?:\w+ )?preference (?:is|are)
        """,
        unless=r"""
            (?:if|whether|what|which|that|than) we(?:'d| would)? prefer|we (?:don't|do not) like (?:it
            |that|this)\b
        """,
    ),
)
