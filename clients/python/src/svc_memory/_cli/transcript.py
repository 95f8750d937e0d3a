"""What was said, from the lines of a transcript: the formats, the ids and the texts of the service's command line.

Recorded are the words of the user and of the assistant; not tools, reasoning, subagents or what a client adds itself.

- Claude Code: `{ type, uuid, timestamp, isMeta, isSidechain, message: { role, content } }`
- Codex: `{ timestamp, type: "response_item", payload: { type: "message", role, content } }`
- Cursor: `{ role, message: { content } }`
- Gemini CLI: `{ id, timestamp, type: "user" | "gemini", content }`, also several in `{ $set: { messages } }`
- VS Code: `{ id, timestamp, type: "user.message" | "assistant.message", data: { content } }`
- plain: `{ role, content, messageId, occurredAt }`
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from typing import Any, NamedTuple

from .secrets import replace_between, without_secrets

_CONTENT_MAX = 16_384
"""The longest content, in units of UTF-16: the service takes 65,536 bytes, and none of them needs more than four."""
_ID_MAX = 180
_MESSAGE_MAX = 262_144
"""The longest message that is recorded whole; the rest of a longer one, which nobody typed, is left out."""

_ADDED = re.compile(
    r"<(?:command-|local-command-|bash-|task-notification|user-memory-input|environment_context|turn_aborted"
    r"|[a-z_]{0,40}instructions[> ]|permissions |collaboration_mode|subagent_notification|session_context|skill>)"
)
"""The beginnings of texts that stand in place of the user's own."""
_INTERRUPTED = "[Request interrupted by user"
_AGENTS_FILE = "# AGENTS.md instructions for "
_HIDDEN = ("isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")

Line = Mapping[str, Any]


class _Said(NamedTuple):
    role: str
    text: str
    id: str | None
    """The client's own id of the message."""
    at: object
    is_rewritten: bool = False
    """Whether the client writes the message again, under the same id, when it grows."""


def read_turns(line: str, place: int) -> list[dict[str, Any]]:
    """Return the turns in a line; `place` is its position in the file, in bytes.

    Raises:
        ValueError: The line is no JSON object.
    """
    value = json.loads(line)
    if not isinstance(value, dict):
        raise ValueError("the line is not a JSON object")
    return [turn for said in _read_said(value) for turn in _to_turns(said, place)]


def _read_said(line: Line) -> list[_Said]:
    kind = line.get("type")
    batch = _object(line.get("$set")).get("messages")
    if isinstance(batch, list):
        return [said for one in batch for said in _read_said(_object(one))]
    if kind == "response_item":
        payload = _object(line.get("payload"))
        is_said = payload.get("type") == "message"
        return _say(payload.get("role"), payload.get("content"), None, line.get("timestamp")) if is_said else []
    if kind in ("user.message", "assistant.message"):
        content = _object(line.get("data")).get("content")
        return _say(kind.split(".")[0], content, line.get("id"), line.get("timestamp"))
    message = line.get("message")
    if kind in ("user", "assistant") and isinstance(message, (dict, list)):
        held = _object(message)
        if any(line.get(name) is True for name in _HIDDEN) or held.get("model") == "<synthetic>":
            return []
        return _say(kind, held.get("content"), line.get("uuid"), line.get("timestamp"))
    if "type" not in line and isinstance(message, (dict, list)):
        return _say(line.get("role"), _object(message).get("content"), None, None)
    if kind in ("user", "gemini", "model"):
        role = "user" if kind == "user" else "assistant"
        said = _say(role, line.get("content"), line.get("id"), line.get("timestamp"))
        return [one._replace(is_rewritten=True) for one in said]
    if "type" not in line:
        return _say(line.get("role"), line.get("content"), line.get("messageId"), line.get("occurredAt"))
    return []


def _say(role: object, content: object, identity: object, at: object) -> list[_Said]:
    text = _text_of(content)
    if role not in ("user", "assistant") or not text:
        return []
    return [_Said(str(role), text, identity if isinstance(identity, str) and identity else None, at)]


def _text_of(content: object) -> str:
    """Return the text of a content: a text, or its blocks without those of tools and reasoning."""
    if isinstance(content, str):
        return content
    texts: list[str] = []
    for block in content if isinstance(content, list) else []:
        held = _object(block)
        kind, text = held.get("type"), held.get("text")
        is_text = kind in ("text", "input_text", "output_text") if "type" in held else held.get("thought") is not True
        if is_text and isinstance(text, str):
            texts.append(text)
    return "\n".join(texts)


def _to_turns(said: _Said, place: int) -> Iterator[dict[str, Any]]:
    spoken: str | None = replace_between(said.text, "<svc-memory>", "</svc-memory>", "")[:_MESSAGE_MAX]
    if said.role == "user" and spoken is not None:
        spoken = _own_words(spoken)
    if spoken is None:
        return
    well_formed = spoken.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    content = without_secrets(well_formed.replace("\0", "")).strip()
    if not content:
        return
    own = said.id
    if own is None or said.is_rewritten:
        own = f"{place if own is None else own}:{_hash(f'{said.role}{chr(10)}{content}')[:12]}"
    message_id = own if len(own) <= _ID_MAX else _hash(own)
    at = _time_of(said.at)
    # The service takes no blank turn.
    for i, part in enumerate(part for part in _cut(content) if part.strip()):
        turn = {"role": said.role, "content": part, "messageId": message_id if i == 0 else f"{message_id}#{i + 1}"}
        yield turn if at is None else {**turn, "occurredAt": at}


def _cut(text: str) -> Iterator[str]:
    """Yield parts of a long text, cut where the command line of the service cuts it: by units of UTF-16."""
    units = text.encode("utf-16-le")
    start = 0
    while start < len(units):
        end = min(start + 2 * _CONTENT_MAX, len(units))
        if end < len(units) and 0xD8 <= units[end - 1] <= 0xDB:
            end -= 2
        yield units[start:end].decode("utf-16-le")
        start = end


def _own_words(text: str) -> str | None:
    """Return what the user typed of a message; None if it is not the user's own."""
    for name in ("system-reminder", "system_reminder"):
        # Parts that a client inserts into the user's message.
        if f"</{name}>" in text:
            text = replace_between(text, f"<{name}>", f"</{name}>", "")
    text = text.strip()
    is_interruption = text.startswith(_INTERRUPTED) and text.find("]") == len(text) - 1
    if is_interruption or text.startswith(_AGENTS_FILE) or _ADDED.match(text):
        return None
    queries = re.findall(r"<user_query>(.*?)</user_query>", text, re.DOTALL)
    return "\n".join(query.strip() for query in queries) if queries else text


def _time_of(at: object) -> str | None:
    """Return a time as the service writes it, to the millisecond; None if it is no time."""
    if not isinstance(at, str) or not re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d", at, re.ASCII):
        return None
    try:
        time = datetime.fromisoformat(
            re.sub(r"(\.\d{1,6})\d*", lambda found: found[1].ljust(7, "0"), at.replace("Z", "+00:00"))
        )
    except ValueError:
        return None
    return time.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _object(value: object) -> Line:
    return value if isinstance(value, dict) else {}
