"""Settings come from the environment, a file and defaults, in this order, and say what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from convgate.core.errors import SettingsError
from convgate.core.settings import Settings, load_settings


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_without_anything_set_the_defaults_hold(convgate_home: Path) -> None:
    settings = load_settings()

    assert settings.home == convgate_home
    assert settings.database == convgate_home / "convgate.db"
    assert (settings.encoder, settings.device, settings.threshold_rule) == ("all-MiniLM-L6-v2", "cpu", None)
    assert settings.encoder_dtype == "auto"


def test_the_environment_outranks_the_file_and_the_file_the_defaults(
    convgate_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        convgate_home / "convgate.toml",
        'encoder = "bm25"\ndevice = "cuda:1"\nthreshold_rule = "absolute"\n'
        "[threshold_parameters]\nthreshold = 0.7\n",
    )
    monkeypatch.setenv("CONVGATE_ENCODER", "cosine")

    settings = load_settings()

    assert settings.encoder == "cosine"
    assert settings.device == "cuda:1"
    assert settings.threshold_rule == "absolute"
    assert settings.threshold_parameters == {"threshold": 0.7}
    assert settings.upload_limit_mb == 200


def test_a_named_file_takes_the_place_of_the_usual_one(
    convgate_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(convgate_home / "convgate.toml", 'encoder = "bm25"')
    other = write(tmp_path / "other.toml", 'encoder = "hybrid"')

    assert load_settings(other).encoder == "hybrid"

    monkeypatch.setenv("CONVGATE_CONFIG", str(other))
    assert load_settings().encoder == "hybrid"


def test_the_webhook_is_quoted_nowhere(convgate_home: Path) -> None:
    write(convgate_home / "convgate.toml", 'guard_webhook = "htps://hooks.example.com/s3cret"')
    with pytest.raises(SettingsError, match="guard_webhook") as error:
        load_settings()
    assert "s3cret" not in str(error.value)
    assert "s3cret" not in repr(Settings(guard_webhook="https://hooks.example.com/s3cret"))


DEEP = "[" * 20_000 + "]" * 20_000
DIGITS = "9" * 5_000


@pytest.mark.parametrize(
    "text",
    [
        f"session_new_commands = {DEEP}",
        "session_new_commands = " + "[\n" * 20_000 + "]\n" * 20_000,
        "policy_parameters = " + "{a=" * 400 + "1" + "}" * 400,
        f"upload_limit_mb = {DIGITS}",
        "upload_limit_mb = 0x" + "f" * 1_900,
        f"min_turns = {DIGITS[:1_900]}",
        "session_retention_days = 1e300",
        "gatekeeper_timeout = 1e300",
        ".".join("a" * 30_000) + " = 1",
        f"{'k' * 200_000} = 1",
        f'device = """\n{"long " * 12_000}"""',
        f'device = """\n{(" long" * 300 + chr(10)) * 30}"""',
        "".join(f"unknown{number} = 1\n" for number in range(3_000)),
        "# a comment\n" * 1_000_000,
    ],
    ids=range(14),
)
def test_a_file_without_measure_is_refused_in_a_few_words(convgate_home: Path, text: str) -> None:
    write(convgate_home / "convgate.toml", text)

    with pytest.raises(SettingsError) as refused:
        load_settings()
    assert len(str(refused.value)) < 8_000


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("SESSION_NEW_COMMANDS", DEEP),
        ("SESSION_NEW_COMMANDS", f"[{DIGITS}]"),
        ("SESSION_NEW_COMMANDS", "[" * 100 + "]" * 100),
        ("POLICY_PARAMETERS", f'{{"k": [{DIGITS}]}}'),
        ("POLICY_PARAMETERS", "x" * 100_000),
        ("DEVICE", "x" * 100_000),
        ("MIN_TURNS", DIGITS),
    ],
    ids=range(7),
)
def test_a_variable_without_measure_is_refused_in_a_few_words(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(f"CONVGATE_{variable}", value)

    with pytest.raises(SettingsError, match="CONVGATE_") as refused:
        load_settings()
    assert len(str(refused.value)) < 1_000
