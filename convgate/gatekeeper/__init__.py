"""The gatekeeper: whether an exchange is worth storing at all, by its words alone."""
