"""What a coding agent gets from `convgate mcp`: the tools, a search of the library, and a selection.

Run: python examples/mcp_client.py
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from mcp import StdioServerParameters
from mcp.client import Client

from convgate.core.settings import load_settings
from convgate.store import Conversations, NewConversation, Store
from convgate.transcripts import read_text

DECISIONS = """
user: Which database do we use for the orders?
assistant: PostgreSQL, because the reports need window functions.
user: And the date format in the exports?
assistant: ISO 8601, in UTC.
"""


async def main() -> None:
    """Store a conversation in a library of its own, and ask the server about it."""
    with tempfile.TemporaryDirectory() as home:
        (conversation,) = read_text(DECISIONS)
        store = Store(load_settings().updated(home=Path(home)).database)
        Conversations(store).add([NewConversation(conversation, title="Orders")])
        store.close()
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "convgate", "mcp"], env={"CONVGATE_HOME": home}
        )
        async with Client(server) as client:
            print("tools:", ", ".join(tool.name for tool in (await client.list_tools()).tools))
            found = await client.call_tool("search_history", {"query": "Which database?", "limit": 2})
            for result in found.structured_content["results"]:
                print(f"found in {result['title']}, turn {result['turn']}: {result['text']}")
            key = found.structured_content["results"][0]["conversation"]
            question = "Write the table of orders for our database."
            selected = await client.call_tool("select_context", {"conversation": key, "question": question})
            for turn in selected.structured_content["turns"]:
                print(f"turn {turn['turn']}: {turn['text']}  ({turn['reason']})")


if __name__ == "__main__":
    asyncio.run(main())
