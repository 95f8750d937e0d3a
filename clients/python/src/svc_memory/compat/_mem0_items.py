"""Memories of Mem0 as facts: what they are given as, and how they are told."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from ..gen import models
from ._mem0_filters import SCOPES, Filter, names_scope

Messages = str | Mapping[str, Any] | Sequence[Mapping[str, Any]]

TAG = "mem0"
"""The tag of all memories, and the member of a fact's metadata that holds what is not the caller's."""

_TAG_MAX = 64


def read_messages(messages: Messages) -> list[dict[str, Any]]:
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    return [dict(messages)] if isinstance(messages, Mapping) else [dict(one) for one in messages]


def read_scopes(**given: Any) -> dict[str, str]:
    scopes = {name: str(value).strip() for name, value in given.items() if value is not None}
    # In a filter `*` means whatever id: what is stored or deleted belongs to somebody.
    if not any(scopes.values()) or "*" in scopes.values():
        raise ValueError("At least one of 'user_id', 'agent_id', or 'run_id' must be provided, and none may be '*'.")
    return scopes


def merge_filters(filters: Filter | None, scopes: Mapping[str, Any]) -> dict[str, Any]:
    merged = {
        **(filters or {}),
        **{name: value for name, value in scopes.items() if name in SCOPES and value is not None},
    }
    if not names_scope(merged):
        raise ValueError(
            "filters must contain at least one of: user_id, agent_id, run_id. Example: filters={'user_id': 'u1'}"
        )
    return merged


def tags_of(scopes: Mapping[str, str]) -> list[str]:
    return [TAG, *(_tag_of(name, value) for name, value in scopes.items())]


def _tag_of(name: str, value: str) -> str:
    tag = f"{TAG}:{name}:{value}"
    # A long id is one by its digest.
    return tag if len(tag) <= _TAG_MAX else f"{TAG}:{name}:sha256:{hashlib.sha256(value.encode()).hexdigest()[:32]}"


def flatten(fact: models.Fact) -> dict[str, Any]:
    return {**fact.metadata, **fact.metadata.get(TAG, {})}


def to_item(fact: models.Fact) -> dict[str, Any]:
    """Return a memory as Mem0 has it."""
    metadata = {name: value for name, value in fact.metadata.items() if name != TAG}
    return {
        "id": fact.id,
        "memory": fact.statement,
        "hash": hashlib.md5(fact.statement.encode(), usedforsecurity=False).hexdigest(),
        "metadata": metadata or None,
        "created_at": fact.created_at.isoformat(),
        "updated_at": fact.updated_at.isoformat(),
        **{name: value for name, value in fact.metadata.get(TAG, {}).items() if value is not None},
    }
