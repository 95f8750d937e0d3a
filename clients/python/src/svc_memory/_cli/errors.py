"""Ends a failed command: a sentence on standard error, and an exit code by the kind of failure."""

from __future__ import annotations

import sys
from typing import Literal, TypeAlias

from .._error import SvcError
from .text import plain, plain_json

FailureKind: TypeAlias = Literal["bad_input", "not_found", "no_access", "retry_later", "failed"]

_EXIT_CODES: dict[FailureKind, int] = {
    "bad_input": 2,
    "not_found": 3,
    "no_access": 4,
    "retry_later": 5,
    "failed": 1,
}


class CommandError(Exception):
    """A failure that the command line itself has found."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind


def kind_of(error: Exception) -> FailureKind:
    """Return the kind of failure of an error."""
    if isinstance(error, CommandError):
        return error.kind
    # The client refuses an impossible address or key.
    if isinstance(error, ValueError):
        return "bad_input"
    if not isinstance(error, SvcError):
        return "failed"
    if error.status in (401, 403):
        return "no_access"
    if error.status in (404, 410):
        return "not_found"
    if error.retryable or error.code in ("connection_failed", "timeout"):
        return "retry_later"
    return "bad_input" if error.code == "validation_failed" or 400 <= error.status < 500 else "failed"


def end_with(error: Exception, *, as_json: bool) -> int:
    """Print a failure on standard error, and return the exit code."""
    kind = kind_of(error)
    faults = error.errors if isinstance(error, SvcError) else ()
    if as_json:
        told: dict[str, object] = {"code": kind, "kind": kind, "message": str(error)}
        if isinstance(error, SvcError):
            told |= {"code": error.code, "errors": [{"path": one.path, "message": one.message} for one in faults]}
            told |= {} if error.request_id is None else {"requestId": error.request_id}
        print(plain_json({"error": told}, None), file=sys.stderr)
    else:
        print(plain(str(error)), *(plain(f"  {one.path}: {one.message}") for one in faults), sep="\n", file=sys.stderr)
    return _EXIT_CODES[kind]
