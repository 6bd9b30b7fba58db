"""The page Tune: what a threshold does on labelled turns, which decisions flip, and saving it."""
