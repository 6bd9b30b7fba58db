"""What a statement is by how it reads, learned from labelled ones, beside the words that patterns know."""
