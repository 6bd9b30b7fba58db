"""One linear text classifier, which serves the modes of messages and the kinds of statements."""
