"""Public corpora: the files of their repositories turned into relevance sets, one module each.

A new corpus is a module here, an entry in `__main__.py`, and one in `convgate/training/corpora.py`.
"""
