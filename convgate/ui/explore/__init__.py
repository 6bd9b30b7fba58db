"""The page Explore, by subject: what is looked at, what it leads to, how it is drawn."""
