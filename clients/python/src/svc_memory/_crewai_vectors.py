"""Vectors that hold the text that they stand for.

CrewAI gives a storage the vector of a query and not its words. The service finds by words, so the vector brings them:
the first members are a fingerprint, by which CrewAI tells equal texts from different ones, and the others are the
characters, so small that they change no angle.
"""

from __future__ import annotations

import hashlib

_FINGERPRINT = 32
_SCALE = 2.0**-40
"""A character has 21 bits, so that a member of 53 bits gives it back exactly."""


def to_vector(text: str) -> list[float]:
    """Return the vector of a text."""
    marks = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return [*(mark / 127.5 - 1 for mark in marks), *(ord(one) * _SCALE for one in text)]


def read_text(vector: list[float]) -> str:
    """Return the text of a vector.

    Raises:
        ValueError: It is another embedder's.
    """
    try:
        text = "".join(chr(int(one / _SCALE)) for one in vector[_FINGERPRINT:])
    except (ValueError, OverflowError):
        text = ""
    if to_vector(text) != vector:
        raise ValueError("Cannot search: the vector is not one of this storage; give Memory embedder=storage.embed")
    return text
