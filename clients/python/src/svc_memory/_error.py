"""The one error that a call raises."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Literal, TypeAlias, cast

from .gen.models import ErrorCode

SvcErrorCode: TypeAlias = ErrorCode | Literal["connection_failed", "timeout", "bad_reply"]
"""The codes of the service, and those of the client itself: `connection_failed` if no reply came, `timeout` if none
came in time, `bad_reply` if something other than the service answered (a proxy, a redirect)."""

_RETRYABLE_STATUS = (429, 502, 503, 504)
_PLAIN = {"type", "title", "status", "code", "message", "requestId", "retryable", "errors"}


@dataclass(frozen=True)
class FieldError:
    """One thing wrong with the input."""

    path: str
    """Dotted (`filters.AND.0.tags`); empty for the input as a whole."""
    message: str


class SvcError(Exception):
    """A call that failed. Decide by `code`, which is stable; the message is for people. It never holds the key."""

    code: SvcErrorCode
    status: int
    """The HTTP status; 0 if there was no reply."""
    retryable: bool
    """Whether the same call may succeed later. The client has repeated it already as often as it may."""
    retry_after: float | None
    """How long the service asks to wait before the next try, in seconds."""
    request_id: str | None
    """The request's id in the service's logs and audit."""
    errors: Sequence[FieldError]
    """The faults of the input, member by member."""
    details: Mapping[str, Any]
    """Further members of the reply, such as `homeRegion` of `wrong_region`."""

    def __init__(
        self,
        code: SvcErrorCode,
        message: str,
        *,
        status: int = 0,
        retryable: bool = False,
        retry_after: float | None = None,
        request_id: str | None = None,
        errors: Sequence[FieldError] = (),
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.retryable = retryable
        self.retry_after = retry_after
        self.request_id = request_id
        self.errors = errors
        self.details = details or {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Let other processes have it."""
        return (_restore, (self.code, str(self), {name: value for name, value in vars(self).items() if name != "code"}))


def _restore(code: SvcErrorCode, message: str, members: dict[str, Any]) -> SvcError:
    return SvcError(code, message, **members)


def takes_no_more(error: BaseException) -> bool:
    """Tell whether a session takes no more turns, because it is closed or full.

    A conflict with an existing turn lists errors; a full session lists none.
    """
    if not isinstance(error, SvcError):
        return False
    return error.code == "invalid_transition" or (error.code == "conflict" and not error.errors)


def read_refusal(name: str, status: int, headers: Mapping[str, str], text: str | bytes) -> SvcError:
    """Return the error for a refusal; one that is not the service's problem+json is `bad_reply`."""
    retry_after = _read_retry_after(headers.get("retry-after"))
    try:
        problem = json.loads(text)
    except ValueError:
        problem = None
    if isinstance(problem, dict) and isinstance(problem.get("code"), str) and isinstance(problem.get("message"), str):
        return SvcError(
            cast("SvcErrorCode", problem["code"]),
            problem["message"],
            status=status,
            retryable=problem.get("retryable") is True,
            retry_after=retry_after,
            request_id=problem.get("requestId"),
            errors=read_errors(problem.get("errors")),
            details={name: value for name, value in problem.items() if name not in _PLAIN},
        )
    return SvcError(
        "bad_reply",
        f"Cannot call {name}: something other than the service answered, with status {status}",
        status=status,
        retryable=status in _RETRYABLE_STATUS,
        retry_after=retry_after,
        request_id=headers.get("x-request-id"),
    )


def read_errors(errors: object) -> list[FieldError]:
    """Return the faults of the input as the service lists them."""
    if not isinstance(errors, list):
        return []
    return [
        FieldError(str(one.get("path", "")), str(one.get("message", ""))) for one in errors if isinstance(one, dict)
    ]


def _read_retry_after(header: str | None) -> float | None:
    """`Retry-After` is a number of seconds or a date (RFC 9110 §10.2.3)."""
    if header is None:
        return None
    if header.isascii() and header.isdigit():
        return float(header)
    try:
        return max(0.0, (parsedate_to_datetime(header) - datetime.now(timezone.utc)).total_seconds())
    except (TypeError, ValueError):
        return None
