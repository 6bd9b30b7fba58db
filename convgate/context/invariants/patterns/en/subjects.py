"""English: what is safety-critical, so that what has to be is a safety requirement."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

SUBJECTS = (
    Pattern(
        "subject",
        "health",
        """
            health|doctor(?:'?s)?|surgeon|physio[a-z]*|cardiologist|medic(?:al|ation|ations|ine
            |ines)|meds|drugs?|doses?|dosage|overdose|pills?|tablets?|ibuprofen|aspirin|paracetamol
            |acetaminophen|[0-9]+ ?mg|[a-z]{3,}(?:formin|pril|statin|cillin|mycin|prazole|olol
            |azepam|oxacin|sartan|coxib|oxetine)|symptoms?|pain|injur(?:y|ies|ed)|surgery
            |operation on|post.?op|patients?|diagnos[a-z]+|therap(?:y|ist)|blood (?:pressure|sugar
            |thinner|thinners)|pregnan(?:t|cy)|diabet(?:es|ic)|gluten|nuts?|peanuts?|almonds?
            |walnuts?|hazelnuts?|cashews?|sesame|shellfish|shrimps?|prawns?|lactose|dairy|raw (?:egg
            |eggs|meat|fish|milk)|alcohol|honey|mercury|salt|sodium|grapefruit|kosher|infections?
            |steril[a-z]+|hygien[a-z]+|raw|undercooked|reheat|salmonella|mould|mold|heart rate|bpm
            |knees?|spine|lower back|disc|blood|vaccin[a-z]+|nsaids?|ulcers?|kidneys?|liver|wine
            |gentle|vet|lil(?:y|ies)|xylitol|bad (?:back|heart|knee|knees|hip)|calorie counts?
            |dogs? (?:can't|must|may)|cats? (?:can't|must|may)|pharmacist|swallow[a-z]*|choke
        """,
        unless="""
            (?:salt|raw) (?:lake|data|text|string|html|sql|json|bytes|numbers|strings|material|wood)
            |raw(?:_|[.])|(?:a|such a|royal|real) pain|pain point|nuts and bolts|symptoms? of the bug
            |blood type|(?:nuts|nut) (?:and|&) bolts|hot dogs?|tablets? (?:and phones|layout|view
            |screen)|phones? and tablets?|(?:on|for) tablets?|salt(?:ed)? (?:and|the) hash|pain in the
            |health.?check
        """,
    ),
    Pattern(
        "subject",
        "people",
        """
            safety|safe|unsafe|dangerous|danger|hazard[a-z]*|risk|risky|risks|injure|hurt|harm|child
            |children|kids?|toddlers?|baby|babies|infants?|newborn|minors?|boy|girl|choking|small parts
            |drown[a-z]*|unsupervised|alone in the water|stove|oven|knife|knives|scissors|helmets?
            |magnets?|out of reach|swims?|swimming|climb(?:s|ing)?|life ?(?:jacket|vest)s?|seat.?belts?
            |harness|rope|belay|ladder|scaffold[a-z]*|avalanche|roof|stairs alone|emergency|exits?
            |escape route|evacuat[a-z]+|load.?bearing|weight limit|crane|chainsaw|saw|ppe|goggles
            |gloves|respirator|mask|brakes?|tyres?|tires?|speed limit|drunk|driver|pool|gives? way
            |collapse[sd]?|power (?:is|must be|has to be|stays) off|power off|switched off (?:at|before
            |first)|unplugged|swim|lifeguard|weapon|guns?|self.?harm|suicid[a-z]+
        """,
        unless=r"""
            unsafe (?:code|blocks?|rust|keyword)|(?:type|thread|memory|null).?saf(?:e|ety)
            |safe (?:mode|defaults?|for work|to (?:say|assume))|risk (?:free|it|appetite|premium)
            |at the risk of|kids? (?:come|get|go|goes|love|like|sleep|want|arrive)\b|(?:google |
            hard |thumb |usb |flash |test )drives?|drive (?:folder|a|traffic)|hard drive|(?:thread
            |connection|worker|db|database) pool|child (?:process|component|class|node|element
            |row)[a-z]*|exit (?:code|status|fee)|children.s books?|kids?(?:'s)? (?:book|song|menu)
            |mask(?:ed|ing)? (?:the|email|values)|(?:image|bit|attention|input|network|subnet) mask
            |rope.?s? of
        """,
    ),
    Pattern(
        "subject",
        "fire, electricity, chemistry",
        """
            fire|fires|flames?|candles?|burn|burns|burning|flammable|smoke|gas|propane
            |carbon monoxide|explo(?:de|des|sive|sion)|electric(?:al|ian|ity)?|mains|breakers?|fuse
            |fuses|fuse box|voltage|volts?|[0-9]+ ?v|live parts|smoking|valves?|pressure|explodes?
            |fuse box|main switch|live wires?|wiring|wires?|socket|sockets|outlets?|grounded|earthed
            |rcd|amps?|current|short circuit|batter(?:y|ies)|lithium|capacitors?|acid|acids|bleach
            |ammonia|chemicals?|corrosive|solvents?|acetone|lye|chlorine|poison(?:s|ous)?|toxic
            |pesticides?|herbicides?|glyphosate|fumes?|asbestos|lead paint|fume hood|peroxide
            |pellets|boiler|pressure cooker|lab|laboratory|generator|barbecue indoors|extinguisher
            |drain cleaner|drill into|gas line
        """,
        unless=r"""
            (?:current|currently) (?:state|version|user|branch|year|month|directory|value|page|style
            |tone|design|behaviou?r|format|setup|layout|api|folder|one|draft|file|week|job|employer
            |plan|price|schema)|(?:open|web|net|tcp|udp|unix|ssl|domain|raw).?sockets?|socket (?:io
            |connection|timeout)|wire.?frames?|fire (?:off|up|the event|events|a)|(?:factory |
            retail |tech )outlets?|acid (?:test|compliant|transactions?)|burn.?(?:rate|down|out)
            |amino acids?|fired|current\b [a-z]+|smoke tests?|circuit breaker|staples? of
        """,
    ),
    Pattern(
        "subject",
        "security and secrets",
        r"""
            secur(?:e|ity|ely)|passwords?|passphrases?|secrets?|credentials?|tokens?|tls|ssl
            |api.?keys?|private keys?|ssh keys?|keys? in (?:the )?(?:repo|code|logs?|git)
            |encrypt(?:ed|ion)?|unencrypted|plain.?text|hash(?:ed|ing)?|vault|env files?|dotenv|hsm
            |server keys?|parameteri[sz]ed|user input|escaped?|certificates?|2fa|mfa|sql injection
            |injection|xss|csrf|vulnerab[a-z]+|malware|phish[a-z]*|firewall|vpn|root access
            |admin (?:rights|access|password)|sudo|permissions?|public(?:ly)? (?:bucket|s3|internet)
            |hardcod[a-z]*|hard.?cod[a-z]*|only admins?|admins? may|each other's data|root login
            |port [0-9]+|open to the internet|(?:in|to|from) (?:the )?(?:public )?(?:repo|logs?|git)
            |iban|pins?\b|eval
        """,
        unless=r"""
            (?:max|output|input|context|[0-9]+|prompt|design|lexer|parser|css|color|colour|special
            |next|per) tokens?|tokens? (?:limit|count|budget|window|per)|(?:limit|cap|max|under
            |below|at most|than) [0-9k,.]* ?tokens|tokens? (?:are|is|is|be) (?:counted|long)
            |secret (?:santa|ingredient|sauce|weapon|admirer)|hash ?(?:map|table|tag)s?
            |plain text (?:only|please|format|email|mail)?|pin code of|job security|security deposit
            |social security (?:office)|public transport|(?:git|repo) (?:log|branch|history)
            |in plain text\b|plain.?text (?:only|and|no|without|mail|file|version)|only plain text
            |hardcode (?:colou?rs?|strings?|widths?|numbers?|values?|paths?|the path|px|pixel)
        """,
    ),
    Pattern(
        "subject",
        "private data",
        """
            (?:personal|private|customer|client|patient|user|sensitive|confidential|health|employee
            |salary|medical|payment|student|pupils?'?) (?:data|info|information|details|records?
            |names?|addresses|emails?|numbers|files?)|privacy|private|confidential(?:ity)?|gdpr
            |dsgvo|hipaa|ccpa|pci(?:.dss)?|pii|personally identifiable|identifiable|real names?
            |(?:home|email|street|postal|ip) address(?:es)?|phone numbers?|anonymi[sz]ed?
            |anonymous(?:ly)?|pseudonym[a-z]*|nda|embargo|credit.?cards?|card numbers?
            |social security numbers?|ssn|date of birth|birth dates?|faces?|informants?
            |whistleblowers?|witness(?:es)?|victims?|photos? of (?:the |my |our )?(?:kids|children
            |pupils|students|patients)|data protection|full names?|names? of (?:the )?(?:customers
            |patients|clients|pupils|students|children|employees|colleagues|witnesses|victims)
            |customers?' names?|(?:order|payment|account|bank|contact) (?:data|details)|addresses
            |share (?:the |our |my )?data|leave (?:the |our )?(?:network|servers?|premises|eu
            |country|building|machine)|layoffs?|between us|(?:may|must|can|should)(?:n't| not)? leak
            |must not get out|salar(?:y|ies)|diagnos(?:is|es)|medical history
        """,
        unless="""
            private (?:method|field|variable|function|member|key word|room|beach|tour|lesson|class
            |pool|parking|repo|bathroom|jet|attribute|property)s?|(?:include|includes|contain
            |contains|have|show|with|add|list|mention|give|needs?) (?:the |our |my |a |your |his |
            her )?(?:phone numbers?|address(?:es)?|e?mail address(?:es)?|full names?)
            |privacy policy page|type face|faces? (?:south|north|a|the)|surface
            |private(?:ly)? (?:owned|held)
        """,
    ),
    Pattern(
        "subject",
        "data and money loss",
        """
            (?:lose|losing|loses|lost|loss of|delete|deleting|deletes?|deleted|overwrite|overwriting
            |overwritten|overwrites?|wipe|wiping|wiped|erase|drop|truncate|destroy|corrupt|purge
            |purging|touch) (?:[a-z'-]+ ){0,4}(?:data|database|databases|tables?|rows?|records?
            |orders?|files?|backups?|photos?|originals?|history|money|customers?|entries|folder
            |volumes?|snapshots?|accounts?|master|raw data|source data|logs)|data loss|loss of data
            |without (?:a |an |making a |taking a )?(?:fresh |current |full |recent )?(?:back.?up
            |dump|snapshot)|back.?ups?|(?:delete|deletes?|overwrite|remove) (?:anything|something
            |everything)|back(?:ed)? up|rm -rf|drop table|irreversibl[ey]|force.?push(?:es)?
            |emergency fund|life savings|retirement (?:money|fund|savings)|(?:the|my|our) originals?
            |raw data|second copy|copies of|payments?|transactions?|executed twice|lose (?:more|any
            |even)|double.?charg[a-z]+|(?:get|gets|be|go|goes|gone|getting) lost|lose (?:the |my |
            our )?capital|charged? twice|pay(?:ment)?s? twice|booked twice|refund without
            |transfer money|leverage|margin (?:loan|trading|call)|speculat[a-z]+|(?:rent|college
            |school|tuition) money|money
        """,
        unless="""
            (?:drop|delete) (?:the |a )?(?:column|line|word|sentence|paragraph|comment|adjective
            |comma)s?|money (?:laundering lecture)|(?:not|no) money (?:problem|issue)|save money
            |original (?:text|tone|title|meaning|author|wording|language|idea|style|version|recipe
            |series|film)
        """,
    ),
    Pattern(
        "subject",
        "production",
        """
            prod|production|on live|(?:take|taking|bring|bringing) the (?:site|shop|service
            |system) down|live (?:system|site|server|database|db|data|environment|shop|account
            |accounts|traffic|cluster|customers?)|(?:down|outage|zero.?downtime|downtime
            |without downtime)|customer.facing|main(?:line)? (?:shop|database|db)|payment (?:system
            |service|provider|gateway)|real (?:customers?|users?|money|accounts?|orders?|payments?
            |e?mails?)|(?:stay|stays|remain|keep) (?:online|up|available)|trading system
            |master (?:database|db)
        """,
        unless=r"""
            (?:down (?:to|the|by|and|with|below|jacket|from|here|a)|cut down|slow down|break down
            |write down|calm down|sit down|scroll down|top.down|up and down|production (?:line
            |company|value|values|cost|of)|(?:film|theatre|theater|video|music|food|milk|wine
            |mass) production|[a-z]+ down)\b
        """,
    ),
    Pattern(
        "subject",
        "law",
        """
            law|laws|legal(?:ly)?|illegal|crime|audit(?:ors?|s)?|fined|equality act|lawyer|attorney
            |court|judge|lawsuit|sue|liab(?:le|ility)|regulation|regulations|regulator[a-z]*
            |regulatory|(?:gdpr|hipaa|pci|legally|sox|tax|law).complian(?:ce|t)|compliance
            |tax (?:office|law|authority|fraud)|copyright(?:ed)?|trademark(?:ed|s)?|violat(?:es?|ing
            |ion)|lease|licen[cs]e of|gpl|licen[cs]es?|contract(?:ual)?(?:ly)?|statut[a-z]+
            |(?:building|work|residence) permits?|visa|customs|police|criminal|offen[cs]e
            |discriminat[a-z]+|defam[a-z]+|libel[a-z]*|sued|fda|osha|building code|fire code
            |works council|notary|under ?age|minors|legal advice|medical advice|promise (?:a |
            any )?(?:cure|healing)
        """,
        unless="""
            (?:english|austrian|german|french|swiss|foreign|us|irish|scots|dutch|local|only [a-z]+) law
            |in every contract|(?:the|his|her|my) contract says|(?:law of|murphy's law|in.laws?
            |mother.in.law|father.in.law|sister.in.law|brother.in.law|data contract|contract (?:test
            |type)s?|(?:tennis|basketball|food) court|visa (?:card|debit)|judge (?:me|for yourself)
            |no offen[cs]e|licen[cs]e plate|permits? (?:us|me))
        """,
    ),
)
