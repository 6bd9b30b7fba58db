"""English: words that patterns name."""

NAMED = {
    "polite": r"""
        (?:(?:and|but|so|also|then|ok|okay|please|pls|just|hi|hey|hello|team|all|everyone|remember
        |remember to|be sure to|be sure you|make sure to|make sure you|make sure we|ensure you|try to
        |you should|you must|you have to|you need to|we need to|we have to|one should|important|note
        |reminder|yes|no|sure|right|in general|generally),? )*
    """,
    "very": r"""
        (?:(?:really|also|just|still|much|very much|definitely|generally|strongly|personally|actually
        |do|would|quite|absolutely|now|usually|typically|honestly|always|both|all|much more) )*
    """,
    "not": "(?:do not|don't|dont|wouldn't|wouldnt|would not|never|no longer|didn't) ",
    "team": r"""
        (?:team|group|company|department|squad|devs|developers|engineers|designers|testers|crew|staff
        |colleagues|office|board)
    """,
    # What is done once, and what one asks for: no lasting wish.
    "request": r"""
        (?:explain|help|write|tell|show|give|find|fix|create|make|build|add|change|check|look|read
        |summari[sz]e|translate|generate|list|describe|compare|run|test|analy[sz]e|implement|do|go|play
        |act|pretend|imagine|think|come|see|know|take|draw|plan|book|order|send|review|answer (?:my|this
        |the)|understand|solve|calculate|refactor|convert|remove|delete|update|try|start|teach|prepare
        |set|open|close|call (?:the|my|a|him|her|them)|buy|get|compute|draft|rewrite|finish)
    """,
    "lately": r"""
        (?:always|never|usually|normally|generally|typically|mostly)
    """,
    "once": r"""
        (?:get|gets|got|see|saw|have (?:problems?|trouble|issues?|been|had|the same|this|that)|had
        |forget|forgot|end up|ended|receive|knew|know|thought|think|said|say that|understand|understood
        |heard|hear|tried|seem|was|were|am|wanted|liked|loved|hoped|wonder|wished|felt|feel|did|been
        |went|run into|ran|find|found|met|meet|meant|could|would|will|have to|mind|[a-z]*[^e ]ed|lost
        |lose|came|made|told|spoke|mean|expect|fail|struggle|confuse|mix up|remember|left|gave|took
        |don't (?:ask|know|mind|get|have|see|bother)|wrote|asked|dreamt|learnt|learned|be|should|can
        |bother|mess)
    """,
    "leisure": r"""
        (?:go (?:to|for|out|home|on|get|grab|eat|see|and|back|there|now|over|through|shopping|skiing)
        |grab|have (?:lunch|dinner|a|some|an|been|had|known|seen|gotten|done|left|gone|enough|missed
        |lost|forgotten|brought|bought|told|come|thought|said|asked|[a-z]+[^e ]ed|fun|that|it|time
        |everything|taken|made|used)
        |get (?:lunch|dinner|some|a|together|going|started|back|to|home|out|there|the|an|it|this|that)
        |meet|talk|chat|speak|catch up|celebrate|hang|take (?:a|our time)|leave|see|hear|start|sleep
        |be|know|wait|watch|expect|arrive|ask|call|thank|look|visit|order|eat|drink|say|admit|hurry
        |still (?:have|be)|not (?:be|worry|forget that))
    """,
}
