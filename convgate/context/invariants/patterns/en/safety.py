"""English: what is safety-critical: facts that bind by themselves, and subjects that make an obligation one."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

FACTS = (
    Pattern(
        "fact",
        "allergy",
        r"""
            allerg(?:y|ies|ic|en|ens)|anaphyla[a-z]*|epi.?pens?|intoleran(?:t|ce|ces)|c(?:o|oe)liacs?|celiacs?
            |(?:can't|cannot|can not|mustn't|not allowed to) (?:have|eat|tolerate|touch|digest|drink) (?:[a-z]+ ){0,3}(?:nuts?|peanuts?|gluten
            |dairy|lactose|milk|eggs?|shellfish|fish|soy|wheat|alcohol|sugar|anything)
            |can't swallow[a-z ]*|trouble swallowing|peanut.free|nut.free|allergic|g6pd|phenylketonuri[a-z]*
        """,
        unless=r"""
            allergic to (?:meetings|work|mornings|mondays|small talk|drama|boilerplate|effort|exercise|xml
            |javascript|java|jargon|buzzwords|bullshit|stupidity|[a-z]*scrum)
            |(?:no|not|isn't|aren't|any|without|hasn't any|zero) (?:known |food |have |got )?(?:allerg[a-z]*|intoleran[a-z]*)
            |(?:about|film|movie|book|novel|story|character|play|series)[^.!?\n]{0,60}allerg[a-z]*|(?:hay fever|allergy) season|fault.intoleran
        """,
    ),
    Pattern(
        "fact",
        "allergy to less",
        r"allergic [^.!?\n]{0,60}[, ](?:but|only|just) (?:only )?to [a-z]+|it's [a-z ]{1,40} (?:that )?(?:i'm|he's|she's|they're|is) allergic to",
    ),
    Pattern(
        "fact",
        "pregnancy",
        r"""
            (?:i'm|im|i am|is|she's|shes|being|'s|currently|am|are) (?:also |now |currently |about |already |[0-9]+ (?:weeks?|months?) )*(?:pregnant|breast.?feeding
            |nursing (?:a|my|our|her))|[0-9]+ (?:weeks|months) pregnant|c-section|caesarean|trimester|expecting (?:a baby|our|twins|in)|pregnant (?:wife|woman|women|girlfriend|sister|daughter|colleague|guests?|friend)
        """,
    ),
    Pattern(
        "fact",
        "illness",
        r"""
            (?:have|has|had|having|got|with|is|am|i'm|are|he's|she's|suffers? from|diagnosed with|history of|a|an|severe|my|his|her|'s|being|their|type [12]) (?:[a-z0-9'-]+ ){0,3}(?:diabet(?:es|ic)|epilep(?:sy|tic)|asthma(?:tic)?
            |h(?:a?e)mophilia[a-z]*|pacemaker|kidney (?:disease|failure|problems?|stones?|transplant|trouble)|liver (?:disease|failure|problems?)
            |heart (?:disease|failure|condition|problems?|attacks?|transplant|arrhythmia|murmur)|high blood pressure|hypertension|hypertensive|dementia|alzheimer'?s
            |arrhythmia|aneurysm|immuno?.?compromised|immuno?.?suppressed|cancer|chemo(?:therapy)?|seizures?|stroke|stomach ulcers?|ulcers?|copd|glaucoma
            |slipped discs?|herniated disc|osteoporosis|brittle bones|lupus|crohn'?s|hypoglyc[a-z]+|anorexi[ac]|eating disorders?|bulimi[ac]|gallstones?|hernia|migraines? with aura|tachycardia|transplant|favism|gout|sleep apn(?:o)?ea
            |recovering alcoholic|alcoholic|suicidal|vertigo|concussion|blood clots?|thrombosis|broken (?:leg|arm|wrist|foot|ankle|hip|rib)|torn (?:acl|meniscus|ligament)
            |sickle cell|multiple sclerosis|parkinson'?s|hiv|weak heart|angina|pre.?eclampsia|deaf|blind|visually impaired)
        """,
        unless=r"""
            alcoholic (?:drinks?|beverages?)|blind (?:spot|test|date|taste|study)|deaf ear|heart attack (?:when|from laughing)|double.blind|color blind|colour.?blind
            |cancer (?:charity|research|fund|society|run)|stroke (?:width|color|colour|order)|(?:back|breast) ?stroke|is blind(?:ly)?\b
            |(?:no|not|without|book|paper|essay|article|talk|study|novel|thesis) (?:about |on |of |any )?(?:diabetes|asthma|epilepsy|heart|cancer|dementia)
        """,
    ),
    Pattern(
        "fact",
        "medicine",
        r"""
            (?:take|takes|taking|on|prescribed|uses?) (?:[a-z0-9'-]+ ){0,3}(?:warfarin|blood thinners?|anticoagulants?|insulin|lithium|ssris?|antidepressants?|maois?|metformin|statins?
            |beta.?blockers?|immunosuppressants?|methotrexate|prednisone|cortisone|levothyroxine|xarelto|eliquis|apixaban|rivaroxaban|heparin
            |ramipril|lisinopril|metoprolol|sertraline|fluoxetine|citalopram|antibiotics|amoxicillin|medication|medications|meds|opioids?|oxycodone|morphine
            |digoxin|amiodarone|clopidogrel|marcumar|phenprocoumon|isotretinoin|accutane|antihistamines?|ritalin|benzos?|benzodiazepines?|valproate|tamoxifen)
            |(?:doctor|vet|dentist|surgeon|midwife|physio) (?:has |just )?(?:forbade|forbids|forbidden|banned|warned)|doc (?:says?|said)|sends? (?:him|her|me|them) to (?:the )?hospital|(?:is|are|be|remains?|stays?|strictly|kept|keep) (?:strictly |absolutely |all |it |this )?confidential|(?:my|his|her|the|our|their) (?:doctor|pharmacist|nurse|allergist|dermatologist|psychiatrist|therapist|orthopaedist|cardiologist|physician|paediatrician|pediatrician|surgeon|midwife|vet|physio|gp|oncologist|dentist|physiotherapist) (?:has |strictly |explicitly )*
            (?:said|says|forbade|forbids|told|warned|insists?|insisted|wants|banned|ordered) [^.!?\n]*(?:no|not|never|avoid|must|only|at most|don't|off|without|limit|max)
        """,
    ),
    Pattern(
        "fact",
        "danger to life",
        r"""
            (?:could|can|would|might|will|may|be|is|are) (?:[a-z]+ )?(?:kill|lethal|deadly|fatal|life.threatening|electrocute[a-z]*|poison(?:ous)?)
            |(?:he|she|child|kids?|children|dog|cat|someone|people|patients?|i|we|they|baby|son|daughter) (?:could|can|would|might|will|may|nearly|almost) (?:[a-z]+ )?(?:die|died|choked?|drown(?:ed)?|suffocated?|be killed|go blind|faint)
            |goes into shock|anaphylactic shock|ends? up in (?:hospital|the er|a&e)|(?:is|are) (?:poisonous|toxic|lethal|deadly|flammable|explosive)|(?:can't|cannot|can not) swim|(?:toddler|baby) puts
        """,
        unless=r"""
            (?:could|would|might|will|can) (?:kill|die) (?:for|time|to|two birds|the (?:mood|process|job))|die (?:of laughter|laughing|for)|(?:is|are) live (?:now|on|at|since|in)
            |kill (?:the )?(?:process|job|server|pod|time|it)|(?:process|server|pod|battery|phone|connection|container|job|app|program|thread|screen|laptop|engine)s? (?:[a-z]+ )?dies
            |(?:it|build|deploy|script|service|pipeline|container) dies|plants? die[sd]?|(?:plants?|leaves|flowers|lettuce|tomatoes) (?:[a-z]+ )?dies?|die cut|toxic (?:masculinity|culture|boss|relationship)|fatal error
        """,
    ),
)

SUBJECTS = (
    Pattern(
        "subject",
        "health",
        r"""
            health|doctor(?:'?s)?|surgeon|physio[a-z]*|cardiologist|medic(?:al|ation|ations|ine|ines)|meds|drugs?|doses?|dosage|overdose|pills?|tablets?|ibuprofen|aspirin|paracetamol|acetaminophen
            |[0-9]+ ?mg|[a-z]{3,}(?:formin|pril|statin|cillin|mycin|prazole|olol|azepam|oxacin|sartan|coxib|oxetine)|symptoms?|pain|injur(?:y|ies|ed)|surgery|operation on|post.?op|patients?|diagnos[a-z]+|therap(?:y|ist)|blood (?:pressure|sugar|thinner|thinners)
            |pregnan(?:t|cy)|diabet(?:es|ic)|gluten|nuts?|peanuts?|almonds?|walnuts?|hazelnuts?|cashews?|sesame|shellfish|shrimps?|prawns?|lactose|dairy|raw (?:egg|eggs|meat|fish|milk)|alcohol|honey|mercury
            |salt|sodium|grapefruit|kosher|infections?|steril[a-z]+|hygien[a-z]+|raw|undercooked|reheat|salmonella|mould|mold|heart rate|bpm|knees?|spine|lower back|disc|blood
            |vaccin[a-z]+|vet|lil(?:y|ies)|xylitol|bad (?:back|heart|knee|knees|hip)|calorie counts?|dogs? (?:can't|must|may)|cats? (?:can't|must|may)|pharmacist|swallow[a-z]*|choke
        """,
        unless=r"""
            (?:salt|raw) (?:lake|data|text|string|html|sql|json|bytes|numbers|strings|material|wood)|raw(?:_|[.])|pain point|nuts and bolts|symptoms? of the bug|blood type
            |(?:nuts|nut) (?:and|&) bolts|hot dogs?|tablets? (?:and phones|layout|view|screen)|phones? and tablets?|(?:on|for) tablets?|salt(?:ed)? (?:and|the) hash|pain in the|health.?check
        """,
    ),
    Pattern(
        "subject",
        "people",
        r"""
            safety|safe|unsafe|dangerous|danger|hazard[a-z]*|risk|risky|risks|injure|hurt|harm|child|children|kids?|toddlers?|baby|babies|infants?|newborn|minors?|boy|girl|choking|small parts|drown[a-z]*
            |unsupervised|alone in the water|stove|oven|knife|knives|scissors|helmets?|life ?(?:jacket|vest)s?|seat.?belts?|harness|rope|belay|ladder|scaffold[a-z]*|avalanche|roof|stairs alone
            |emergency|exits?|escape route|evacuat[a-z]+|load.?bearing|weight limit|crane|chainsaw|saw|ppe|goggles|gloves|respirator|mask|brakes?|tyres?|tires?|speed limit|drunk|driver|pool|gives? way|collapse[sd]?|power (?:is|must be|has to be|stays) off|power off|switched off|unplugged
            |swim|lifeguard|weapon|guns?|self.?harm|suicid[a-z]+
        """,
        unless=r"""
            unsafe (?:code|blocks?|rust|keyword)|(?:type|thread|memory|null).?saf(?:e|ety)|safe (?:mode|defaults?|for work|to (?:say|assume))|risk (?:free|it|appetite|premium)|at the risk of
            |(?:google |hard |thumb |usb |flash |test )drives?|drive (?:folder|a|traffic)|hard drive|(?:thread|connection|worker|db|database) pool|child (?:process|component|class|node|element|row)[a-z]*|exit (?:code|status|fee)
            |children.s books?|kids?(?:'s)? (?:book|song|menu)|mask(?:ed|ing)? (?:the|email|values)|(?:image|bit|attention|input|network|subnet) mask|rope.?s? of
        """,
    ),
    Pattern(
        "subject",
        "fire, electricity, chemistry",
        r"""
            fire|fires|flames?|candles?|burn|burns|burning|flammable|smoke|gas|propane|carbon monoxide|explo(?:de|des|sive|sion)|electric(?:al|ian|ity)?|mains|breakers?|fuse|fuses|fuse box|voltage|volts?|[0-9]+ ?v|fuse box|main switch|live wires?|wiring|wires?
            |socket|sockets|outlets?|grounded|earthed|rcd|amps?|current|short circuit|batter(?:y|ies)|lithium|capacitors?|acid|acids|bleach|ammonia|chemicals?|corrosive|solvents?|acetone|lye|chlorine|poison(?:s|ous)?
            |toxic|pesticides?|herbicides?|glyphosate|fumes?|asbestos|lead paint|fume hood|peroxide|pellets|boiler|pressure cooker|lab|laboratory|generator|barbecue indoors|extinguisher|drain cleaner|drill into|gas line
        """,
        unless=r"""
            (?:current|currently) (?:state|version|user|branch|year|month|directory|value|page|style|tone|design|behaviou?r|format|setup|layout|api|folder|one|draft|file|week|job|employer|plan|price|schema)|(?:open|web|net|tcp|udp|unix|ssl|domain|raw).?sockets?|socket (?:io|connection|timeout)
            |wire.?frames?|fire (?:off|up|the event|events|a)|(?:factory |retail |tech )outlets?|acid (?:test|compliant|transactions?)|burn.?(?:rate|down|out)|amino acids?|fired|current\b [a-z]+|smoke tests?|circuit breaker|staples? of
        """,
    ),
    Pattern(
        "subject",
        "security and secrets",
        r"""
            secur(?:e|ity|ely)|passwords?|passphrases?|secrets?|credentials?|tokens?|tls|ssl|api.?keys?|private keys?|ssh keys?|keys? in (?:the )?(?:repo|code|logs?|git)|encrypt(?:ed|ion)?|unencrypted|plain.?text|hash(?:ed|ing)?|vault|env files?|dotenv|hsm|server keys?|parameteri[sz]ed|user input|escaped?|certificates?|2fa|mfa|sql injection
            |injection|xss|csrf|vulnerab[a-z]+|malware|phish[a-z]*|firewall|vpn|root access|admin (?:rights|access|password)|sudo|permissions?|public(?:ly)? (?:bucket|s3|internet)|hardcod[a-z]*|hard.?cod[a-z]*|root login|port [0-9]+|open to the internet|(?:in|to|from) (?:the )?(?:public )?(?:repo|logs?|git)|iban|pins?\b|eval
        """,
        unless=r"""
            (?:max|output|input|context|[0-9]+|prompt|design|lexer|parser|css|color|colour|special|next|per) tokens?|tokens? (?:limit|count|budget|window|per)|(?:limit|cap|max|under|below|at most|than) [0-9k,.]* ?tokens|tokens? (?:are|is|is|be) (?:counted|long)
            |secret (?:santa|ingredient|sauce|weapon|admirer)|hash ?(?:map|table|tag)s?|plain text (?:only|please|format|email|mail)?|pin code of|job security|security deposit|social security (?:office)|public transport|(?:git|repo) (?:log|branch|history)
            |in plain text\b|plain.?text (?:only|and|no|without|mail|file|version)|only plain text|hardcode (?:colou?rs?|strings?|widths?|numbers?|values?|paths?|the path|px|pixel)
        """,
    ),
    Pattern(
        "subject",
        "private data",
        r"""
            (?:personal|private|customer|client|patient|user|sensitive|confidential|health|employee|salary|medical|payment|student|pupils?'?) (?:data|info|information|details|records?|names?|addresses|emails?|numbers|files?)
            |privacy|private|confidential(?:ity)?|gdpr|dsgvo|hipaa|ccpa|pci(?:.dss)?|pii|personally identifiable|real names?|(?:home|email|street|postal|ip) address(?:es)?|phone numbers?|anonymi[sz]ed?|anonymous(?:ly)?|pseudonym[a-z]*|nda|embargo
            |credit.?cards?|card numbers?|social security numbers?|ssn|date of birth|birth dates?|faces?|informants?|whistleblowers?|witness(?:es)?|victims?|photos? of (?:the |my |our )?(?:kids|children|pupils|students|patients)|data protection|surnames?|last names?|full names?
            |names? of (?:the )?(?:customers|patients|clients|pupils|students|children|employees|colleagues|witnesses|victims)|customers?' names?|(?:order|payment|account|bank|contact) (?:data|details)|addresses|share (?:the |our |my )?data|leave (?:the |our )?(?:network|servers?|premises|eu|country|building|machine)|layoffs?|between us|(?:may|must|can|should)(?:n't| not)? leak|must not get out|salar(?:y|ies)|diagnos(?:is|es)|medical history
        """,
        unless=r"""
            private (?:method|field|variable|function|member|key word|room|beach|tour|lesson|class|pool|parking|repo|bathroom|jet|attribute|property)s?|(?:include|includes|contain|contains|have|show|with|add|list|mention|give|needs?) (?:the |our |my |a |your |his |her )?(?:phone numbers?|address(?:es)?|e?mail address(?:es)?|full names?)|privacy policy page|type face|faces? (?:south|north|a|the)|surface|private(?:ly)? (?:owned|held)
        """,
    ),
    Pattern(
        "subject",
        "data and money loss",
        r"""
            (?:lose|losing|loses|lost|loss of|delete|deleting|deletes?|deleted|overwrite|overwriting|overwritten|overwrites?|wipe|wiping|wiped|erase|drop|truncate|destroy|corrupt|purge|purging|touch) (?:[a-z'-]+ ){0,4}(?:data|database|databases|tables?|rows?|records?|orders?|files?|backups?|photos?|originals?|history|money|customers?|entries|folder|volumes?|snapshots?|accounts?|master|raw data|source data|logs)
            |data loss|loss of data|without (?:a |an |making a |taking a )?(?:fresh |current |full |recent )?(?:back.?up|dump|snapshot)|back.?ups?|(?:delete|deletes?|overwrite|remove) (?:anything|something|everything)|back(?:ed)? up|rm -rf|drop table|irreversibl[ey]|force.?push(?:es)?|emergency fund|life savings|retirement (?:money|fund|savings)
            |(?:the|my|our) originals?|double.?charg[a-z]+|(?:get|gets|be|go|goes|gone|getting) lost|lose (?:the |my |our )?capital|charged? twice|pay(?:ment)?s? twice|booked twice|refund without|transfer money|leverage|margin (?:loan|trading|call)|speculat[a-z]+|(?:rent|college|school|tuition) money|money
        """,
        unless=r"""
            (?:drop|delete) (?:the |a )?(?:column|line|word|sentence|paragraph|comment|adjective|comma)s?|money (?:laundering lecture)|(?:not|no) money (?:problem|issue)|save money|original (?:text|tone|title|meaning|author|wording|language|idea|style|version|recipe|series|film)
        """,
    ),
    Pattern(
        "subject",
        "production",
        r"""
            prod|production|live (?:system|site|server|database|db|data|environment|shop|account|accounts|traffic|cluster|customers?)|(?:down|outage|zero.?downtime|downtime|without downtime)|customer.facing|main(?:line)? (?:shop|database|db)|payment (?:system|service|provider|gateway)|real (?:customers?|users?|money|accounts?|orders?|payments?|e?mails?)|(?:stay|stays|remain|keep) (?:online|up|available)|trading system|master (?:database|db)
        """,
        unless=r"(?:down (?:to|the|by|and|with|below|jacket|from|here|a)|cut down|slow down|break down|write down|calm down|sit down|scroll down|top.down|up and down|production (?:line|company|value|values|cost|of)|(?:film|theatre|theater|video|music|food|milk|wine|mass) production|[a-z]+ down)\b",
    ),
    Pattern(
        "subject",
        "law",
        r"""
            law|laws|legal(?:ly)?|illegal|crime|audit(?:ors?|s)?|fined|equality act|lawyer|attorney|court|judge|lawsuit|sue|liab(?:le|ility)|regulation|regulations|regulator[a-z]*|regulatory|(?:gdpr|hipaa|pci|legally|sox|tax|law).complian(?:ce|t)|compliance|tax (?:office|law|authority|fraud)|copyright(?:ed)?|licen[cs]e of|gpl|licen[cs]es?
            |contract(?:ual)?(?:ly)?|statut[a-z]+|permits?|visa|customs|police|criminal|offen[cs]e|discriminat[a-z]+|defam[a-z]+|libel[a-z]*|sued|fda|osha|building code|fire code|works council|notary|under ?age|minors|legal advice|medical advice|promise (?:a |any )?(?:cure|healing)
        """,
        unless=r"(?:law of|murphy's law|in.laws?|mother.in.law|father.in.law|sister.in.law|brother.in.law|data contract|contract (?:test|type)s?|(?:tennis|basketball|food) court|visa (?:card|debit)|judge (?:me|for yourself)|no offen[cs]e|licen[cs]e plate|permits? (?:us|me))",
    ),
)
