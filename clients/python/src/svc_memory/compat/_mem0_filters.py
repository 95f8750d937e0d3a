"""Filters of Mem0: what the service looks at, and what is checked here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

SCOPES = ("user_id", "agent_id", "run_id", "app_id", "actor_id")
"""Whom a memory belongs to, or who said it."""

_SERVICE_OPERATORS = {"eq", "ne", "gt", "gte", "lt", "lte", "in", "contains"}
_TEXT_MAX = 1_000

Filter = Mapping[str, Any]


def find_scopes(filters: Filter) -> dict[str, str]:
    """Return the scopes that every memory must have that meets the filters."""
    found = {name: str(value) for name, value in filters.items() if name in SCOPES and isinstance(value, (str, int))}
    for part in filters.get("AND", ()):
        found |= find_scopes(part)
    return {name: value for name, value in found.items() if value != "*"}


def names_scope(filters: Filter) -> bool:
    """Tell whether the filters say whose memories they mean."""
    parts = [one for name in ("AND", "OR") for one in filters.get(name, ())]
    return any(name in SCOPES for name in filters) or any(names_scope(one) for one in parts)


def to_service(filters: Filter) -> dict[str, Any]:
    """Return the part of the filters that the service can check, so that it searches among what meets them.

    It may say less than the filters, and never more.
    """
    found: dict[str, Any] = {}
    every: list[dict[str, Any]] = []
    for name, wanted in filters.items():
        if name == "AND":
            every += [to_service(part) for part in wanted]
        elif name == "OR":
            parts = [to_service(part) for part in wanted]
            if all(parts):
                every.append({"OR": parts})
        elif name != "NOT" and (condition := _to_condition(wanted)) and re.fullmatch(r"[A-Za-z_]\w*", name):
            found[_path(name)] = condition
    every = [part for part in every if part]
    return {**found, "AND": every} if every else found


def meets(memory: Mapping[str, Any], filters: Filter) -> bool:
    """Tell whether a memory, with its metadata and scopes side by side, meets the filters.

    Raises:
        ValueError: An operator is unknown.
    """
    return all(_meets(memory, name, wanted) for name, wanted in filters.items())


def _meets(memory: Mapping[str, Any], name: str, wanted: Any) -> bool:
    if name == "AND":
        return all(meets(memory, part) for part in wanted)
    if name == "OR":
        return any(meets(memory, part) for part in wanted)
    if name == "NOT":
        return not any(meets(memory, part) for part in ([wanted] if isinstance(wanted, Mapping) else wanted))
    value = memory.get(name)
    if wanted == "*":
        return value is not None
    if isinstance(wanted, (list, tuple)):
        return value in wanted
    if not isinstance(wanted, Mapping):
        return bool(value == wanted) or (name in SCOPES and str(value) == str(wanted))
    return all(_compare(operator, value, to) for operator, to in wanted.items())


def _compare(operator: str, value: Any, to: Any) -> bool:
    compare = _OPERATORS.get(operator)
    if compare is None:
        raise ValueError(f"Cannot filter by {operator}: it is no operator")
    try:
        return compare(value, to)
    except TypeError:
        # Such as a text and a number, or nothing.
        return False


_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, to: bool(value == to),
    "ne": lambda value, to: bool(value != to),
    "gt": lambda value, to: bool(value > to),
    "gte": lambda value, to: bool(value >= to),
    "lt": lambda value, to: bool(value < to),
    "lte": lambda value, to: bool(value <= to),
    "in": lambda value, to: value in to,
    "nin": lambda value, to: value not in to,
    "contains": lambda value, to: to in value,
    "icontains": lambda value, to: str(to).lower() in str(value).lower(),
}


def _to_condition(wanted: Any) -> dict[str, Any] | None:
    if isinstance(wanted, Mapping):
        if not all(operator in _SERVICE_OPERATORS for operator in wanted):
            return None
        plain = all(_is_plain(one) for to in wanted.values() for one in (to if isinstance(to, list) else [to]))
        return dict(wanted) if plain else None
    return {"eq": wanted} if _is_plain(wanted) and wanted != "*" else None


def _is_plain(value: Any) -> bool:
    return isinstance(value, (bool, int, float)) or (isinstance(value, str) and len(value) <= _TEXT_MAX)


def _path(name: str) -> str:
    return f"metadata.mem0.{name}" if name in SCOPES else f"metadata.{name}"
