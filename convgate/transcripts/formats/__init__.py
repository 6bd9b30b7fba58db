"""One module for each transcript format, or for what some of them share; `registry` lists them."""
