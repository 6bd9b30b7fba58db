"""The Rules page: what is worth storing, by which words, and rules of one's own."""
