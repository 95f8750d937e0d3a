"""Messages of frameworks as turns of a session, from which they come back as they were."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from .gen import models

Role = Literal["user", "assistant", "system", "tool"]


def text_of(content: object) -> str:
    """Return the text of a message's content, which is a text or parts of which those with text count."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part if isinstance(part, str) else part.get("text") for part in parts if isinstance(part, (str, Mapping))]
    return "\n".join(text for text in texts if isinstance(text, str))


def to_turn(place: str, role: Role, message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a turn that says what a message says, and keeps the rest of it at `place` of its metadata.

    A content that is a text is not kept twice.
    """
    content = message.get("content")
    is_text = isinstance(content, str)
    rest = {name: value for name, value in message.items() if name != "content" or not is_text}
    return {"role": role, "content": text_of(content), "metadata": {place: {"message": rest, "isText": is_text}}}


def to_message(place: str, turn: models.Turn) -> dict[str, Any] | None:
    """Return the message that a turn keeps; None for an erased turn, and for one of another origin."""
    held = turn.metadata.get(place)
    if turn.erased_at is not None or not isinstance(held, dict):
        return None
    message: dict[str, Any] = held["message"]
    return {**message, "content": turn.content} if held["isText"] else dict(message)
