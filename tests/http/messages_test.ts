/** Messages as other programs send them are stored as turns, by every face; none is lost for having no text. */
import assert from "node:assert/strict";
import { toTurn } from "../../src/schema/chat_message.ts";
import { callTool } from "../mcp/_client.ts";
import { clientOf as rpcClientOf, invoke } from "../rpc/_client.ts";
import { SvcService } from "../../src/gen/svc/v1/svc_pb.ts";
import { clientOf } from "../sdk/_client.ts";
import type { TestService } from "../_service.ts";
import { exportAll } from "./_transfer.ts";
import { test } from "./_facts.ts";

const CALL = { id: "call_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Lyon"}' } };

/** Lists of messages by their origin, with the roles and texts that the turns have. */
const LISTS: Readonly<Record<string, readonly [messages: readonly object[], turns: readonly string[]]>> = {
  "OpenAI chat": [[
    { role: "developer", content: "Answer briefly." },
    {
      role: "user",
      content: [{ type: "text", text: "Weather in Lyon?" }, { type: "image_url", image_url: { url: "x" } }],
    },
    { role: "assistant", content: null, refusal: null, tool_calls: [CALL] },
    { role: "tool", tool_call_id: "call_1", content: '{"temp":21}' },
    { role: "assistant", content: [{ type: "refusal", refusal: "I may not say." }] },
    { role: "function", name: "get_weather", content: "21" },
  ], [
    "system: Answer briefly.",
    "user: Weather in Lyon?",
    "assistant: ",
    'tool: {"temp":21}',
    "assistant: I may not say.",
    "tool: 21",
  ]],
  "OpenAI responses": [[
    { role: "user", content: [{ type: "input_text", text: "Hello" }, { type: "input_text", text: "again" }] },
    { type: "function_call", call_id: "c", name: "find", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output: "found" },
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: "Hi.", annotations: [] }],
    },
  ], ["user: Hello\nagain", "assistant: ", "tool: found", "assistant: Hi."]],
  Anthropic: [[
    { role: "user", content: [{ type: "text", text: "Look it up." }] },
    {
      role: "assistant",
      content: [{ type: "thinking", thinking: "hm", signature: "s" }, {
        type: "tool_use",
        id: "t",
        name: "find",
        input: { q: "x" },
      }],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "It is blue." }] }],
    },
    {
      id: "msg_9",
      type: "message",
      model: "m",
      role: "assistant",
      content: [{ type: "text", text: "Blue." }],
      stop_reason: "end_turn",
    },
  ], ["user: Look it up.", "assistant: ", "tool: It is blue.", "assistant: Blue."]],
  LangChain: [[
    { type: "human", content: "Hi", additional_kwargs: {}, response_metadata: {}, name: null, id: null },
    {
      type: "ai",
      content: "",
      tool_calls: [{ name: "find", args: {}, id: "t" }],
      additional_kwargs: { refusal: null },
    },
    { type: "tool", content: "found", tool_call_id: "t", name: "find" },
    { type: "ai", data: { content: "Done.", additional_kwargs: {} } },
    { lc: 1, type: "constructor", id: ["langchain_core", "messages", "HumanMessage"], kwargs: { content: "Thanks" } },
  ], ["user: Hi", "assistant: ", "tool: found", "assistant: Done.", "user: Thanks"]],
  "AI SDK": [[
    { id: "u1", role: "user", parts: [{ type: "text", text: "Plan it." }, { type: "file", url: "x" }] },
    {
      id: "a1",
      role: "assistant",
      parts: [{ type: "step-start" }, { type: "tool-plan", toolCallId: "t", output: {} }],
    },
    {
      role: "tool",
      content: [{
        type: "tool-result",
        toolCallId: "t",
        toolName: "plan",
        output: { type: "json", value: { ok: true } },
      }],
    },
  ], ["user: Plan it.", "assistant: ", 'tool: {"ok":true}']],
  Gemini: [[
    { role: "user", parts: [{ text: "Hi" }] },
    { role: "model", parts: [{ text: "Hello." }] },
  ], ["user: Hi", "assistant: Hello."]],
};

async function listTurns(service: TestService, id: string) {
  return (await service.get(`/v1/session/${id}/turns`)).body.data as Record<string, never>[];
}
const show = ({ role, content }: { role?: string; content?: string }) => `${role}: ${content}`;

for (const [origin, [messages, turns]] of Object.entries(LISTS)) {
  test(`messages of ${origin} are stored by HTTP, the client and MCP, and what is no text is kept`, async (service) => {
    const { body: { id } } = await service.post("/v1/session", {});
    const added = await service.post(`/v1/session/${id}/turns`, { turns: messages });
    assert.deepEqual([added.status, added.body.created], [201, messages.length], JSON.stringify(added.body));
    const stored = await listTurns(service, id);
    assert.deepEqual(stored.map(show), turns);
    const kept = JSON.stringify(stored);
    for (const part of ["call_1", "tool_use", "signature", "image_url", "tool-plan"]) {
      if (JSON.stringify(messages).includes(part)) assert.ok(kept.includes(part), part);
    }
    const single = (await service.post("/v1/session", {})).body.id;
    for (const message of messages) {
      assert.equal((await service.post(`/v1/session/${single}/turns`, message)).status, 201, JSON.stringify(message));
    }
    assert.deepEqual((await listTurns(service, single)).map(show), turns);
    const session = clientOf(service).session(`sdk ${origin}`);
    await session.add(messages);
    assert.deepEqual((await listTurns(service, await session.id())).map(show), turns);
    const recorded = await callTool(service, "record", { session: `mcp ${origin}`, turns: messages });
    assert.equal(recorded.data.created, messages.length, recorded.text);
    assert.deepEqual((await listTurns(service, recorded.data.sessionId)).map(show), turns);
  });
}

test("a turn without text, however it is written, is kept among the others, found by nobody, and survives all that follows", async (service) => {
  for (const gap of [{ content: null }, { content: "" }, {}, { content: "  \n" }]) {
    const { body: { id } } = await service.post("/v1/session", {});
    const turns = [
      { role: "user", content: "My sister Ilse keeps bees in Lyon.", messageId: "a" },
      { role: "assistant", ...gap, messageId: "b", pinned: true, metadata: { call: "get_weather" } },
      { role: "user", ...gap, messageId: "c" },
    ];
    assert.equal((await service.post(`/v1/session/${id}/turns`, { turns })).status, 201, JSON.stringify(gap));
    const again = await service.post(`/v1/session/${id}/turns`, { turns });
    assert.deepEqual([again.status, again.body.duplicates], [200, 3]);
    const [, silent] = await listTurns(service, id);
    assert.deepEqual(silent!["metadata"], { call: "get_weather" });
    assert.equal((await service.get(`/v1/session/${id}/context`)).status, 200);
    const { text } = await exportAll(service);
    assert.ok(text.includes('"messageId":"b"'));
    const trial = await service.call("POST", "/v1/import?dryRun=true", {
      body: text,
      headers: { "content-type": "application/x-ndjson" },
    });
    assert.deepEqual([trial.status, trial.body.failed], [200, 0]);
    const collapsed = await service.post(`/v1/session/${id}/collapse`, {});
    assert.equal(collapsed.status, 200, JSON.stringify(collapsed.body));
    assert.ok(collapsed.body.facts.every(({ statement }: { statement: string }) => statement.trim() !== ""));
  }
});

test("a turn without text, and of another role's name, is taken by RPC", async (service) => {
  const { body: { id } } = await service.post("/v1/session", {});
  for (const turn of [{ role: "assistant", messageId: "x" }, { role: "human", content: "Hi", messageId: "y" }]) {
    const summary = await invoke(rpcClientOf(service), SvcService.method.ingestBatch, {
      turn: { sessionId: id, ...turn },
    });
    assert.equal(summary.created, 1);
  }
  assert.deepEqual((await listTurns(service, id)).map(show), ["assistant: ", "user: Hi"]);
});

test("what is no message is refused with its place, and so is a misspelt member", async (service) => {
  const { body: { id } } = await service.post("/v1/session", {});
  const add = (...turns: unknown[]) => service.post(`/v1/session/${id}/turns`, { turns });
  for (
    const [turn, path] of [
      [{ role: "user", contnet: "x" }, "turns.1.contnet"],
      [{ role: "narrator", content: "x" }, "turns.1.role"],
      [{ content: "x" }, "turns.1.role"],
      [{ role: "user", content: 7 }, "turns.1.content"],
      ["hello", "turns.1"],
    ] as const
  ) {
    const { status, body } = await add({ role: "user", content: "fine" }, turn);
    assert.equal(status, 422, JSON.stringify(turn));
    assert.ok(body.errors.some((one: { path: string }) => one.path === path), JSON.stringify(body.errors));
  }
});

Deno.test("long parts are cut so that the metadata has room, and the caller's own metadata stays", () => {
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(900_000)}` } };
  const turn = toTurn({ role: "user", content: [{ type: "text", text: "See" }, image], metadata: { own: 1 } }) as {
    content: string;
    metadata: { own: number; chatMessage: { cut: boolean } };
  };
  assert.equal(turn.content, "See");
  assert.equal(turn.metadata.own, 1);
  assert.equal(turn.metadata.chatMessage.cut, true);
  assert.ok(JSON.stringify(turn.metadata).length < 16_384);
  const plain = { role: "user", content: "x", name: "Ada", metadata: { a: 1 } };
  assert.equal(toTurn(plain), plain);
});
