"""Nouns and small tools that every room uses: conversations, decisions, errors, settings, text, files."""
