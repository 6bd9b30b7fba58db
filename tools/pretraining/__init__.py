"""What the weights that ship are trained on, made of conversations and written texts."""
