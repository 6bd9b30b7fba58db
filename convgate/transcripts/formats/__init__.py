"""One file a format; `convgate.transcripts.registry` lists them."""
