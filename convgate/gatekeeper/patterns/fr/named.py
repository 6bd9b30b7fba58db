"""French: words that patterns name."""

NAMED = {
    "polite": r"""
        (?:(?:et|mais|donc|alors|puis|ok|bonjour|salut|s'il (?:te|vous) plait|svp|merci de|veuillez
        |il faut) )*
    """,
    "very": r"""
        (?:(?:vraiment|aussi|beaucoup|surtout|toujours|personnellement|nettement|largement|plutot
        |tellement|bien|de loin) )*
    """,
    "noun": "(?:equipe|groupe|societe|entreprise|boite|service)",
    "mind": r"""
        (?:savoir|comprendre|apprendre|demander|voir|connaitre|verifier|dire|te|vous|etre|remercier
        |parler|discuter)
    """,
}
