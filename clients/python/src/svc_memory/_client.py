"""The clients."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Literal, overload

import httpx
from typing_extensions import Self

from ._deadline import hold_deadlines
from ._request import UNSET, Unset
from ._session import AsyncSessionHandle, SessionHandle
from ._target import Target, read_target
from ._tenant import AsyncTenantTokens, Kept, TenantTokens, options_of
from ._watch import AsyncWatch, Watch
from .gen import models
from .gen.asynchronous import AsyncLists, AsyncMethods
from .gen.sync import Lists, Methods


def _change(target: Target, timeout: float | Unset | None, retries: int | None) -> Target:
    return dataclasses.replace(
        target,
        timeout=target.timeout if timeout is UNSET else math.inf if timeout is None else timeout,
        retries=target.retries if retries is None else retries,
    )


class Client(Methods):
    """The service, with a method for each operation. Threads may share it.

    Args:
        url: The address of the service. Default: `SVC_URL`, otherwise `http://127.0.0.1:8787`.
        key: The key of a workspace (`svc_live_…`). Default: `SVC_KEY`. None: requests have none.
        timeout: The longest time of a call with all its tries, in seconds; None: no limit.
        retries: How often a call is repeated if the connection fails or the service says that it may succeed later,
            0 to 10. A repetition has the same Idempotency-Key, so that the change happens once.
        http: Replaces the client of httpx, for its proxies or certificates. It is not closed with this one.

    Raises:
        ValueError: The address, the key or a limit cannot be used; the message never holds the key.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | Unset | None = UNSET,
        *,
        timeout: float | None = 30.0,
        retries: int = 3,
        http: httpx.Client | None = None,
    ) -> None:
        self._target = read_target(url, key, timeout, retries)
        self._tenants: Kept[Client] = Kept()
        self._owned = http is None
        self._http = httpx.Client() if http is None else http
        hold_deadlines(self._http)

    @property
    def all(self) -> Lists:
        """Lists page by page: `for fact in svc.all.list_facts(tags=["backup"])`."""
        return Lists(self)

    def session(self, name: str, **start: Any) -> SessionHandle:
        """Return the session with this name of yours; it is found or started, with `start`, at its first use."""
        return SessionHandle(self, name, start)

    def tenant(
        self,
        external_id: str,
        *,
        scopes: Sequence[models.Scope] | None = None,
        max_sensitivity: models.Sensitivity | None = None,
        ttl_seconds: int | None = None,
    ) -> Client:
        """Return the client of one user of an app, by the app's own id of the user; for the key of a broker.

        The user's workspace is found or created at the first call, and the token is renewed by itself. The clients of
        the same user are one, and share the connections of this client.

        Args:
            external_id: Your id of the user, such as an account number.
            scopes: What the client may do. Default: all that the broker may give.
            max_sensitivity: Its clearance. Default: the highest that the broker may give.
            ttl_seconds: For how long a token counts, in seconds: a minute to a day. Default: an hour.
        """
        options = options_of(scopes, max_sensitivity, ttl_seconds)

        def make() -> Client:
            other = self.with_options()
            kept = {name: value for name, value in self._target.headers.items() if name != "authorization"}
            other._target = dataclasses.replace(self._target, headers=kept)
            other._auth = TenantTokens(self, external_id, options)
            return other

        return self._tenants.get(external_id, options, make)

    @overload
    def watch(self, channel: Literal["health"], *, since: str | None = None) -> Watch[models.HealthSnapshot]: ...
    @overload
    def watch(
        self, channel: Literal["memory", "tasks", "events"], *, since: str | None = None
    ) -> Watch[models.Change]: ...
    def watch(self, channel: models.StreamChannel, *, since: str | None = None) -> Watch[Any]:
        """Follow a channel: `for one in svc.watch("memory"): print(one.event.kind)`.

        If the connection breaks off, it goes on at the same place.

        Args:
            channel: `memory`, `tasks`, `events` or `health`.
            since: Begins with the events after this place. Default: with events from now on.
        """
        return Watch(self._target, channel, since, self._auth)

    def with_options(self, *, timeout: float | Unset | None = UNSET, retries: int | None = None) -> Self:
        """Return the same client with other limits; they share their connections."""
        other = copy.copy(self)
        other._target = _change(self._target, timeout, retries)
        other._owned = False
        # The tenants of a client are those of its own key, and have its limits.
        other._tenants = Kept()
        return other

    def close(self) -> None:
        """Close the connections."""
        if self._owned:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class AsyncClient(AsyncMethods):
    """The service, with a method for each operation, for asyncio.

    Args:
        url: The address of the service. Default: `SVC_URL`, otherwise `http://127.0.0.1:8787`.
        key: The key of a workspace (`svc_live_…`). Default: `SVC_KEY`. None: requests have none.
        timeout: The longest time of a call with all its tries, in seconds; None: no limit.
        retries: How often a call is repeated if the connection fails or the service says that it may succeed later,
            0 to 10. A repetition has the same Idempotency-Key, so that the change happens once.
        http: Replaces the client of httpx, for its proxies or certificates. It is not closed with this one.

    Raises:
        ValueError: The address, the key or a limit cannot be used; the message never holds the key.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | Unset | None = UNSET,
        *,
        timeout: float | None = 30.0,
        retries: int = 3,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._target = read_target(url, key, timeout, retries)
        self._tenants: Kept[AsyncClient] = Kept()
        self._owned = http is None
        self._http = httpx.AsyncClient() if http is None else http

    @property
    def all(self) -> AsyncLists:
        """Lists page by page: `async for fact in svc.all.list_facts(tags=["backup"])`."""
        return AsyncLists(self)

    def session(self, name: str, **start: Any) -> AsyncSessionHandle:
        """Return the session with this name of yours; it is found or started, with `start`, at its first use."""
        return AsyncSessionHandle(self, name, start)

    def tenant(
        self,
        external_id: str,
        *,
        scopes: Sequence[models.Scope] | None = None,
        max_sensitivity: models.Sensitivity | None = None,
        ttl_seconds: int | None = None,
    ) -> AsyncClient:
        """Return the client of one user of an app, by the app's own id of the user; for the key of a broker.

        The user's workspace is found or created at the first call, and the token is renewed by itself. The clients of
        the same user are one, and share the connections of this client.

        Args:
            external_id: Your id of the user, such as an account number.
            scopes: What the client may do. Default: all that the broker may give.
            max_sensitivity: Its clearance. Default: the highest that the broker may give.
            ttl_seconds: For how long a token counts, in seconds: a minute to a day. Default: an hour.
        """
        options = options_of(scopes, max_sensitivity, ttl_seconds)

        def make() -> AsyncClient:
            other = self.with_options()
            kept = {name: value for name, value in self._target.headers.items() if name != "authorization"}
            other._target = dataclasses.replace(self._target, headers=kept)
            other._auth = AsyncTenantTokens(self, external_id, options)
            return other

        return self._tenants.get(external_id, options, make)

    @overload
    def watch(self, channel: Literal["health"], *, since: str | None = None) -> AsyncWatch[models.HealthSnapshot]: ...
    @overload
    def watch(
        self, channel: Literal["memory", "tasks", "events"], *, since: str | None = None
    ) -> AsyncWatch[models.Change]: ...
    def watch(self, channel: models.StreamChannel, *, since: str | None = None) -> AsyncWatch[Any]:
        """Follow a channel: `async for one in svc.watch("memory"): print(one.event.kind)`.

        If the connection breaks off, it goes on at the same place.

        Args:
            channel: `memory`, `tasks`, `events` or `health`.
            since: Begins with the events after this place. Default: with events from now on.
        """
        return AsyncWatch(self._target, channel, since, self._auth)

    def with_options(self, *, timeout: float | Unset | None = UNSET, retries: int | None = None) -> Self:
        """Return the same client with other limits; they share their connections."""
        other = copy.copy(self)
        other._target = _change(self._target, timeout, retries)
        other._owned = False
        # The tenants of a client are those of its own key, and have its limits.
        other._tenants = Kept()
        return other

    async def aclose(self) -> None:
        """Close the connections."""
        if self._owned:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self.aclose()
