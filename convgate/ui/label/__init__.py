"""The page Label: one card with one question, what is worked on, and import, export and agreement below."""
