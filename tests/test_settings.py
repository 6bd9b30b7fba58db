"""Settings from the environment, a file and defaults, and their errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from convgate.core.errors import SettingsError
from convgate.core.settings import SELECTING, Settings, load_settings, setting_fields


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
    write(convgate_home / "convgate.toml", 'guard.webhook = "htps://hooks.example.com/s3cret"')
    with pytest.raises(SettingsError, match=r"guard\.webhook") as error:
        load_settings()
    assert "s3cret" not in str(error.value)
    assert "s3cret" not in repr(Settings(guard={"webhook": "https://hooks.example.com/s3cret"}))


@pytest.mark.parametrize(
    "content", ["a." * 32_000 + "b = 1", "policy_parameters." + "a." * 1_000 + "b = 1", "# line\n" * 10_000]
)
def test_file_or_line_over_the_limit_is_refused_unparsed(
    convgate_home: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    write(convgate_home / "convgate.toml", content)
    monkeypatch.setattr("tomllib.loads", None)
    with pytest.raises(SettingsError, match="too large"):
        load_settings()


def test_unwritable_characters_are_replaced_in_texts_and_kept_in_paths() -> None:
    settings = Settings(
        policy="a\ud83d",
        budget={"intents": {"b\0": "\udcff"}},
        session={"new_commands": ("\ud83d",)},
        gatekeeper={"rules": Path("/tmp/\udcff")},
    )
    assert settings.policy == "a\ufffd"
    assert settings.budget.intents == {"b\ufffd": "\ufffd"}
    assert settings.session.new_commands == ("\ufffd",)
    assert str(settings.gatekeeper.rules).endswith("\udcff"), "a file's name need not be UTF-8"


def test_a_setting_nested_too_deep_is_an_error(convgate_home: Path) -> None:
    write(convgate_home / "convgate.toml", "policy_parameters." + "a." * 980 + "b = 1")
    with pytest.raises(SettingsError, match="policy_parameters"):
        load_settings()


def test_the_environment_sets_one_setting_of_a_section_of_the_file(
    convgate_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(convgate_home / "convgate.toml", "[budget]\ntokens = 900\nfilter = false\n[session]\nrecall = 2\n")
    monkeypatch.setenv("CONVGATE_BUDGET_TOKENS", "30")
    monkeypatch.setenv("CONVGATE_BUDGET_INTENTS", '{"ship": "TASK"}')
    settings = load_settings()
    assert (settings.budget.tokens, settings.budget.filter) == (30, False)
    assert settings.budget.intents == {"ship": "TASK"}
    assert settings.session.recall == 2
    changed = settings.updated(budget={"tokens": None}, policy="bm25")
    assert (changed.budget.tokens, changed.budget.filter, changed.policy) == (None, False, "bm25")


def test_an_unknown_setting_of_a_section_is_named_with_those_that_are_there(convgate_home: Path) -> None:
    write(convgate_home / "convgate.toml", "[budget]\ntoken = 900\n")
    with pytest.raises(SettingsError, match=r"no setting 'budget\.token'; there are tokens, by_mode"):
        load_settings()
    write(convgate_home / "convgate.toml", "budget = 900\n")
    with pytest.raises(SettingsError, match=r"convgate\.toml, budget: .*dictionary"):
        load_settings()


def test_a_wrong_value_of_a_candidates_file_is_not_said_to_be_the_environments(
    convgate_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONVGATE_MIN_TURNS", "2")
    base = load_settings()
    with pytest.raises(SettingsError, match=r"candidate\.toml, min_turns: .*got -1"):
        load_settings(write(tmp_path / "candidate.toml", "min_turns = -1"), base=base)


def test_what_selecting_depends_on_names_settings() -> None:
    for name, inner in SELECTING.items():
        for part in inner if isinstance(inner, set) else ():
            assert f"{name}.{part}" in setting_fields()
    assert "clean_up_at_start" not in SELECTING["session"], "another machine would remove its sessions"
    assert Settings().model_dump(include=dict(SELECTING)).keys() == SELECTING.keys()
