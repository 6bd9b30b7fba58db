"""A language model behind an OpenAI-compatible endpoint.

Every failure is a ModelError within a bounded time.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from convgate.core.errors import ConvgateError, SettingsError
from convgate.core.http import PostError, is_http_url, post_json
from convgate.core.settings import ModelSettings, Settings
from convgate.core.text import printable, to_line
from convgate.traces import span

T = TypeVar("T")

MAX_FAILURES = 3
"""Calls in a row without a reply after which the endpoint is not asked for PAUSE_SECONDS."""

PAUSE_SECONDS = 30.0
MAX_REPLY_BYTES = 1_000_000

_OPENAI = "https://api.openai.com/v1"
_MAX_LINE = 200  # characters of an endpoint's error


class ModelError(ConvgateError):
    """A language model gave no answer; the message says why, without its full stop."""

    code = "model"


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What a language model was asked so far."""

    calls: int = 0  # however many attempts each took
    failures: int = 0  # calls without an answer
    not_asked: int = 0  # calls while the endpoint was left alone
    prompt_tokens: int = 0  # as counted by the endpoint, without those of failed attempts
    completion_tokens: int = 0
    cost: float = 0.0  # by the prices of the settings
    seconds: float = 0.0  # of all calls


class LanguageModel:
    """A model by name. Thread-safe.

    base_url: None is OpenAI. timeout: seconds of an attempt. retries: attempts after the first. prices: of a
    million prompt and completion tokens.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str = "",
        timeout: float = 10.0,
        retries: int = 2,
        prices: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        self.name, self.base_url, self.timeout, self.retries = name, base_url or _OPENAI, timeout, retries
        self.prices = prices
        self._api_key = api_key
        self._lock = threading.Lock()
        self._use = ModelUse()
        self._n_failures, self._resume_at = 0, 0.0  # calls in a row without a reply; on the monotonic clock

    def __repr__(self) -> str:
        return f"LanguageModel({self.name!r}, base_url={self.base_url!r})"

    @classmethod
    def of(
        cls, settings: Settings, use: Literal["gatekeeper", "experiment"] = "gatekeeper", setting: str = ""
    ) -> LanguageModel:
        """Return the model of the settings for this use, with the key of OPENAI_API_KEY.

        setting: that errors name; by default the use's own.

        Raises SettingsError when they name none, or no usable endpoint.
        """

        chosen: ModelSettings = getattr(settings, use)
        setting = setting or f"{use}.model"
        if chosen.model is None:
            reason = f"gatekeeper.mode {settings.gatekeeper.mode}" if use == "gatekeeper" else "a judge"
            raise SettingsError(f"{reason} needs a language model: set {setting}")
        url = chosen.base_url or os.environ.get("OPENAI_BASE_URL") or None
        key = os.environ.get("OPENAI_API_KEY", "").strip()
        if url is None and not key:
            raise SettingsError(f"{setting} needs a key in OPENAI_API_KEY, or an endpoint in {use}.base_url")
        if url is not None and not is_http_url(url):
            raise SettingsError(
                f"{use}.base_url must be an address such as http://127.0.0.1:8000/v1; got {url!r}"
            )
        if not key.isascii() or not key.isprintable():
            raise SettingsError("OPENAI_API_KEY has characters that no key has")
        return cls(
            chosen.model,
            base_url=url,
            api_key=key,
            timeout=chosen.timeout_seconds,
            retries=chosen.retries,
            prices=(chosen.price_prompt, chosen.price_completion),
        )

    @property
    def use(self) -> ModelUse:
        """What it was asked so far."""
        with self._lock:
            prompt, completion = self.prices
            cost = (self._use.prompt_tokens * prompt + self._use.completion_tokens * completion) / 1e6
            return replace(self._use, cost=cost)

    def complete(self, messages: Sequence[Mapping[str, Any]], read: Callable[[str], T], **options: Any) -> T:
        """Return what `read` makes of its completion. Raises ModelError when there is none.

        options: further fields of the request, such as `temperature=0`. The calling thread waits for about
        `timeout` × (1 + `retries`) seconds at most.
        """
        if not self._may_ask():
            self._count(not_asked=1)
            raise ModelError(f"it was not asked, as its last {MAX_FAILURES} calls failed")
        started = time.perf_counter()
        failures = 1
        try:
            with span(f"chat {self.name}", operation="chat") as attributes:
                attributes["gen_ai.provider.name"] = "openai"  # whose API the endpoint has
                attributes["gen_ai.request.model"] = self.name
                content, prompt_tokens, completion_tokens = read_reply(self._request(messages, options))
                attributes["gen_ai.usage.input_tokens"] = prompt_tokens
                attributes["gen_ai.usage.output_tokens"] = completion_tokens
                self._count(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
                answer = read(content)
            failures = 0
            return answer
        finally:
            self._count(calls=1, failures=failures, seconds=time.perf_counter() - started)

    def _count(self, **numbers: float) -> None:
        with self._lock:
            values = {name: getattr(self._use, name) + number for name, number in numbers.items()}
            self._use = replace(self._use, **values)

    def _may_ask(self) -> bool:
        """Return whether to ask: after the pause, one call tries whether the endpoint is back."""
        with self._lock:
            if self._n_failures < MAX_FAILURES:
                return True
            if time.monotonic() < self._resume_at:
                return False
            self._resume_at = time.monotonic() + PAUSE_SECONDS
            return True

    def _request(self, messages: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> bytes:
        try:
            body = post_json(
                f"{self.base_url.rstrip('/')}/chat/completions",
                {"model": self.name, "messages": list(messages), **options},
                headers={"Authorization": f"Bearer {self._api_key}"} if self._api_key else {},
                timeout=self.timeout,
                attempts=1 + self.retries,
                max_bytes=MAX_REPLY_BYTES,
            )
        except PostError as error:
            with self._lock:
                self._n_failures += 1
                self._resume_at = time.monotonic() + PAUSE_SECONDS
            detail = error.detail.replace(self._api_key, "…") if self._api_key else error.detail
            message = f"the endpoint did not answer ({error}) {detail}"
            raise ModelError(to_line(printable(message), _MAX_LINE)) from error
        with self._lock:
            self._n_failures = 0
        return body


def read_reply(body: bytes) -> tuple[str, int, int]:
    """Return what the model wrote, and its prompt and completion tokens, 0 where they are not stated.

    Raises ModelError when the body is no chat completion.
    """
    try:
        completion = json.loads(body)
        content = completion["choices"][0]["message"].get("content") or ""
        usage = completion.get("usage")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise ModelError("the endpoint's reply is no chat completion") from None
    if not isinstance(content, str):
        raise ModelError("the endpoint's reply has no text")
    counts = [
        usage.get(f"{name}_tokens") if isinstance(usage, dict) else 0 for name in ("prompt", "completion")
    ]
    prompt, answer = (number if type(number) is int and number > 0 else 0 for number in counts)
    return content, prompt, answer


def read_text(content: str) -> str:
    """Return what a model wrote after its thoughts; ModelError when that is nothing."""
    text = content.rpartition("</think>")[2].strip()
    if not text:
        raise ModelError("the model gave no answer, or refused to")
    return text


def json_part(content: str) -> str:
    """Return a completion without thoughts and code fence; ModelError when nothing is left."""
    text = read_text(content)
    if text.startswith("```") and text.endswith("```"):
        text = text.removeprefix("```").removeprefix("json").removesuffix("```").strip()
    return text
