"""Makes text from the memory safe for a terminal.

Anybody may have stored it, so no part of it may control the terminal: no escape sequences, no characters that change
the writing direction or are invisible.
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any

_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""Control characters but line break and tab; direction marks, isolates and tags of Unicode."""
_UNSAFE_IN_JSON = re.compile(f"{_UNSAFE.pattern}|[\ud800-\udfff]")


def plain(text: str) -> str:
    r"""Return a text in which characters that could control a terminal are spelled out: `\x1b`, `\u{202e}`."""
    return _UNSAFE.sub(_spell, text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def _spell(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"


def one_line(text: str) -> str:
    """Return a text as one line."""
    return plain(" ".join(text.split()))


def plain_json(value: Any, indent: int | None = 2) -> str:
    """Return equivalent JSON without such characters."""
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)
    return _UNSAFE_IN_JSON.sub(lambda found: json.dumps(found[0])[1:-1], text)


def faint(text: str) -> str:
    """Return the text in grey if standard output is a terminal with colours."""
    return f"\x1b[2m{text}\x1b[22m" if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else text
