"""Which kind of interaction a message is, and what that kind wants of the history."""
