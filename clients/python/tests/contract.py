"""Calls operations for the contract test: it reads a call as a line of JSON, and writes its reply as another."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from typing import Any

from svc_memory import AsyncByteStream, AsyncClient, ByteStream, Client, Model


def to_name(wire: str) -> str:
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", wire).lower()
    return f"{name}_" if name in ("from", "for", "in", "copy", "json", "schema") else name


def to_arguments(call: dict[str, Any]) -> dict[str, Any]:
    return {to_name(name): value for name, value in {**call["input"], **call["options"]}.items()}


def to_json(reply: Any) -> Any:
    return reply.to_dict() if isinstance(reply, Model) else reply


def call_sync(call: dict[str, Any]) -> Any:
    with Client(call["url"], call["key"], retries=0, timeout=120) as svc:
        reply = getattr(svc, to_name(call["id"]))(**to_arguments(call))
        return to_json(reply.read().decode() if isinstance(reply, ByteStream) else reply)


async def call_async(call: dict[str, Any]) -> Any:
    async with AsyncClient(call["url"], call["key"], retries=0, timeout=120) as svc:
        reply = await getattr(svc, to_name(call["id"]))(**to_arguments(call))
        return to_json((await reply.read()).decode() if isinstance(reply, AsyncByteStream) else reply)


for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = {"reply": asyncio.run(call_async(asked)) if asked["async"] else call_sync(asked)}
    except Exception as error:
        answer = {"error": repr(error)}
    print(json.dumps(answer), flush=True)
