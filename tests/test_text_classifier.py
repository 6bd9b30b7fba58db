"""The shared text classifier: n-grams, fitting, signs, file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from convgate.core.errors import ClassifierError
from convgate.embedding.states import MAX_CHARACTERS
from convgate.text.linear import TextModel, count_ngrams, read_model
from tests.fakes import FakeEncoder
from tools.text_fitting import fit, write_model

LABELS = ("rule", "thanks", "error", "never seen")
TEXTS = [
    "keep it dry, always",
    "keep it dry, whatever it takes",
    "thanks a lot",
    "thanks, see you",
    "it fails",
    "it fails again",
]


@pytest.fixture(scope="module")
def model() -> TextModel:
    labels = ["rule", "rule", "thanks", "thanks", "error", "error"]
    return fit(
        list(map(count_ngrams, TEXTS)),
        FakeEncoder(8).encode(TEXTS),
        labels,
        LABELS,
        penalty=50.0,
        vector_scale=0.1,
    )


def test_it_knows_the_texts_that_it_was_fitted_to_and_says_by_which_words(model: TextModel) -> None:
    shares = model.probabilities(list(map(count_ngrams, TEXTS)), FakeEncoder(8).encode(TEXTS))
    assert shares.argmax(axis=1).tolist() == [0, 0, 1, 1, 2, 2]
    assert np.allclose(shares.sum(axis=1), 1, atol=1e-5)
    assert "keep" in model.signs(count_ngrams(TEXTS[0]), "rule")
    assert model.signs({}, "rule") == ()


def test_little_of_a_long_text_is_read() -> None:
    runs = count_ngrams("why " * MAX_CHARACTERS + "it keeps failing")
    assert runs["why"] ** 2 <= MAX_CHARACTERS
    assert "keeps failing" in runs


def test_the_file_gives_the_same_model_back(model: TextModel, tmp_path: Path) -> None:
    written = replace(model, doubt=0.1, info={"from": "me"})
    write_model(written, tmp_path / "deep" / "model.safetensors")
    read = read_model(tmp_path / "deep" / "model.safetensors", LABELS, "")
    assert (read.names, read.doubt, read.info) == (model.names, 0.1, {"from": "me"})
    assert np.array_equal(read.runs, model.runs)


def test_a_model_with_other_labels_is_an_error(model: TextModel, tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    write_model(replace(model, labels=("a", "b", "c", "d")), file)
    with pytest.raises(ClassifierError):
        read_model(file, LABELS, "fit it")


def test_a_missing_or_damaged_file_says_what_to_run(model: TextModel, tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    for content in (None, b"nonsense"):
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(ClassifierError, match=r"cannot be read.*run `fit it`"):
            read_model(file, LABELS, "fit it")
