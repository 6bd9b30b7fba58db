"""The page Compare: policies on labelled conversations, then on one conversation."""
