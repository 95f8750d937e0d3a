"""Sends requests, reads replies, and repeats what may be repeated."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import httpx

from ._deadline import end_at
from ._error import SvcError, read_refusal
from ._request import Request, build_request
from ._streams import AsyncByteStream, ByteStream
from ._target import Target, Tries, read_reply
from ._tenant import AsyncTenantTokens, TenantTokens
from .gen.routes import ROUTES

Given = Mapping[str, object]


class Caller:
    """Calls operations."""

    _target: Target
    _http: httpx.Client
    _auth: TenantTokens | None = None
    """The tokens of a tenant, in the place of the target's key."""

    def _call(self, name: str, given: Given, headers: Given, form: Any) -> Any:
        response = self._send(self._build(name, given, headers), stream=False)
        return read_reply(name, form, response.content)

    def _stream(self, name: str, given: Given, headers: Given) -> ByteStream:
        return ByteStream(name, self._send(self._build(name, given, headers), stream=True))

    def _pages(self, name: str, given: Given, headers: Given, form: Any) -> Iterator[Any]:
        cursor: object = given.get("cursor")
        while True:
            page = self._call(name, {**given, "cursor": cursor}, headers, form)
            yield from page.data
            if page.next_cursor is None:
                return
            cursor = _advance(cursor, page.next_cursor)

    def _build(self, name: str, given: Given, headers: Given) -> Request:
        return build_request(self._target.origin, name, ROUTES[name], given, headers)

    def _send(self, request: Request, *, stream: bool) -> httpx.Response:
        tries = Tries(self._target, request.name)
        while True:
            try:
                return self._try(request, tries, stream=stream)
            except SvcError as error:
                time.sleep(tries.wait_for(error))

    def _try(self, request: Request, tries: Tries, *, stream: bool) -> httpx.Response:
        content = request.body if request.body is None or isinstance(request.body, bytes) else request.read()
        headers = {**self._target.headers, **request.headers}
        built = self._http.build_request(
            request.method, request.url, headers=headers, content=content, timeout=tries.limit()
        )
        try:
            # A redirect could send the key, or a change, to an unintended place.
            auth = self._auth or httpx.USE_CLIENT_DEFAULT
            with end_at(tries.ends_at):
                response = self._http.send(built, stream=stream, follow_redirects=False, auth=auth)
                if not response.is_success:
                    response.read()
        except httpx.TransportError as cause:
            raise tries.fail(request, cause) from cause
        if response.is_success:
            return response
        raise read_refusal(request.name, response.status_code, response.headers, response.content)


class AsyncCaller:
    """Calls operations, for asyncio."""

    _target: Target
    _http: httpx.AsyncClient
    _auth: AsyncTenantTokens | None = None
    """The tokens of a tenant, in the place of the target's key."""

    async def _call(self, name: str, given: Given, headers: Given, form: Any) -> Any:
        response = await self._send(self._build(name, given, headers), stream=False)
        return read_reply(name, form, response.content)

    async def _stream(self, name: str, given: Given, headers: Given) -> AsyncByteStream:
        return AsyncByteStream(name, await self._send(self._build(name, given, headers), stream=True))

    async def _pages(self, name: str, given: Given, headers: Given, form: Any) -> AsyncIterator[Any]:
        cursor: object = given.get("cursor")
        while True:
            page = await self._call(name, {**given, "cursor": cursor}, headers, form)
            for item in page.data:
                yield item
            if page.next_cursor is None:
                return
            cursor = _advance(cursor, page.next_cursor)

    def _build(self, name: str, given: Given, headers: Given) -> Request:
        return build_request(self._target.origin, name, ROUTES[name], given, headers)

    async def _send(self, request: Request, *, stream: bool) -> httpx.Response:
        tries = Tries(self._target, request.name)
        while True:
            try:
                return await self._try(request, tries, stream=stream)
            except SvcError as error:
                await asyncio.sleep(tries.wait_for(error))

    async def _try(self, request: Request, tries: Tries, *, stream: bool) -> httpx.Response:
        content = request.body if request.body is None or isinstance(request.body, bytes) else _read_async(request)
        headers = {**self._target.headers, **request.headers}
        built = self._http.build_request(
            request.method, request.url, headers=headers, content=content, timeout=tries.limit()
        )
        try:
            # A redirect could send the key, or a change, to an unintended place.
            auth = self._auth or httpx.USE_CLIENT_DEFAULT
            sent = self._http.send(built, stream=stream, follow_redirects=False, auth=auth)
            response = await asyncio.wait_for(sent, tries.limit())
            if not response.is_success:
                await response.aread()
        except (httpx.TransportError, asyncio.TimeoutError) as cause:
            raise tries.fail(request, cause) from cause
        if response.is_success:
            return response
        raise read_refusal(request.name, response.status_code, response.headers, response.content)


async def _read_async(request: Request) -> AsyncIterator[bytes]:
    for chunk in request.read():
        yield chunk


def _advance(cursor: object, following: str) -> str:
    if following == cursor:
        raise SvcError("bad_reply", "Cannot go on with the list: the next page is the same page")
    return following
