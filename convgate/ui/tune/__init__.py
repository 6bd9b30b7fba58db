"""The page Tune, by subject: data, goal, what a threshold does there, which turns flip, what is kept."""
