"""The page Sessions: the boundaries of one conversation, with edits and rules; and stored sessions."""
