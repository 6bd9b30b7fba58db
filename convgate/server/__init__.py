"""`convgate serve`: selections over HTTP, and a proxy in front of an OpenAI-compatible API."""
