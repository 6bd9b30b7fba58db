"""The gatekeeper: whether an exchange is worth storing at all, by patterns or a language model."""
