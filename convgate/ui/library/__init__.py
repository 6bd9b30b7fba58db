"""The Library: the conversations, ways to add some, and the data folder."""
