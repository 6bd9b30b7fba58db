"""Cues of EXPLORATION: possibilities are weighed, nothing is decided."""

from __future__ import annotations

from convgate.context.modes.cues.cue import Cue

EXPLORATION = (
    Cue(
        "undecided",
        "it says that nothing is decided",
        r"""
        torn|undecided|on the fence|(?:in|of) two minds|(?:can't|cannot|can not|couldn't) (?:decide
        |choose|pick|tell which|settle|make up)|not sure (?:whether|if|which|what|about|yet|it|we|i)
        |unsure|no idea (?:whether|if|which)|have(?:n't| not) (?:decided|settled|made up|landed
        |chosen)|not (?:settled|decided|convinced|set)|back and forth|to and fro|round in circles|in
        circles|waver(?:ing)?|hesitat\w+|either way|chang(?:e|ing) my mind|lean(?:ing)? (?:to
        |towards?|against)|i lean|tempt(?:ed|ing|s)|drawn to|toy(?:ing)? with|mull\w*|ponder\w*
        |weigh(?:ing)?|half (?:of me|a mind|want)|part of me|a toss-?up|nothing is (?:fixed|decided)
        |open question|too early|still open|unentschlossen|unschlussig|hin- und her\w*|hin und her
        |schwank\w+|j'hesite|hesit\w+|je balance|je ne sais (?:pas|trop)|indecis\w*|keine ahnung ob
        |noch nicht (?:sicher|entschieden)|weiss nicht,? ob|no preference|don't know (?:whether|if
        |which)|who knows|same length
        """,
    ),
    Cue(
        "choices",
        "it speaks of options",
        r"""
        alternatives?|options?|possibilit(?:y|ies)|choices?|ideas?|suggestions?|directions?|angles?
        |scenarios?|approach(?:es)?|routes?|avenues?|pros and cons|pros|cons|trade-?offs?|for and
        against|upsides?|downsides?|drawbacks?|merits?|advantages?|what speaks|what would speak
        |speaks? (?:for|against)|other ways?|another way|ways to|different ways|variants?
        |inspiration|moglichkeit(?:en)?|ideen|vorschlage|alternativen|vor- und nachteile|pistes
        |idees|possibilites|options|avantages|inconvenients|recommendations?|compromise|in between
        |candidates|contenders
        """,
    ),
    Cue(
        "what_if",
        "it plays something through",
        r"""
        what if|what about|how about|suppose|supposing|imagine|say (?:we|i|you|they)|let's say
        |assuming|assume we|hypothetically|in theory|what would (?:happen|it|change|be|we|you|that|a
        |an|the|break|speak|i|life)|how would (?:it|that|we|one|you|a|life)|if (?:we|i|you|money
        |they|one) (?:did|had|were|was|went|could|dropped|moved|sold|stopped|started|took|gave|made
        |kept|got|let|only|just|simply)|would(?:n't)? it be|was ware wenn|was ware|angenommen|stell
        dir vor|et si|imaginons|supposons|wie ware (?:es|s)
        """,
    ),
    Cue(
        "should_we",
        "it asks whether to do something",
        r"""
        should (?:i|we|one|it|they)|shall (?:i|we)|(?:is|are|was|would|isn't) (?:it|there|that|this
        |a|an|the \w+|\w+) (?:still |even |really |any |ever |just )*(?:worth|better|smarter|wise
        |sensible|overkill|too (?:much|early|late|risky)|point in|a case|a point|enough|realistic
        |crazy|silly|mad|a good (?:idea|time))|worth (?:it|the|a|doing|having|paying|trying|while)
        |make(?:s)? (?:any |more |much )?sense (?:to|for|at|if|in)|(?:do|does) (?:we|i|it|one|a|an)
        (?:even |really |actually )*(?:need|want|make sense|have to)|would (?:a|an|the|we|i|it|you
        |two|one) |am i better off|better off|or (?:is|would|should|do|are|does) |soll(?:te|en|ten)?
        (?:ich|wir|man)|lohnt|lieber|vaut(?:-il)? (?:mieux|la peine)|faut-il|devrais-je|on pourrait
        |plutot|is now|good time to
        """,
    ),
    Cue(
        "maybe",
        "it says maybe",
        r"""
        maybe|perhaps|possibly|might|could (?:also|be|go|just|as well|do|always|imagine|live|see
        |start|try)|we could|i could|one could|i wonder|wondering|i guess|somehow|sort of|kind of
        |rather|ideally|some day|someday|vielleicht|eventuell|moglicherweise|konnte man|konnten wir
        |peut-etre|pourrait|evt|probably
        """,
    ),
    Cue(
        "or",
        "it sets one thing against another",
        r"""
        \w+,? or (?:just|maybe|rather|even|should|do|is|simply|better|stay|wait|not|both|something
        |nothing|a|an|the|one|two|go|keep|do|with|in|on|at|to|by|my|our|his|her|we|i|neither|still
        |some|take|leave)|either|versus|vs|neither|the former|the latter|both (?:have|of|sound|seem
        |would)|on the one hand|on the other(?: hand)?|then again|instead\?|one thought|or\?
        |entweder|oder|beides|statt|soit|ou (?:bien|un|une|le|la)|les deux|i like (?:both|the first)
        |none of them|nor
        """,
    ),
    Cue(
        "or_at_all",
        "it sets one thing against another",
        r"or|oder|ou",
    ),
    Cue(
        "thoughts",
        "it asks for thoughts",
        r"""
        thoughts|what do you (?:think|reckon|make)|do you think|your (?:take|opinion|view|thoughts
        |gut)|opinions?|how do you (?:feel|see)|would you (?:go|choose|pick|do|rather|say|take|lean
        |keep|bother|consider)|bounce|brainstorm\w*|think(?:ing)? (?:aloud|out loud|through|of|it
        over)|think about it|thinking about|spitball|devil's advocate|poke holes|play (?:it|this
        |through)|help me (?:think|see|choose|decide|weigh)|was meinst du|was denkst du|qu'en
        penses-tu|ton avis|votre avis|what am i missing|anything (?:i|we)'?(?:ve)? (?:miss|missed
        |overlook\w*|in between)|sound(?:s|ed)? (?:good|nice|fun|great) but|dream\w*|look(?:ing)?
        for|in your (?:shoes|place)|my place|what else|where (?:could|might|would) |open (?:to|for)
        |curious what you|conceivable|could see
        """,
    ),
    Cue(
        "which",
        "it asks which",
        r"""
        which (?:one|of|would|do|should|is|way|to|direction|language|\w+ (?:would|should|is|suits?
        |fits?|do|does|for|to))|what (?:kind|sort) of|who could|where to|when to|whether to|how
        (?:far|much|many|else)|what to do with|welche[rs]?|lequel|laquelle|quel(?:le)?s?
        """,
    ),
)
