"""English: further subjects, dangerous to data, money and rights: secrets, people's data, systems, law."""

from __future__ import annotations

from convgate.gatekeeper.pattern import Pattern

INFORMATION = (
    Pattern(
        "subject",
        "secrets and access",
        r"""
            (?:deploy|signing|host|access|license|encryption|master|service|aws|gcp|azure|stripe|admin
            |production|prod|backup|gpg|pgp|ssh|root|shared|session|cookie|webhook|oauth|bot|bearer|jwt
            |refresh|personal|github|slack|discord|api) (?:keys?|tokens?|secrets?|passwords?
            |credentials?)|keys (?:come|live|belong|stay|sit|are|don't|must|never|may|go)|keychain
            |vaults?|key ?stores?|two.factor|pass ?codes?|pass ?phrases?|pins?|otp|one.time (?:codes?
            |passwords?)|seed phrase|recovery (?:codes?|phrase)|private repos?|service accounts?
            |access (?:rights|control|tokens?)|unauthori[sz]ed|authenticat(?:ed|ion)
            |log(?:ged)? ?in attempts|lock (?:the )?accounts?|brute.?force|rate.?limit(?:ed|ing)? login
            |sandbox(?:ed)?|untrusted|user.supplied|sanitis?z?[a-z]*|inject[a-z]*|exploit[a-z]*
            |backdoors?|hackers?|attackers?|burglars?|thieves|stalkers?|scammers?|fraud[a-z]*
            |social engineering|spoof[a-z]*|leak(?:s|ed|ing|age)?|disclos[a-z]+|expos(?:e|es|ed
            |ing) (?:the|our|any|it|to|internal|port|them)|internal (?:hosts?|ips?|urls?|network|only
            |systems?)|air.?gapped|on.?prem[a-z]*|our own (?:machines?|servers?|network|hardware)
            |third.part(?:y|ies)|cloud (?:services?|notebooks?|storage|providers?)|ad networks?
            |trackers?|tracking|telemetry|analytics|external (?:services?|apis?|servers?|llms?)
            |outside the (?:company|firm|team|office|building|eu|network|family|practice)
            |home (?:address|number)|whereabouts|find out where|(?:my|her|his) ex|(?:customer|user
            |order|member|patient|payment|client) (?:database|db|tables?|records?|files?)
        """,
        unless=r"""
            (?:memory|water|oil|gas|tap|roof|air|coolant) leak(?:s|ed|ing)?|leak(?:s|ed|ing)?
             (?:memory|water|oil)|dependency injection|inject(?:ed|s|ion)? (?:the|a|an|dependenc[a-z]+
            |humou?r|into the constructor)|(?:tracking|order|issue|bug|time|eye|motion|progress)
             (?:number|codes?|pixel|plans?|sheets?|trackers?|tracking)|(?:bowling|drawing|hair|safety
            |bobby|map|push|clothes|rolling) pins?|pins? (?:by|the (?:version|post)|[0-9]+|to|down
            |it|on the board)|(?:pole )?vault(?:ing|ed)|third.party (?:librar[a-z]+|packages?
            |dependenc[a-z]+|modules?|jars?|plugins?|code|tools?|cookies notice|licen[cs]es?|css|js
            |widgets?|frameworks?)|no third.part(?:y|ies)(?:{end}| lib[a-z]*| pack[a-z]*| dep[a-z]*)
            |exposed (?:ridge|brick|beam|film)|overexposed|(?:google |web )?analytics (?:team|report
            |course|dashboard)|piano keys|arrow keys|(?:primary|foreign|partition|sort|dictionary
            |dict|json|object|natural|surrogate|composite) keys?|keys (?:are|must|stay|go) (?:snake
            |camel|lower|upper|kebab|sorted|strings|in (?:snake|camel|alphabetical|lower))|keys are
             (?:sorted|strings)|untracked|soundtrack
        """,
    ),
    Pattern(
        "subject",
        "people's data",
        r"""
            (?:patients?|clients?|customers?|pupils?|students?|donors?|witness(?:es)?|victims?|users?
            |kids?|children|child|employees?|colleagues?|members?|tenants?|residents?|guests?
            |neighbou?rs?|respondents?|participants?|interviewees?|applicants?|candidates?|readers?
            |borrowers?|subscribers?|volunteers?|sources?|informants?|players?|families|family)(?:'s|s'
            |')? (?:real )?(?:names?|addresses|address|data|details|records?|emails?|phone numbers?
            |numbers|photos?|faces|rows|files?|identit(?:y|ies)|histor(?:y|ies)|lists?|ids?
            |birth ?days?|birth ?dates?|diagnos[ei]s|results|surnames?|initials)|(?:names?|surnames?
            |faces|emails?|addresses|photos?|plates?|salaries|ages?|diagnoses|identities|birth ?dates?
            |numbers) (?:of|from) (?:the |our |my |any |real )?(?:patients?|clients?|customers?|pupils?
            |students?|donors?|witness(?:es)?|victims?|users?|kids?|children|employees?|colleagues?
            |members?|tenants?|people|staff)|(?:names?|surnames?|addresses|faces
            |e.?mails) (?:[a-z]+ ){0,2}(?:must not|mustn't|may not|never|don't|do not|can't|cannot
            |aren't|stay out|get (?:removed|blurred|masked|replaced|pseudonymi[sz]ed)) (?:appear
            |be (?:shown|visible|printed|published|in|on|mentioned)|get|show|leave|go|end up|in|shown
            |stored|printed)[a-z ]*|real (?:customer|patient|people|person|user|client|names?|data
            |rows)|(?:loan|purchase|browsing|search|medical|location|call|chat|viewing|borrowing|credit
            |payment|employment|health|criminal|order) (?:histor(?:y|ies)|records?|logs?)|(?:birth|card
            |account|passport|insurance|id|tax|phone|licen[cs]e|plate|nhs|bank|customer|patient|member
            |personnel|sort|routing) (?:dates?|numbers?|codes?|details|plates?|data|ids?|copies)
            |number plates?|ips\b|ip addresses|geolocation|gps (?:data|coordinates|position)|ssns?
            |social security|biometric[a-z]*|fingerprints?|dna|medical (?:data|records?|notes?|files?
            |details)|sick (?:notes?|leave|days)|sickness|hr files?|pay ?slips?|payroll|wages?
            |screenshots? of (?:customers?|chats?|messages)|confidant|anonym[a-z]+|redact[a-z]*
            |pseudonym[a-z]*|de.?identif[a-z]+|under (?:nda|embargo)|ndas?|embargo(?:ed)?
            |off the record|in confidence|trade secrets?|insider|unreleased|unannounced|not public
            |nobody's business|no one's business|none of (?:their|anyone's) business|in.?house
            |data (?:protection|subject|processing)|consent|opt.?(?:in|out)|gdpr|hipaa|ferpa|cctv
            |cameras? (?:must|may|can't|stay|point|off)|dash.?cams?
        """,
        unless=r"""
            (?:order|phone|account|card|id) numbers? (?:column|field|format)|(?:real|stage|user|file
            |code|variable|function|class|column|table|brand|place|domain|host|branch) names?|game
             players?|player (?:names?|ids?|lists?|numbers?) (?:column|on the board)|reader numbers
            |payment history table|family (?:name|photos?|recipe|history) (?:column|field|book)
            |in.?house (?:counsel|team|font|style|library|framework|tool)s?|fingerprint (?:cookies
            |of the file)|user ?(?:list|ids?|data) (?:page|table|component|endpoint)|search (?:logs?
            |history) (?:page|button)|source (?:files?|data|ids?|list|names?|numbers)
            |member (?:names?|lists?|functions?|variables?)|with (?:my|your|their) consent banner
            |guests? (?:lists?|numbers|names)|nobody's business if
        """,
    ),
    Pattern(
        "subject",
        "systems, money, law",
        r"""
            (?:live|prod|production)(?:[-_ ](?:[a-z0-9]+[-_ ])?)(?:db|data|database|server|box|host
            |cluster|node|env|environment|table|schema|bucket|[0-9]+)|(?:db|database|server|box|host
            |cluster|node|web|app|mysql|postgres|shop)[-_](?:live|prod)[a-z0-9_-]*|/var/lib/[a-z]+
            |customers? (?:are|is) on (?:it|that|this|there)|(?:no|without a|only|one
            |second) (?:second |other )?(?:copy|copies|backups?)|only copy|lost (?:a|an|two|three
            |[0-9]+|one|the|our|my|some|all|half)[a-z' ]{0,20} (?:work|data|files?|bucket|photos?
            |orders?|records?|money|hours|thesis|rows|table|database|day's|week's|chapter)
            |keep(?:s)? my (?:changes|work|data|files)|terraform destroy|says x+ gets|(?:drop|dropped
            |drops|dropping|truncat[a-z]+|wip(?:e|ed|es|ing)|purg(?:e|ed|es)|delet(?:e|ed|es|ing)
            |eras(?:e|ed|es)|overwrit[a-z]+)(?: [a-z']+){0,4} (?:columns?|tables?|database|schema
            |bucket|backups?|snapshots?|volumes?|records?|rows|accounts?|files?|originals?|data
            |histor(?:y|ies)|partition|disk|master)|columns? (?:[a-z']+ ){0,3}dropped|irreversible
            |irrecoverabl[ey]|destructive|migrat(?:e|ion|ions) (?:on|against|without) (?:prod|live
            |production)|force.?push[a-z]*|reset --hard|git clean|chmod 777|as root|running as root
            |failovers?|rollback plan|maintenance window|change freeze|on.?call|pci(?:.dss)?|card data
            |chargebacks?|charg[a-z]+ (?:[a-z]+ ){0,3}twice|double (?:billing|payment|booking|charge)
            |money twice|paid twice|refunded twice|bill(?:ed)? twice|charg(?:e|ed) (?:twice|without)
            |(?:leaves?|from|out of|into|off) (?:the|my|our|his|her) (?:bank |savings |company |joint
             |client )?accounts?|one cent leaves|wire transfers?|payouts?|life savings|pension|mortgage
            |escrow|deposit|trust (?:fund|account)|creditors?|insolven[a-z]+|bankrupt[a-z]*
            |embezzl[a-z]+|prosecut[a-z]+|in breach|breach of|lose (?:the|our|my|his|her) (?:licen[cs]e
            |permit|job|deposit|visa|custody|insurance)|takes? (?:away )?(?:our|my|the) (?:licen[cs]e
            |permit)|fin(?:e|es|ed) (?:by|us|me|of|for)|gets? us fined|trading standards|health claims
            |advertising standards|medicinal claims|healing claims|statute|statutory|by law|the law
            |required by law|working time|labou?r law|employment law|tenancy (?:law|act)|rent control
            |data protection|consumer (?:law|rights)|antitrust|sanction(?:s|ed)|export controls?
            |money laundering|aml|kyc|tax (?:return|rules|deadline|evasion|purposes)|hmrc|irs|auditors?
            |audit(?:ed|s)?|cash basis|accruals?|retention period|seven years|ten years|(?:seven|ten
            |six|[0-9]+) years by law|copyright|plagiari[sz][a-z]*|gpl|agpl|licensed? (?:code|images
            |photos|fonts|under)|defamat[a-z]+|slander|harass[a-z]*|discriminat[a-z]+
            |equal opportunit[a-z]+|under 18s?|under.?age|minors?|age (?:check|limit|verification)
            |safeguard(?:ing)?|custody|restraining order|immigration|asylum|visa|probation
        """,
        unless=r"""
            (?:under|no|any|all|other|our|the|in every|into the|every) (?:english|austrian|german
            |french|swiss|foreign|us|irish|scots|dutch) law|(?:drop|delete|remove) the (?:column|row)s?
             (?:from the (?:csv|dataframe|frame|report|slide|chart)|header)|tax(?:es)? (?:included
            |inclusive|column|field|excluded)|visa (?:card|debit)|deposit (?:slip|column)|audit
             (?:article|trail diagram)|pension (?:poem|essay)|(?:seven|ten) years (?:old|ago|of)
            |vat (?:column|field)|excl(?:uding)? vat|incl(?:uding)? vat|plus vat|on call
             (?:with|to)|probation(?:ary)? period over|(?:vat|tax|taxes) included
        """,
    ),
)
