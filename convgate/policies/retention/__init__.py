"""The confidence of messages, stated or estimated, and their code blocks."""

from convgate.policies.retention.confidence import Confidence, confidences
from convgate.policies.retention.hedging import CodeBlock, code_blocks

__all__ = ["CodeBlock", "Confidence", "code_blocks", "confidences"]
