"""Folded text, words and stems, and the linear classifier of texts: what rooms that read wording share."""
