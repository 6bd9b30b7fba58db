"""What all rooms that read wording share: folded text, and one linear classifier of texts."""
