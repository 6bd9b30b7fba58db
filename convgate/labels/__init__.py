"""Labels as others use them: what counts as true, files of labels, feedback from agents."""
