"""One module per transcript format; general ones here, the others by what writes them."""
