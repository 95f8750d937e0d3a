"""Calls of the service's MCP server, which needs no session."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ._client import AsyncClient
from ._error import SvcError
from ._request import Route, build_request

_HEADERS = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}


async def ask_mcp(svc: AsyncClient, path: str, method: str, params: Mapping[str, Any], *, repeats: bool) -> Any:
    """Return the result of a method of MCP.

    Args:
        svc: The client.
        path: `/mcp` or `/mcp/all`.
        method: Such as `tools/list`.
        params: Its parameters.
        repeats: Whether it may run twice, so that it is tried again if the connection fails.

    Raises:
        SvcError: The service refuses, or cannot be reached; `bad_reply` if it does not know the method or the tool.
    """
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    caller = svc if repeats else svc.with_options(retries=0)
    request = build_request(
        caller._target.origin, method, Route("POST", path, "json", (), ()), {"body": message}, _HEADERS
    )
    response = await caller._send(request, stream=False)
    try:
        answer = json.loads(response.content)
        if "error" not in answer:
            return answer["result"]
        why = str(answer["error"]["message"])
    except (ValueError, TypeError, KeyError):
        why = "the answer is not one of MCP"
    raise SvcError("bad_reply", f"Cannot call {method}: {why}", status=response.status_code)
