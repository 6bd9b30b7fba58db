"""English: what was decided."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

DECISIONS = (
    Pattern(
        "decision",
        "let's go with",
        r"""
            (?:let's|lets|let us)(?: just| simply| then| all| instead| actually| please| rather| now| do
            | both| not)*
             (?:go with|use|choose|pick|go for|stick with|stick to|settle on|settle for|opt for|adopt
            |switch to
            |move to|go ahead with|keep using|keep the|keep our|do option|do it with|standardi[sz]e on
            |run with|postpone
            |drop|take the|do the (?:first|second|third|other|same))
        """,
        said="both",
        unless=r"""
            (?:let's|lets|let us) (?:\w+ )?(?:(?:choose|pick) an?|pick up|pick (?:it|this|that|things|him
            |her|them|you) up
            |pick [a-z']+ brain|use up|use (?:the|this|that|our|some|my|your)(?: \w+)? (?:time|opportunity
            |chance|break|moment
            |day|weekend|fact|formula|function|method|definition|rule|theorem|hour|minutes|identity
            |following)
            |go with the flow|go for (?:an?|it|lunch|dinner|drinks|coffee|walk|some|pizza|ice|gold)
            |use (?:it as an|an example|the example)|move to the (?:next|living|other|garden)
            |stick to the (?:topic|point
            |subject)|drop (?:it|by|in|off|the (?:subject|kids))|take the (?:train|bus|stairs|elevator
            |lift|kids|dog|car
            |opportunity|time|example|case|day)|switch to (?:another|a different|the other) (?:topic
            |subject)
            |keep the (?:conversation|ball|good|change|faith))\b
            |(?:now|next|first),? (?:let's|lets|let us) use|(?:if|when|says?|said|whether|like) (?:let's
            |lets|let us)
        """,
    ),
    Pattern(
        "decision",
        "I've decided",
        r"""
            (?:i|we|the (?:team|board|client|management|committee|family|council)|management|everyone
            |my (?:wife|husband
            |partner) and i)(?:'ve|'s| have| has|ve)?(?: just| now| finally| already| all
            | both)* (?:decided|agreed|voted)
            |(?:i|we)(?:'ve| have|ve)(?: just| now| finally| already| all| both)* (?:chosen|settled|opted
            |picked|made (?:a|the
            |our|my|up my|up our) (?:decision|choice|mind|minds))
            |(?:it|that)(?:'s| is| has been) (?:settled|decided)
        """,
        said="both",
        unless=r"""
            (?:haven't|hasn't|have not|has not|not|never|hadn't|until|once|if|when|before|after|whether
            |who|how|why
            |wish|glad|since|while|what)
            (?: i| we| yet| been| the team| you| have| 've| finally| all| really)* (?:decided|chosen
            |settled|agreed
            |picked|made)
            |(?:i|we|everyone)(?:'ve| have| has)? agreed? (?:with|that it|about it)|i(?:'ve| have)? agreed
            |decided (?:nothing|yet|anything|for me)|(?:he|she|they)(?:'s|'ve| has| have)? decided
            |(?:until|once|when|if|after|before|unless|whether) (?:it|that)(?:'s| is
            | has been) (?:settled|decided)
            |picked (?:up|on)|settled (?:in|down|into)
        """,
    ),
    Pattern(
        "decision",
        "we'll use",
        r"""
            we(?:'ll| will|'re going to| are going to|ll)(?: just| now| then| all| simply| both| probably)*
             (?:use|go with|go for|choose|pick|stick with|stick to|adopt|switch to|settle on|take the
            |opt for|be using
            |standardi[sz]e on|go ahead with)
            |(?:we're|we are) (?:now )?(?:going with|switching to|sticking with|choosing|opting for
            |moving to|going for)
        """,
        said="both",
        unless=r"""
            (?:if|when|once|how|what|whether|maybe|perhaps|until|unless|that|which|suppose|after|before)
             we(?:'ll| will|'re| are|ll)
            |we(?:'ll| will)(?: just| now| then)* (?:use (?:it|that|this|them|up)\b|pick (?:you|up|him|her
            |it up|them)
            |take the (?:bus|train|car|kids|dog|stairs)|use the (?:formula|following|fact|definition|time)
            |go for (?:an?|lunch|dinner|walk|drinks))|what we(?:'re| are)
        """,
    ),
    Pattern(
        "decision",
        "I'll go with",
        r"""
            i(?:'ll| will|'m going to| am going to|ll)(?: just| now| then| simply)*
             (?:use|go with|go for|choose|pick|stick with|stick to|adopt|switch to|settle on|take (?:the
            |option|it\b)|opt for)
            |(?:i'm|i am|im) (?:now )?(?:going with|switching to|sticking with|choosing|picking
            |opting for|going for)
            |(?:i|we)(?: finally| just| all| both)* (?:chose|picked|settled on|opted for|went with
            |ended up choosing)
            |(?:i've|i have|i) made up my mind|(?:i|we)(?: finally| just)? made (?:a|the|our
            |my) (?:decision|choice)
        """,
        unless=r"""
            (?:if|when|once|how|what|whether|maybe|perhaps|until|unless|that|which|suppose|after|before
            |think|not sure|where
            |who|why|guess|did|should|can)
             (?:i|we)(?:'ll| will|'m| am)?(?: \w+)? (?:use|go|going|choose|pick|stick|chose|picked|went
            |take)
            |i(?:'ll| will|'m going to| am going to)(?: just| now| then)* (?:use (?:it|that|this|them|up
            |the (?:bathroom|toilet
            |restroom|example|following|train|bus))|pick (?:you|up|him|her|it up|them|the kids|my)
            |take (?:the (?:bus|train|car
            |kids|dog|stairs|day)|it (?:from|to|back|easy|slow))|go for (?:an?|lunch|dinner|walk|drinks
            |my))\b
            |(?:picked|pick) (?:up|on)|(?:haven't|not|never) made up|went with (?:my|her|him|them|us
            |a friend)
        """,
    ),
    Pattern(
        "decision",
        "the decision is",
        r"""
            (?:the|our|my) (?:final )?(?:decision|choice|verdict) (?:is|was|has been)
            |final (?:decision|choice|answer)(?: is|: ?[a-z0-9_]+)|decision: ?[a-z0-9_]+
            |it's final,? |the vote is in|(?:is|are) out,? we'll
        """,
        said="both",
        unless=r"""
            (?:decision|choice) (?:is|was) (?:yours?|up to|hard|difficult|easy|not|still|pending|entirely
            |often|between
            |tough|really|made by|based|a |an |due|overdue|in the hands|about|clear|to be)
            |(?:what|who|why|how|until|if|when|once|where|whose)(?:'s| is| was)? (?:the|our
            |my) (?:final )?(?:decision|choice)
            |is that (?:the|our|your) final|the choice is (?:between|yours)
        """,
    ),
    Pattern(
        "decision",
        "go with",
        "(?:go|going|stick|sticking) with (?:the |an? |option )?[a-z0-9]+",
        unless=r"""
            go(?:ing)? with (?:me|you|him|her|us|them|it|my (?:wife|husband|friend|kids))\b
            |going with (?:a friend|friends)
        """,
        opens_clause=True,
    ),
)
