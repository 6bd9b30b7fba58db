"""Cues of LEARNING: somebody wants to understand, and nothing is broken."""

from __future__ import annotations

from convgate.context.modes.cues.cue import Cue

LEARNING = (
    Cue(
        "explain",
        "it asks for an explanation",
        r"""
        explain\w*|explanation|teach(?: me| us)?|walk me through|take me through|talk me through
        |break (?:it|this|that) down|break down|help me (?:understand|grasp|get|to understand|make
        sense)|tell me (?:about|how|why|what|more)|introduc(?:e|tion)|crash course|tutorial|lesson
        |lecture|primer|eli5|enlighten|illuminate|shed light|demystify|erklar\w*|explique\w*
        |explications?|elaborate|clarify|(?:an?|one) (?:example|analogy|metaphor|picture|intuition)
        |with (?:a|an) (?:picture|example|analogy|drawing)|beispiel|exemple
        """,
    ),
    Cue(
        "in_plain_words",
        "it asks for plain words",
        r"""
        in (?:plain|simple|layman\w*|everyday|a nutshell|essence|principle|general
        |practice) ?(?:words?|terms|english)?|for (?:dummies|beginners|laypeople|a layman|a beginner
        |someone who|somebody who|my own understanding|a (?:child|kid|ten year old|five year old))
        |like i'm|as if i|to a (?:child|ten|five|newcomer|layman)|from (?:scratch|zero|the ground up
        |first principles|the beginning)|step by step|gist|basics?|fundamentals|foundations?
        |conceptually|roughly|in five minutes|newbie|total beginner|new to|minus the|no jargon
        |without the (?:maths?|slogans|jargon)|einfach|simplement|grundlagen|les bases|properly
        """,
    ),
    Cue(
        "concept",
        "it asks for the idea behind something",
        r"""
        concepts?|principles?|theory|mechanisms?|mechanics|(?:idea|logic|thinking|reasoning|science
        |theory|reason|history|maths?|sense|point|philosophy|principle|notion|physics|chemistry)
        (?:behind|of|in|be)|underlying|intuition|philosophy|notion|origins?|meaning|definition
        |history|biology|physics|chemistry|grammar|prinzip|konzept|principe|bedeutet|bedeutung
        |signifie|veut dire|purpose|rationale|under the hood|behind the scenes
        """,
    ),
    Cue(
        "never_understood",
        "it says that something is not understood",
        r"""
        never (?:got|understood|really|quite|knew|grasped|learned|learnt|been told)|don't
        (?:really |quite |fully )?(?:get|understand|see) (?:why|how|what|the|where|it|\w+)|always
        wondered|(?:i'm |just |i am )?curious|i wonder (?:how|why)|keep (?:hearing|reading|seeing)
        |(?:want|like|love|trying|hope|curious|wish|need|supposed) to (?:\w+ )?(?:understand|learn
        |know|see|grasp|get|follow)|make sense of|get my head|wrap my head|beyond me|escapes me|over
        my head|lost (?:me|the)|no (?:idea|clue|picture|notion) (?:how|what|why|of)|puzzl\w+
        |fascinat\w+|intrigu\w+|mystery|i nod\w*|nodded|smiled?|heard (?:of|that|the)|i know (?:how
        |that|what|the|it)|i mix|mix them up|what i (?:lack|don't)|verstehe (?:nicht|nie)|nie
        verstanden|wusste gern|je n'ai jamais compris|j'aimerais comprendre|comprendre|by heart
        |still couldn't|never clear|cannot picture|in what sense|to me|read (?:about|that)|everyone
        (?:says|talks|nods)|people (?:say|talk)
        """,
    ),
    Cue(
        "how_do_things",
        "it asks how something works",
        r"""
        how (?:do|does|did|is|are|was|were|can|could|come|exactly|on earth|a|an|the|come that) (?:a
        |an|the|they|people|it|one|you|[a-z]+s|[a-z]+)|wie (?:funktioniert|geht|kommt|entsteht|wird
        |macht|konnen)|comment (?:ca|marche|fonctionne|fait|se|les|un|une|on)|how .{0,40} works?|how
        it works|how that works|how to (?:tell|read|pronounce)|what makes|where does .{0,40} (?:come
        |go)|works?
        """,
    ),
    Cue(
        "how_do_i",
        "it asks how to do something",
        r"how (?:do|can|should|could|would|to|might) (?:i|we)|how to",
    ),
    Cue(
        "what_is",
        "it asks what something is",
        r"""
        what(?:'s| is| are| was| were) (?:a|an|the|\w+)|what exactly|what (?:does|do|did)
        (?:\S+ ){1,5}(?:mean|do|stand)|what it means|meaning of|what's (?:meant|behind|a|an|the|so)
        |stands? for|who (?:was|were|is|invented|decides)|was (?:ist|sind|bedeutet|heisst)|c'est
        quoi|qu'est-ce|a quoi (?:sert|ca)|what happens|what goes on|goes on|what role|good for|what
        for|used for|any truth|is there a reason|reason
        """,
    ),
    Cue(
        "difference",
        "it asks for a difference",
        r"""
        differences?|differs?|distinction|distinguish|tell .{1,20} apart|(?:is|are) .{1,40} the same
        |unterschied\w*|same thing|what sets|compared to|related to|have in common|hang together
        |relate
        """,
    ),
    Cue(
        "why_things",
        "it asks why things are so",
        r"""
        why (?:is|are|do|does|did|can|was|were|would|not|don't|doesn't|isn't|aren't|has|have|\w+)
        (?:a|an|people|some|\w+)|why|how come|warum|wieso|weshalb|pourquoi|woher|what causes|for
        what reason
        """,
    ),
    Cue(
        "opens_asking",
        "it opens with a question",
        r"""
        (?:so |and |ok |but |then )?(?:why|how|what|when|where|who|whose|which|is|are|do|does|did
        |can|could|wie|was|warum|woher|wer|comment|pourquoi|quel|quelle|c'est quoi)
        """,
        opens=True,
    ),
)
