"""Clients of an app's users: each has the tokens of one tenant, which the key of the app's broker gets and renews."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import httpx

from .gen import models

if TYPE_CHECKING:
    from .gen.asynchronous import AsyncMethods
    from .gen.sync import Methods

C = TypeVar("C")

_TENANTS_MAX = 1_000
"""The most tenants whose clients are kept; beyond it, the one that was asked for longest ago is forgotten."""
_TTL_S = 3_600
_USED_PART = 0.9
"""A token is renewed after this part of its life."""


def options_of(
    scopes: Sequence[models.Scope] | None, max_sensitivity: models.Sensitivity | None, ttl_seconds: int | None
) -> dict[str, Any]:
    """Return what the tokens of a tenant may do, without what is left out."""
    given = {
        "scopes": None if scopes is None else sorted(scopes),
        "max_sensitivity": max_sensitivity,
        "ttl_seconds": ttl_seconds,
    }
    return {name: value for name, value in given.items() if value is not None}


class _Life:
    """When a token is renewed, by the caller's own clock: that of the service may be another."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._seconds = options.get("ttl_seconds", _TTL_S) * _USED_PART
        self._renew_at = 0.0
        self.token = ""

    def counts(self, refused: str) -> bool:
        return self.token not in ("", refused) and time.monotonic() < self._renew_at

    def begin(self, began: float, token: str) -> str:
        self._renew_at = began + self._seconds
        self.token = token
        return token


def _token_of(opened: models.OpenedTenant) -> str:
    assert opened.token is not None
    return opened.token.token


class TenantTokens(httpx.Auth):
    """The tokens of one tenant. Threads at the same time share one renewal."""

    def __init__(self, svc: Methods, external_id: str, options: dict[str, Any]) -> None:
        def open_tenant() -> str:
            return _token_of(svc.open_tenant(**options, external_id=external_id, credential="token"))

        self._open = open_tenant
        self._lock = threading.Lock()
        self._life = _Life(options)

    def get(self, refused: str = "") -> str:
        """Return the present token; a new one if it has nearly ended, or is the one that the service refused."""
        with self._lock:
            if self._life.counts(refused):
                return self._life.token
            began = time.monotonic()
            return self._life.begin(began, self._open())

    def sync_auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Send the token, and once a new one if the service refuses it."""
        token = self.get()
        response = yield _with(request, token)
        if response.status_code == 401 and _is_repeatable(request):
            response.read()
            yield _with(request, self.get(token))


class AsyncTenantTokens(httpx.Auth):
    """The tokens of one tenant, for asyncio. Tasks at the same time share one renewal."""

    def __init__(self, svc: AsyncMethods, external_id: str, options: dict[str, Any]) -> None:
        async def open_tenant() -> str:
            return _token_of(await svc.open_tenant(**options, external_id=external_id, credential="token"))

        self._open = open_tenant
        self._lock = asyncio.Lock()
        self._life = _Life(options)

    async def get(self, refused: str = "") -> str:
        """Return the present token; a new one if it has nearly ended, or is the one that the service refused."""
        async with self._lock:
            if self._life.counts(refused):
                return self._life.token
            began = time.monotonic()
            return self._life.begin(began, await self._open())

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Send the token, and once a new one if the service refuses it."""
        token = await self.get()
        response = yield _with(request, token)
        if response.status_code == 401 and _is_repeatable(request):
            await response.aread()
            yield _with(request, await self.get(token))


def _with(request: httpx.Request, token: str) -> httpx.Request:
    request.headers["authorization"] = f"Bearer {token}"
    return request


def _is_repeatable(request: httpx.Request) -> bool:
    """Tell whether the body can be sent again: one that is read while it is sent cannot."""
    return isinstance(request.stream, httpx.ByteStream)


class Kept(Generic[C]):
    """The clients of the tenants that were asked for last. Threads may share it."""

    def __init__(self) -> None:
        self._made: OrderedDict[str, C] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, external_id: str, options: dict[str, Any], make: Callable[[], C]) -> C:
        """Return the client of a tenant, which is made at first."""
        if not external_id:
            raise ValueError("Cannot name a tenant by nothing")
        name = repr((external_id, sorted(options.items())))
        with self._lock:
            client = self._made.pop(name, None)
            if client is None:
                client = make()
            self._made[name] = client
            if len(self._made) > _TENANTS_MAX:
                self._made.popitem(last=False)
            return client
