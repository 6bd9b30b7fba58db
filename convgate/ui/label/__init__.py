"""The page Label, by subject: what is worked on, the question that is asked, agreement, files."""
