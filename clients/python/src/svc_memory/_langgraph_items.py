"""Items of a LangGraph store as facts: their names, their words, and the filters that match them.

They are those of the store for TypeScript, so that programs in both languages share items.
"""

from __future__ import annotations

import hashlib
import json
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from langgraph.store.base import InvalidNamespaceError
from langgraph.store.base.embed import get_text_at_path

TAG = "langgraph"

_NAME_MAX = 200
_TEXT_MAX = 5_000
"""The most characters of an item's searchable text, within the bytes of a statement."""
_DEPTH_MAX = 48
"""The most labels: an item has a tag for its namespace and each one above it."""
_PLAIN = re.compile(r"text|content|memory|data|value|fact|statement", re.IGNORECASE)
"""Names of members that tell nothing about their content."""
_VALUE_MAX = 1_000


def check_namespace(namespace: Sequence[str]) -> None:
    """Refuse labels that LangGraph does not allow, or too many of them for an item's tags."""
    if len(namespace) > _DEPTH_MAX:
        raise InvalidNamespaceError(f"Cannot use a namespace of more than {_DEPTH_MAX} labels")
    for label in namespace:
        if not isinstance(label, str) or not label or "." in label or "\0" in label:
            raise InvalidNamespaceError(f"Cannot use the label {label!r}: it is empty, or has a full stop or NUL")


def label_of(namespace: Sequence[str], key: str) -> str:
    """Return `users/ada/home`; labels and the key cannot be confused."""
    return "/".join(quote(part, safe="!'()*~") for part in (*namespace, key))


def name_of(namespace: Sequence[str], key: str) -> str:
    """Return the external id of an item: its path, or a digest of it if it is too long."""
    if not isinstance(key, str) or not key:
        raise ValueError("Cannot use an empty key")
    name = f"{TAG}/{label_of(namespace, key)}"
    return name if len(name) <= _NAME_MAX else f"{TAG}/sha256/{_digest(name)}"


def tag_of(namespace: Sequence[str]) -> str:
    """Return the tag that all items below a namespace have."""
    if not namespace:
        return TAG
    return f"lg:{_digest(json.dumps(list(namespace), ensure_ascii=False, separators=(',', ':')))[:32]}"


def tags_of(namespace: Sequence[str]) -> list[str]:
    """Return the tags of an item: one for its namespace and for each above it."""
    return [tag_of(namespace[:depth]) for depth in range(len(namespace) + 1)]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def describe(value: Mapping[str, Any], index: bool | list[str] | None) -> str:
    """Return the searchable words of a value, one line for each of its texts. Empty if it has none."""
    if index is False:
        return ""
    if isinstance(index, list):
        found = [text for path in index for text in get_text_at_path(value, path)]
    else:
        found = list(_list_texts(value, ()))
    return "\n".join(found).strip()[:_TEXT_MAX]


def _list_texts(value: Any, path: tuple[str, ...]) -> Iterator[str]:
    if value is None or value == "":
        return
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from _list_texts(one, (*path, str(name)))
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _list_texts(one, path)
    else:
        name = " ".join(part for part in path if not _PLAIN.fullmatch(part))
        text = json.dumps(value) if isinstance(value, bool) else str(value)
        yield f"{name}: {text}" if name else text


def fits(value: Any, wanted: Any) -> bool:
    """Tell whether a value is what a filter wants: equal, or within `$eq $ne $gt $gte $lt $lte`.

    Raises:
        ValueError: An operator is unknown.
    """
    if isinstance(wanted, Mapping):
        if any(name.startswith("$") for name in wanted):
            return all(_compare(value, name, to) for name, to in wanted.items())
        return isinstance(value, Mapping) and all(fits(value.get(name), one) for name, one in wanted.items())
    if isinstance(wanted, (list, tuple)):
        same = isinstance(value, (list, tuple)) and len(value) == len(wanted)
        return same and all(fits(one, to) for one, to in zip(value, wanted, strict=True))
    return bool(value == wanted)


_NUMERIC: dict[str, Callable[[float, float], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def _compare(value: Any, name: str, to: Any) -> bool:
    if name == "$eq":
        return bool(value == to)
    if name == "$ne":
        return bool(value != to)
    compare = _NUMERIC.get(name)
    if compare is None:
        raise ValueError(f"Cannot filter by {name}: it is no operator of the store")
    try:
        return compare(float(value), float(to))
    except (TypeError, ValueError):
        return False


def to_recall_filter(conditions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a filter that the service can check itself, so that it searches among matching items."""
    found: dict[str, Any] = {}
    for name, wanted in conditions.items():
        value = wanted["$eq"] if isinstance(wanted, Mapping) and list(wanted) == ["$eq"] else wanted
        plain = isinstance(value, (bool, int, float)) or (isinstance(value, str) and len(value) <= _VALUE_MAX)
        if plain and re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
            found[f"metadata.{TAG}.value.{name}"] = {"eq": value}
    return found


def matches(namespace: Sequence[str], match_type: str, path: Sequence[str]) -> bool:
    """Tell whether a namespace begins or ends with a path; `*` stands for any one label."""
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))
