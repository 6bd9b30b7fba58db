"""The page Storing."""
