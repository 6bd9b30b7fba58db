"""Select Chat Completions messages and Responses items. Run: python examples/openai_lists.py"""

# --8<-- [start:import]
from convgate.adapters.openai import select_messages

# --8<-- [end:import]

CALL = {"name": "read_log", "arguments": '{"run": 7}'}
MESSAGES = [
    {"role": "system", "content": "You help with machine learning."},
    {"role": "user", "content": "My training loss becomes NaN in run 7. Why?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": CALL}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "step 40: loss=NaN, learning rate 0.1"},
    {"role": "assistant", "content": "The learning rate of 0.1 is too high. Use 0.001."},
    {"role": "user", "content": "What could I cook for lunch with leeks?"},
    {"role": "assistant", "content": "A leek and potato soup takes 30 minutes."},
    {"role": "user", "content": "The training loss is NaN again with learning rate 0.01. What now?"},
]
ITEMS = [
    MESSAGES[1],
    {"type": "reasoning", "id": "rs_1", "summary": []},
    {"type": "function_call", "call_id": "c1", **CALL},
    {"type": "function_call_output", "call_id": "c1", "output": MESSAGES[3]["content"]},
    *MESSAGES[4:],
]

if __name__ == "__main__":
    for name, messages in (("Chat Completions", MESSAGES), ("Responses", ITEMS)):
        # --8<-- [start:use]
        sent = select_messages(messages)
        # --8<-- [end:use]
        print(f"{name}: {len(sent)} of {len(messages)} are sent")
        for message in sent:
            print(" ", message)
