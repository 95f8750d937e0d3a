"""The memory as tools of an agent of Pydantic AI: the agent itself recalls, remembers, corrects and forgets.

    agent = Agent("openai:gpt-5", toolsets=[SvcToolset(AsyncClient())])

The tools, their descriptions and their answers are those of the service's MCP server, as far as the key's scopes go.
They need the extra `pydantic-ai` of this package, and no package of MCP.
"""

from __future__ import annotations

from typing import Any

from pydantic_ai import ModelRetry, RunContext, ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_ai.toolsets.external import TOOL_SCHEMA_VALIDATOR

from ._client import AsyncClient
from ._mcp import ask_mcp


class SvcToolset(AbstractToolset[Any]):
    """Tools of the memory.

    Args:
        svc: The client. What its key may not do is not among the tools.
        all: Whether the agent also gets the tools for sessions, decisions, reviews and the like; default: the seven for
            recalling and storing.
        id: A name of the toolset, which durable execution asks for.
    """

    def __init__(self, svc: AsyncClient, *, all: bool = False, id: str | None = None) -> None:
        self._svc = svc
        self._path = "/mcp/all" if all else "/mcp"
        self._id = id

    @property
    def id(self) -> str | None:
        """The name of the toolset."""
        return self._id

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        """Return the tools that the key allows.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        listed = await ask_mcp(self._svc, self._path, "tools/list", {}, repeats=True)
        return {one["name"]: self._to_tool(ctx, one) for one in listed["tools"]}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """Call a tool, and return its answer in words.

        Raises:
            ModelRetry: The service refuses the arguments; the model is told why.
            SvcError: The service refuses for another reason, or cannot be reached.
        """
        told = (tool.tool_def.metadata or {}).get("annotations", {})
        repeats = bool(told.get("readOnlyHint") or told.get("idempotentHint"))
        call = {"name": name, "arguments": tool_args}
        answer = await ask_mcp(self._svc, self._path, "tools/call", call, repeats=repeats)
        text = "\n".join(part["text"] for part in answer["content"] if part["type"] == "text")
        if answer.get("isError"):
            raise ModelRetry(text)
        return text

    def _to_tool(self, ctx: RunContext[Any], told: dict[str, Any]) -> ToolsetTool[Any]:
        definition = ToolDefinition(
            name=told["name"],
            description=told["description"],
            parameters_json_schema=told["inputSchema"],
            metadata={"annotations": told.get("annotations", {})},
        )
        # The service checks the arguments.
        return ToolsetTool(
            toolset=self, tool_def=definition, max_retries=ctx.max_retries, args_validator=TOOL_SCHEMA_VALIDATOR
        )
