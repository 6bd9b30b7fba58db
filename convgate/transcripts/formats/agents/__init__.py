"""Messages of coding agents, APIs and agent frameworks."""
