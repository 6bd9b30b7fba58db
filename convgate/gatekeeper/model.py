"""A language model behind any OpenAI-compatible endpoint, asked for what words alone do not say.

Only the model's name and two messages are sent, which every endpoint takes. Whatever goes wrong is a
ModelError within a stated time: the gatekeeper then decides by its patterns.
"""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import CancelledError
from typing import Any, Protocol
from urllib.parse import urlsplit

from convgate.errors import SettingsError
from convgate.gatekeeper.endpoint import Endpoint
from convgate.gatekeeper.errors import ModelError
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.model_answer import INSTRUCTIONS, Answer, as_data, read_answer, read_reply
from convgate.gatekeeper.model_use import Meter, ModelUse, Prices
from convgate.settings import Settings
from convgate.transcripts.characters import printable, writable

PATIENCE = 3
"""Calls in a row that fail before the endpoint is left alone."""

REST = 30.0
"""Seconds that it is left alone for: an agent does not wait again and again for what is down."""

_NO_KEY = "none"  # local endpoints want no key, the client wants one
_TOLD = 200  # characters of what an endpoint says about an error


class Model(Protocol):
    """What the gatekeeper asks."""

    def ask(self, exchange: Exchange) -> Answer:
        """Its decision. Raises ModelError, after a bounded time, when it gives none."""
        ...

    @property
    def use(self) -> ModelUse:
        """What it was asked for so far."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...


class LanguageModel:
    """A model by name, asked in a thread of its own. Thread-safe.

    base_url: None is the one that OPENAI_BASE_URL names, else OpenAI. timeout: seconds for one attempt to
    connect, and for each silence of the endpoint. retries: attempts after the first, by the client; it waits
    as `Retry-After` says. Raises ConvgateError when the `openai` package is not there.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str = _NO_KEY,
        timeout: float = 10.0,
        retries: int = 2,
        prices: Prices | None = None,
    ) -> None:
        self.name, self.base_url, self.timeout, self.retries = name, base_url, timeout, retries
        self._secrets = [api_key] if api_key != _NO_KEY else []
        self._meter = Meter(prices or Prices())
        self._health = _Health()
        self._endpoint = Endpoint(base_url=base_url, api_key=api_key, timeout=timeout, retries=retries)

    def __repr__(self) -> str:
        return f"LanguageModel({self.name!r}, base_url={self.base_url!r})"

    @classmethod
    def of(cls, settings: Settings) -> LanguageModel:
        """The model that the settings name, with the key of OPENAI_API_KEY.

        Raises SettingsError when they name none, and ConvgateError when the `openai` package is not there.
        """
        if settings.gatekeeper_model is None:
            raise SettingsError(
                f"gatekeeper_mode is {settings.gatekeeper_mode}, which asks a language model: name it with"
                " gatekeeper_model, or take the mode pattern"
            )
        url = settings.gatekeeper_base_url or os.environ.get("OPENAI_BASE_URL") or None
        key = os.environ.get("OPENAI_API_KEY", "").strip()
        if url is None and not key:
            raise SettingsError(
                "the gatekeeper's language model needs a key in OPENAI_API_KEY, or the address of an endpoint"
                " without one in gatekeeper_base_url"
            )
        if url is not None and not (urlsplit(url).scheme in {"http", "https"} and urlsplit(url).hostname):
            raise SettingsError(
                f"gatekeeper_base_url is an address such as http://127.0.0.1:8000/v1, got {url!r}"
            )
        if not key.isascii() or not key.isprintable():
            raise SettingsError("OPENAI_API_KEY has characters that no key has")
        return cls(
            settings.gatekeeper_model,
            base_url=url,
            api_key=key or _NO_KEY,
            timeout=settings.gatekeeper_timeout,
            retries=settings.gatekeeper_retries,
            prices=Prices(settings.gatekeeper_price_prompt, settings.gatekeeper_price_completion),
        )

    @property
    def deadline(self) -> float:
        """Seconds that one call holds its caller at the most, attempts and waits between them together."""
        return self.timeout * (self.retries + 1)

    @property
    def use(self) -> ModelUse:
        """What it was asked for so far."""
        return self._meter.use

    def ask(self, exchange: Exchange) -> Answer:
        """Its decision. Raises ModelError, within `deadline`, when it gives none.

        After PATIENCE calls in a row that got no reply it is not asked for REST seconds.
        """
        if not self._health.may_ask():
            self._meter.left_out()
            raise ModelError(f"it was not asked, as its last {PATIENCE} calls failed")
        started, failed = time.perf_counter(), True
        try:
            reply = read_reply(self._replied(exchange))
            self._meter.charged(reply.prompt_tokens, reply.completion_tokens)
            answer = read_answer(reply.content)
            failed = False
            return answer
        finally:
            self._meter.called(time.perf_counter() - started, failed=failed)

    def close(self) -> None:
        """Break off what is asked and let go of connections; a later call gives no decision."""
        self._endpoint.close()

    def _replied(self, exchange: Exchange) -> bytes:
        import openai

        try:
            body = self._endpoint.complete(self.name, INSTRUCTIONS, as_data(exchange), seconds=self.deadline)
        except (openai.OpenAIError, TimeoutError, CancelledError) as error:
            self._health.failed()
            raise ModelError(self._worded(error)) from error
        self._health.answered()
        return body

    def _worded(self, error: Exception) -> str:
        import openai

        if isinstance(error, openai.APITimeoutError):
            return f"no answer within {self.timeout:g} s, {_attempts(self.retries + 1)}"
        if isinstance(error, TimeoutError):
            return f"no whole answer within {self.deadline:g} s"
        if isinstance(error, openai.APIStatusError):
            told = error.message.removeprefix(f"Error code: {error.status_code} - ")
            for secret in self._secrets:
                told = told.replace(secret, "…")
            return f"the endpoint answered with {error.status_code} ({_line(told)})"
        if isinstance(error, openai.APIConnectionError):
            return f"the endpoint cannot be reached ({_line(str(error.__cause__ or error))})"
        if isinstance(error, CancelledError):
            return "the connection to it is closed"
        return _line(error)


class _Health:
    """How many calls in a row got no reply. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failures = 0
        self._until = 0.0  # on the monotonic clock

    def may_ask(self) -> bool:
        """Whether it is asked, after a rest once to see whether it is back."""
        with self._lock:
            if self._failures < PATIENCE:
                return True
            if time.monotonic() < self._until:
                return False
            self._until = time.monotonic() + REST
            return True

    def failed(self) -> None:
        """A call got no reply."""
        with self._lock:
            self._failures += 1
            self._until = time.monotonic() + REST

    def answered(self) -> None:
        """A call got a reply."""
        with self._lock:
            self._failures = 0


def _attempts(number: int) -> str:
    return "in 1 attempt" if number == 1 else f"in each of {number} attempts"


def _line(text: Any) -> str:
    line = " ".join(printable(writable(str(text)[: 2 * _TOLD])).split())
    return line if len(line) <= _TOLD else f"{line[: _TOLD - 1]}…"
