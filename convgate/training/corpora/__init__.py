"""Public corpora: the files of their repositories turned into relevance sets, each by a rule of its own.

    relevance_set = read_tiage(Path("tiage"), split="train")
    write_relevance_set(relevance_set, "tiage.train.jsonl")

Nothing is downloaded: a path is a checkout of the repository, or the file itself. A new corpus is a file
here and an entry in `recognise.py`.
"""
