"""The way to the service: its address, the caller's key, and limits."""

from __future__ import annotations

import math
import os
import re
import time
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx
from pydantic import TypeAdapter, ValidationError

from ._error import SvcError
from ._request import Request, Unset, backoff
from .gen.routes import VERSION

_RETRIES_MAX = 10


@dataclass(frozen=True)
class Target:
    """Where calls go, and how long and often they are tried."""

    origin: str
    """Without a slash at the end."""
    headers: dict[str, str] = field(repr=False)
    """The headers of every request, the key among them."""
    timeout: float
    """The longest time of a call with all its tries, in seconds."""
    retries: int

    def __post_init__(self) -> None:
        if not self.timeout > 0:
            raise ValueError("Cannot use the timeout: it is not above 0")
        if not 0 <= self.retries <= _RETRIES_MAX:
            raise ValueError(f"Cannot use retries: it is not 0 to {_RETRIES_MAX}")


def read_target(url: str | None, key: str | Unset | None, timeout: float | None, retries: int) -> Target:
    """Return the way to the service; what is left out is read from the environment."""
    if isinstance(key, Unset):
        key = os.environ.get("SVC_KEY", "")
        if not key:
            raise ValueError("Cannot make a client: give a key, or set SVC_KEY; None says that there is none")
    if key is not None and not re.fullmatch(r"[!-~]+", key):
        raise ValueError("Cannot make a client: the key has characters that no key has")
    headers = {"x-svc-client": f"python/{VERSION}"}
    if key is not None:
        headers["authorization"] = f"Bearer {key}"
    address = url or os.environ.get("SVC_URL") or "http://127.0.0.1:8787"
    return Target(_read_origin(address), headers, math.inf if timeout is None else timeout, retries)


def _read_origin(address: str) -> str:
    """Return the address without `/v1`, which people add because the documentation of the API shows it."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("Cannot make a client: url is not the http or https address of a service")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("Cannot make a client: url has a user, a query or a fragment, which are never sent")
    path = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{path}"


class Tries:
    """The tries of one call."""

    def __init__(self, target: Target, name: str) -> None:
        self._target = target
        self._name = name
        self.ends_at = time.monotonic() + target.timeout
        """When the call must be over, by the monotonic clock."""
        self._tried = 0

    def limit(self) -> float | None:
        """Return the seconds that are left; None if there is no limit."""
        left = self.ends_at - time.monotonic()
        return None if math.isinf(left) else max(0.001, left)

    def wait_for(self, error: SvcError) -> float:
        """Return how long to wait before the next try, in seconds; raise the error if there is none."""
        if not error.retryable or self._tried >= self._target.retries:
            raise error
        wait = max(error.retry_after or 0.0, backoff(self._tried))
        if time.monotonic() + wait >= self.ends_at:
            raise error
        self._tried += 1
        return wait

    def fail(self, request: Request, cause: Exception) -> SvcError:
        """Return the error for a try without a reply."""
        if isinstance(cause, (httpx.TimeoutException, TimeoutError)) and time.monotonic() >= self.ends_at - 0.01:
            message = f"Cannot call {self._name}: there was no reply within {self._target.timeout:g} s"
            # The time of the call is over, and with it its tries.
            self._tried = self._target.retries
            return SvcError("timeout", message, retryable=True)
        place = f"{request.method} {request.url.split('?')[0]}"
        message = f"Cannot call {self._name}: the connection failed ({place})"
        return SvcError("connection_failed", message, retryable=True)


@cache
def _adapter(name: str, form: Any) -> TypeAdapter[Any]:
    return TypeAdapter(form)


def read_reply(name: str, form: Any, content: bytes) -> Any:
    """Return the reply as a model.

    Raises:
        SvcError: `bad_reply` if it is something else.
    """
    if form is str:
        return content.decode()
    try:
        return _adapter(name, form).validate_json(content)
    except ValidationError as cause:
        place = ".".join(str(part) for part in cause.errors(include_input=False)[0]["loc"])
        message = f"Cannot read the reply to {name}: it is not what a service of version {VERSION} answers ({place})"
        raise SvcError("bad_reply", message, status=200) from cause
