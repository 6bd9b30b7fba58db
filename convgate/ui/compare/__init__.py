"""The page Compare, by subject: what is put side by side, what each decides, how they differ."""
