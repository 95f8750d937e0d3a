"""An agent with the official Python client and its OAuth, as a program on a person's machine.

It writes lines of JSON on standard output and reads its orders from standard input, one a line: the query of the
callback, then a question for each recall.
"""

import asyncio
import json
import sys
from urllib.parse import parse_qs

import httpx2
from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken


class Storage(TokenStorage):
    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def tell(**said: object) -> None:
    print(json.dumps(said), flush=True)


async def listen() -> str:
    line = await asyncio.to_thread(sys.stdin.readline)
    if line == "":
        raise SystemExit("nobody answers")
    return line.rstrip("\n")


async def redirect(url: str) -> None:
    tell(open=url)


async def callback() -> AuthorizationCodeResult:
    answer = parse_qs(await listen())
    return AuthorizationCodeResult(**{name: answer[name][0] for name in ("code", "state", "iss") if name in answer})


async def main(url: str, redirect_uri: str) -> None:
    metadata = OAuthClientMetadata.model_validate({"client_name": "Test agent", "redirect_uris": [redirect_uri]})
    auth = OAuthClientProvider(url, metadata, Storage(), redirect, callback)
    async with (
        httpx2.AsyncClient(auth=auth, timeout=120) as http,
        streamable_http_client(url, http_client=http) as (read, write, *_),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        tell(connected=True)
        while (question := await listen()) != "":
            result = await session.call_tool("recall", {"query": question})
            tell(text=result.content[0].text)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
