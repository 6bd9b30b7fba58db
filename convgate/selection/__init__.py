"""What goes to the model: a policy's decisions, what must hold, and a valid list of messages."""
