"""French: words that patterns name."""

NAMED = {
    "polite": """
        (?:(?:et|mais|donc|alors|puis|ok|bonjour|salut|s'il (?:te|vous) plait|svp|merci de|veuillez
        |il faut) )*
    """,
    "very": """
        (?:(?:vraiment|aussi|beaucoup|surtout|toujours|personnellement|nettement|largement|plutot
        |tellement|bien|de loin) )*
    """,
    "noun": "(?:equipe|groupe|societe|entreprise|boite|service)",
    "mind": """
        (?:savoir|comprendre|apprendre|demander|voir|connaitre|verifier|dire|te|vous|etre|remercier
        |parler|discuter)
    """,
}
