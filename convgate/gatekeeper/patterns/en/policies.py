"""English: what holds always, or never."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

POLICIES = (
    Pattern(
        "policy",
        "we always",
        r"we (?:\w+ly |also |all |both |still |do |here )?(?:always|never)",
        said="both",
        unless=r"""
            we (?:\w+ly |also |all |both |still )?(?:always
            |never) (?:really |even |just |quite |actually |seem to )?
            (?:{once}|argue|laugh|go to|go on|fight|have (?:fun|so|such|lunch|dinner|breakfast|a|enough)
            |miss
            |bicker|dream)\b
            |(?:if|when|whenever|like|as|than|what|which|that|how|why|places?|song) we (?:always|never)
        """,
    ),
    Pattern(
        "policy",
        "we should",
        r"""
            we (?:also |all |really |definitely |both |probably )?(?:should|must|mustn't|shouldn't
            |need to always|need to never|have to always) [a-z]+
        """,
        said="both",
        unless=r"""
            we (?:also |all |really |definitely |both |probably )?(?:should|must|mustn't|shouldn't)
            (?: just| really| probably| all| also| maybe| totally| definitely| soon| both| perhaps| now
            | then| at least| first)*
             {leisure}\b
            |(?:if|what|which|when|how|where|why|whether|whatever|first|now|then|before|think that|says
            |say|said
            |suppose|imagine|assume|pretend|wish|wonder) we (?:should|must|shall)
            |we (?:should|must) (?:first|now|then|next|solve|find|subtract|divide|multiply|compute
            |calculate|choose|distinguish|consider|note|observe|recall|prove|account for|bear in mind
            |take into account|square|integrate|differentiate)\b
        """,
    ),
    Pattern(
        "policy",
        "our standard",
        r"""
            our (?:[\w-]+ )?(?:standards?|conventions?|polic(?:y|ies)|rules?|guidelines?|style guide)
            |(?:company|team|house|project|office|school|lab|club|class|hospital|clinic
            |shop|store)
             (?:policy|rule|convention|standard)(?: is|: ?[a-z0-9_]+| says| requires| that)
            |the (?:general |house |team |basic )?(?:rule|policy|convention)(?: here| for us| in this \w+
            | with us| at \w+)?
             (?:is|says)|we have a (?:\w+ )?(?:rule|policy|convention)
        """,
        said="both",
        unless=r"""
            our (?:[\w-]+ )?(?:standards?|conventions?|polic(?:y|ies)|rules?|guidelines?)
             (?:number|engine|page|service|library|file|document|table|server|module|class|checker|room
            |deviation
            |error|input|output|holder|holders|hall|cent(?:er|re)|id|no|check|test|tests|parser|set|sets
            |editor
            |plan|package|booth|hotel|badge|trip|model|models|price|rate|of (?:living|thumb)|delivery
            |shipping|size|sizes
            |suite|maker
            |wording|expired|expires|broke|was lovely|team)\b
            |(?:what|where|which|who|how|why|whose|does|is) [^.!?\n]{0,30}our (?:[\w-]+ )?(?:standard
            |convention|policy
            |rule|guideline)s?|(?:insurance|policy) (?:number|no)|our (?:insurance|travel insurance
            |dental) polic
            |the (?:rule|policy|convention) is (?:unclear|confusing|stupid|silly|weird|broken|wrong)
        """,
    ),
    Pattern(
        "policy",
        "don't ever",
        "(?:don't|dont|do not|never),? ever,? [a-z]+",
        said="both",
        unless=r"""
            (?:i|you|they|people|users|why|who|that|which|customers) (?:don't|dont|do not|never) ever
            |(?:don't|do not|never) ever (?:know|mind|again|want|get|see|seem)
        """,
    ),
    Pattern(
        "policy",
        "don't use",
        "(?:don't|dont|do not) use|we (?:also )?(?:don't|dont|do not) use",
        said="both",
        unless="(?:don't|do not) use (?:up|it yet)|(?:if|why|when) we (?:don't|dont|do not)",
        opens_clause=True,
    ),
    Pattern(
        "policy",
        "please never",
        r"""
            (?:please|pls|kindly) (?:don't|dont|do not|never|always|avoid|refrain from)
            |(?:don't|dont|do not) [a-z]+ [^.!?\n]{0,40}(?:without|on (?:mon|tues|wednes|thurs|fri|satur
            |sun)days?
            |on weekends|ever|anymore|any more|unless|under any)
        """,
        unless=r"""
            (?:don't|dont|do not) (?:worry|hesitate|mind|be|get|hate|laugh|judge|go|stop|forget|give up
            |tell anyone
            |know|think|want|see|have|understand|feel|like|tell me|leave me|make me|cry|panic|need)\b
            |(?:i|we|you|they) (?:don't|dont|do not)
        """,
        opens_clause=True,
    ),
    Pattern(
        "policy",
        "never …",
        "never [a-z]{2,}",
        unless=r"""
            never (?:random|mind|again|ever|heard|seen|done|had|been|got|gotten|knew|thought|used|an?|the|said
            |saw|met
            |happened|works?|in|on|at|to|would|could|have|has|did|was|were|is|too|once|before|really|even
            |quite|actually|tell me|fear|told|felt|found|came|went|gonna|going|more|less|fails?|felt|took
            |tried|understood|gave|so|not|any|that|this|one|having|expected|stops?|sleeps?|know|say never
            |[a-z]*[^e ]ed|[a-z]{3,}ing|[a-z]+[^su ]s)\b|(?:it|he|she|they|i) never
        """,
        opens_clause=True,
    ),
    Pattern(
        "policy",
        "always …",
        "always [a-z]{2,}",
        unless=r"""
            always (?:the|an?|there|here|been|happy|glad|welcome|on|in|at|to|my|his|her|with|good|nice|fun
            |great|had|has|is|was|were|got|gets?|late|so|such|and|or|that|this|it|when|if|for|too|as|up|down
            |same|one|something|someone|wanted|wondered|crash|fail|me|you|thought|not|of|better|best|busy
            |true|false|loved|felt|returns?|wins?|open|free|available|wrong|right|more|less|these|those
            |[a-z]*[^e ]ed|[a-z]{3,}ing|[a-z]+[^su ]s)\b
        """,
        opens_clause=True,
    ),
    Pattern(
        "policy",
        "avoid …",
        r"""
            avoid [a-z]{2,}|under no circumstances|refrain from|steer clear of|stay away from
            |no (?:deploys|deployments|merges|pushes|commits|releases|meetings|phones|force pushes
            |changes|exceptions)
             (?:on|without|after|before|in|to|at|during)
        """,
        unless=r"avoid (?:the (?:issue|problem|traffic|rain|crowds|error)|this|that|it)\b",
        opens_clause=True,
    ),
    Pattern(
        "policy",
        "from now on",
        r"""
            from now on|going forward|from here on(?: out)?|from today on|henceforth|from this point on
            |in (?:the )?future,? (?:always|never|please|use|don't|do not|make|only|all)
            |as a (?:general )?rule
            |by convention|as a matter of policy|by policy|whatever happens,? (?:never|always|don't)
        """,
        unless=r"""
            (?:not|such) as a rule|as a rule of|what (?:happens|changes) [^.!?]{0,20}(?:going forward
            |from now on)
        """,
    ),
    Pattern(
        "policy",
        "every … must",
        r"""
            (?:every|all|each|any|no) [^.,!?\n]{2,60} (?:must|mustn't|needs? to be|has to be|have to be
            |shall
            |should always|should never|need a|needs a)
            |(?:nobody|no one|everyone|everybody|anyone) (?:\w+ ){0,3}(?:must|mustn't|may|has to|needs to
            |is allowed to
            |should)|[a-z]{3,}[^su ]s (?:must|mustn't|are to be) [a-z]+
            |[a-z]+ (?:must|should) (?:always|never)
            |(?:that's|it's|this is|that is|is) (?:a|the|our
            |company) (?:hard |strict |general |team |house )?
            (?:rule|policy|convention)
            |(?:is|are) (?:strictly |absolutely )?(?:forbidden|prohibited|not allowed|mandatory
            |off limits|off-limits
            |banned|not permitted|compulsory)|no exceptions|without exception
            |we only (?:use|accept|deploy|ship|merge|support|allow|hire|buy|release|write|commit|push
            |store|hand|serve)
            |we (?:don't|do not) (?:allow|accept|deploy|ship|merge|commit|push|store|log|share|permit
            |tolerate|mock
            |release|hand out|give out|serve|sell|send)
        """,
        unless=r"""
            all (?:i|you|we|they) |(?:every|all|each|any) (?:time|day|night|of (?:it|this|that))
            |(?:there|it|that|this|he|she|i|parents|hackers|thieves|kids) must be|suppose|imagine
            |must have (?:been|had|missed|lost|forgotten|gone|done|made|left|seen|got|gotten|taken|\w+ed)
            |(?:a|an|the|this|that|which|it|he|she) [a-z]+s must|why (?:is|are)
            |says? [^.!?\n]{0,30}not allowed
            |(?:i|we|this|that|it) should (?:always|never)|as is the rule|exception(?:s)? (?:is|are|was|were
            |in|to) (?:thrown|raised)
            |(?:if|when) (?:it's|we|that's)|error[^.!?\n]{0,40}(?:not allowed|forbidden|not permitted)
        """,
    ),
)
