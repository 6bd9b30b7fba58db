"""Language models of experiments: an OpenAI-compatible endpoint, or a function for tests and dry runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from convgate.core.settings import Settings
from convgate.gatekeeper.model import LanguageModel, ModelUse

Messages = Sequence[Mapping[str, Any]]
T = TypeVar("T")


class ChatModel(Protocol):
    """A model that completes messages, such as `LanguageModel` and `FakeModel`."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def use(self) -> ModelUse:
        """What it was asked so far, with tokens and cost."""
        ...

    def complete(self, messages: Messages, read: Callable[[str], T], **options: Any) -> T:
        """Return what `read` makes of its completion. Raises ModelError when there is none."""
        ...


@dataclass
class FakeModel:
    """A model that answers by a function of the messages, without a network."""

    answer: Callable[[Messages], str]
    name: str = "fake"
    use: ModelUse = field(default_factory=ModelUse)

    def complete(self, messages: Messages, read: Callable[[str], T], **_: Any) -> T:
        """Return what `read` makes of the function's answer."""
        self.use = ModelUse(calls=self.use.calls + 1)
        return read(self.answer(messages))


def load_model(settings: Settings) -> LanguageModel:
    """Return the model that `experiment_model` and `experiment_base_url` name; SettingsError without any."""
    return LanguageModel.of(settings, "experiment")
