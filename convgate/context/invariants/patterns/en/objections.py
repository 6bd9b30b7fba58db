"""English: what the user holds against an answer, and what he says of his own words."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

OBJECTIONS = (
    Pattern(
        "mistake",
        "you made it …",
        r"""
            (?:and |but |while |whereas |though |because |as |so )?(?:you|you've|you have|you'd
            |you had)(?: only| just| simply| wrongly| accidentally| still| also| already| even)? (?:took
            |taken|scaled|booked|scheduled|planned|attributed|credited|translated|converted|spelled|spelt
            |labelled|labeled|assumed?|renamed|picked|chosen|chose|quoted?|cited?|described?|treated?
            |rounded|divided|multiplied|budgeted|dated|invented|placed|calculated|computed|based|counted
            |listed|named|addressed|called|made (?:him|her|it|them|me|us|the|that)|put (?:the|it|me|him|her
            |them|a|my|in|on|down)|had (?:me|him|her|it|them|the|us|[0-9a-z]+)|wrote (?:it|the|that
            |[0-9a-z]+)|set (?:it|the|that|them)|sent (?:it|the|them)|used? (?:the|a|an|my|[0-9a-z]+)
            |gave (?:the|it|her|him|them)|turned|mention(?:ed)?|refer(?:red)? to|claim(?:ed)?|worked out
            |drew|ended|started|added up|read|ordered|printed|typed|moved|keep (?:calling|writing|saying
            |using|putting|mixing|spelling|referring|treating|forgetting|adding|naming|getting|making
            |assuming|sending|giving)|kept (?:calling|writing|saying|using|putting|mixing|spelling
            |referring|treating)|(?:are|'re) (?:describing|talking|assuming|thinking|treating|quoting
            |citing|mixing|calling|using|one|off)|confuse|mistake)\b[^.!?\n]*|you're (?:describing|assuming
            |treating|quoting|citing|calling|using) [^.!?\n]+|your (?:[a-z0-9]+ ){1,3}(?:assumes?|lists?
            |says?|has|have|makes?|treats?|puts?|shows?|is (?:for|about|off|wrong|too|missing|based|in|from
            |the)|are (?:off|wrong|too|missing|based|in|from|for)|comes? out|misses|miss|skips?|reads?
            |gives?|ignores?|forgets?|sounds?|calls?|names?|uses?|takes?|counts?|mixes|confuses|claims?
            |leaves? out|starts? (?:at|on|in|with)|ends? (?:at|on|in|with)|begins?|belongs?|turns?|credits?
            |swaps?|describes?|doubles?|places?|quotes?)\b[^.!?\n]*
        """,
        unless=r"""
            you(?:'ve| have)? (?:made (?:my day|it (?:clear|easy|look|so|work|very|really)|me (?:laugh
            |smile|happy|hungry|think))|put it (?:well|nicely|so)|had (?:me|it) (?:worried|at)|used to
            |read my (?:mind|thoughts)|called it|named it well|started (?:me|well)|planned (?:it|that
            |this) (?:well|nicely))[^.!?\n]*|your (?:[a-z]+ ){1,3}(?:has|have|is|are|sounds?|makes?|shows?
            |reads?|gives?) (?:so |very |really |all |a |me |perfect |just )*(?:helped|great|good|fine
            |perfect|lovely|nice|sense|clear|helpful|been|right|correct|beautiful|funny|wonderful|hope
            |ideas?|brilliant|excellent|well|fun|interesting)\b[^.!?\n]*|(?:if|when|whether|unless|once
            |what|whatever|how|where|everything|anything|all|should|did|do|can|could|have
            |would) you [^.!?,\n]*|your (?:turn|choice|call|help|time|patience|opinion|job|task|role
            |goal)\b[^.!?\n]*|(?:you|your) [^.!?\n]*(?:\?|must|never|always|may not|should never
            |only ever)[^.!?\n]*|you (?:read|use|count|quote|cite|describe|treat|mention|refer|order|set
            |assume|placed|take) (?:the (?:file|code|text)|from|only|as|like|well|nothing|no)\b[^.!?\n]*
            |you (?:ordered|booked|sent|printed) (?:online|it for)
        """,
        opens_clause=True,
    ),
    Pattern(
        "mistake",
        "contrary to",
        r"""
            i (?:typed|wrote|said|put|entered|gave|told you|noted|sent) [^.!?\n]{1,40} (?:where|when|and
            |but|instead)[, ]+(?:i )?(?:should|meant|mean|ought|it should|it's|i'd)[^.!?\n]*|when i (?:said
            |wrote|told you|mentioned|typed|put)[^.!?\n]+, [^.!?\n]+|what i (?:called|named|described
            |labelled|took for|referred to)[^.!?\n]+ (?:is|was|are|were)[^.!?\n]*|(?:minor|small|tiny|quick
            |one|little|slight) (?:fix|amendment|edit|correction|erratum|thing|detail|point|mistake)(?: to
            | in| on| about)?[^.!?\n:,]{0,30}[:,] [^.!?\n]+|(?:amend|correct|fix|alter|adjust
            |revise) (?:that|this|it|the [a-z]+) to [^.!?\n]+|for the record[, ][^.!?\n]+
            |contrary to [^.!?\n]+|sorry for the (?:confusion|mix.?up|muddle|mistake|mess|wrong|false
            |back and forth)[^.!?\n]*|(?:would|might|could|may) be (?:true|right|correct|so|fine|ok) (?:for
            |if|in|of|with|under) [^.!?\n]+ but [^.!?\n]+|as you (?:said|wrote|claim|claimed|put it|assume
            |assumed|suggest|suggested|have it)[, .][^.!?\n]*|(?:whereas|while|although) in (?:the original
            |fact|reality|truth)[^.!?\n]*|whatever (?:the|your|it) [a-z]+ (?:says|say|claims)
            |(?:please )?(?:fix|correct|get) that (?:sentence|line|name|part|right|bit|paragraph
            |one)[^.!?\n]*|(?:was|were|got) (?:thrown out|dropped|renamed|replaced|retired|ditched|scrapped
            |sold|abolished)[^.!?\n]{0,20}(?:years?|months?|weeks?|versions?|ages) ago|(?:doesn't
            |does not) exist (?:any ?more|any longer)[^.!?\n]*, [^.!?\n]+|(?:spells?|spelt|spelled
            |pronounced|written) (?:it |with |as |without )[^.!?\n]+|with (?:an?|one|two|double|a single
            |a hard|a soft) ['\"]?[a-z]s?['\"]?(?: at| in| and| not| instead| -|,|{end})[^.!?\n]*|(?:i|she
            |he|they) (?:now )?goes? by [^.!?\n]+|(?:maiden|stage|pen|married|middle|first|last|given
            |former|old) name[,;][^.!?\n]+|(?:never|didn't|nobody|no one) (?:said|wrote|claimed|fired|told
            |mentioned) (?:that|this|me|it|anything|so)\b[^.!?\n]*|where (?:do|did) you (?:get|take
            |have) [^.!\n]+ from|there (?:is|was|are|were)(?: no|n't) (?:\"|x{4,}|such)[^.!?\n]*|(?:comes?
            |came) out (?:too|wrong|higher|lower)[^.!?\n]*|(?:misses|missed|missing) the point|(?:won't
            |wouldn't|doesn't|isn't) (?:get (?:me|us) anywhere|do then|apply to (?:me|us|my|our)|fit (?:my
            |our) case)[^.!?\n]*|makes no sense|for (?:heaven|god|pity|goodness|christ|pete)'?s'? sake|(?:i
            |we) (?:asked|meant|wanted|ordered|said|was asking
            |were asking) (?:about |for |you for )?[^.!?\n]{1,40}(?:'s)?{end}|(?:that|those|these
            |this) (?:is|was|are|were|'s) [^.,;!?\n]{2,40}, (?:mine|ours|my|our|the real|the right|i|we
            |look|see|not|and not)\b[^.!?\n]*
        """,
        unless=r"""
            (?:if|when|whether) you [^.!?,\n]*|for (?:heaven|god|pity|goodness)'?s'? sake,? (?:help|please
            |why|what|how|stop)[^.!?\n]*|makes no sense to me[^.!?\n]*|as you (?:suggested|said
            |wrote)[,. ]+(?:and|it|that|thanks|works|worked|i)[^.!?\n]*|when i (?:said|told
            |mentioned)[^,\n]* (?:him|her|them|my|to)[^.!?\n]*|(?:that|this)(?:'s| is
            | was) (?:[a-z]+ )?(?:great|good|nice|fine|perfect|lovely|all|it|awesome|cool|brilliant|amazing
            |helpful|clear|interesting|exactly|funny)[^.!?\n]*|(?:written|spelled) (?:as|with) (?:a
            |an) (?:capital|lower|upper|number|digit|hyphen)[^.!?\n]*(?:must|always|never)
        """,
    ),
    Pattern(
        "mistake",
        "it's … that",
        r"""
            it(?:'s| is| was| were) (?:the |my |our |his |her |their |in |on |at )?[a-z0-9'-]+(?: [a-z0-9'-]
            +){0,2} (?:that (?:[a-z]+s|[a-z]+ed|fell|rose|went|came|broke|hurt|won|lost|ran|grew|has|had|is
            |was|are|were|needs?)|(?:we|i|they|he|she|you) (?:[a-z]+ ){0,2}(?:use|run|have|cache|meant|mean
            |live|want|need|wanted|needed|take|took|said|wrote|bought|sell|work|play|study|drive|booked
            |ordered|ate|met|fly|flew|sing|teach|store|host|deploy|build|asked|had|do|did|are|were|go
            |went)(?: (?:in|on|with|at|for|to|by))?)(?:{end}|,)[^.!?\n]*
        """,
        unless=r"""
            it(?:'s| is| was) (?:a |an |so |very |really |quite |just |the |only |also |not |all |more |mos
            t |about |high )*(?:nice|great|good|bad|important|weird|strange|odd|funny|true|clear|possible
            |impossible|likely|time|shame|pity|sad|amazing|crucial|vital|essential|obvious|best|better|sure
            |fine|ok|okay|lucky|unfair|annoying|hard|easy|interesting|first|last|second|third|way|same
            |everything|what|how|why|where|nothing|something|anything|one|thing|kind|sort|least|reason|case
            |fact|like|because|when|if)\b[^.!?\n]*
        """,
        opens_clause=True,
    ),
)
