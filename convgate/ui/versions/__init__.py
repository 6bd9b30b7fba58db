"""The page Versions: the list, one version's card, what can be done with it."""
