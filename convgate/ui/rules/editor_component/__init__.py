"""The editor: a text with line numbers, which comes back while a person types."""

from convgate.ui.rules.editor_component.component import draw_editor, typed

__all__ = ["draw_editor", "typed"]
