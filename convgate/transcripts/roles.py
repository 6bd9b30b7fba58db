"""What formats without fixed roles call those who speak."""

from __future__ import annotations

ROLE_NAMES: dict[str, tuple[str, ...]] = {
    "user": (
        *("user", "human", "you", "me", "prompter", "customer", "client"),
        *("benutzer", "nutzer", "utilisateur", "usuario", "usuário", "utente", "gebruiker", "användare"),
        *("użytkownik", "пользователь", "用户", "使用者", "ユーザー", "사용자"),
    ),
    "assistant": (
        *("assistant", "ai", "ai assistant", "gpt", "chatgpt", "gpt-3.5", "gpt-4", "gpt-4o", "gpt-5"),
        *("claude", "gemini", "bard", "copilot", "microsoft copilot", "grok", "deepseek", "llama", "mistral"),
        *("le chat", "perplexity", "bing", "bot", "chatbot", "llm", "model", "language model"),
        *("github copilot", "cursor", "assistent", "asistente", "assistente", "asystent", "ассистент"),
        *("助手", "アシスタント", "어시스턴트"),
    ),
    "system": ("system", "system prompt", "system message"),
    "developer": ("developer", "developer message"),
    "tool": ("tool", "tool result", "tool output", "observation", "function result", "function_response"),
    "function": ("function",),
}
"""Names, in lower case, by the role that they mean."""

_ROLE_OF = {name: role for role, names in ROLE_NAMES.items() for name in names}


def role_of(name: str) -> str | None:
    """Return the role that a name means, None when it is nobody's.

    >>> role_of(" ChatGPT "), role_of("Nadia")
    ('assistant', None)
    """
    return _ROLE_OF.get(" ".join(name.split()).casefold())
