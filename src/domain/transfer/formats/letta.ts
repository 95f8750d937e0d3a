/**
 * Agents of Letta: an agent file (`.af`) in the shape of letta-ai/letta `letta/schemas/agent_file.py`, `{ agents: [{ name,
 * agent_type, block_ids, messages }], blocks: [{ id, label, value }], files, tools, … }`; the older one of
 * `letta/serialize_schemas/marshmallow_agent.py`, `{ name, core_memory: [{ label, value }], messages }`; and passages of
 * archival memory as the API lists them, `[{ id, text, created_at, tags }]`, which no agent file has.
 *
 * Blocks are Markdown and become facts, a passage becomes a fact, an agent's messages a session. Ids in an agent file are
 * counted anew in each export, so that a message is known by its time and its text.
 */
import { sha256Hex } from "../../../crypto/hash.ts";
import { ServiceError } from "../../../errors.ts";
import { STATEMENT_BYTES_MAX } from "../../../schema/fact.ts";
import { conversationLines, type Message, splitText } from "./conversation.ts";
import { type ForeignRecord, listOf, objectOf, textOf, timeIfAny } from "./document.ts";
import { factLine, idOf, type MadeLine, type Maker, metadataOf, Repeats, shortKey, shortName } from "./lines.ts";
import { markdownLines } from "./markdown.ts";

type Value = ForeignRecord["value"];

/** @throws ServiceError `validation_failed` for a record that is neither an agent file nor a passage */
export function fromLetta(maker: Maker, { value: file }: ForeignRecord): MadeLine[] {
  if (Array.isArray(file["agents"])) return readFile(maker, file);
  if (Array.isArray(file["core_memory"]) || Array.isArray(file["messages"])) {
    return readAgent(maker, file, listOf(file["core_memory"]).map(objectOf));
  }
  if (typeof file["text"] === "string") return readPassage(maker, file);
  if (Array.isArray(file["passages"])) return readPassages(maker, file);
  throw new ServiceError(
    "validation_failed",
    "Cannot import: it is neither an agent file of Letta nor a passage: it has no agents, no core_memory and no text",
  );
}

function readFile(maker: Maker, file: Value): MadeLine[] {
  for (const name of ["files", "tools", "mcp_servers", "groups"]) {
    const count = listOf(file[name]).length;
    if (count > 0) maker.omit(name === "files" ? "files and images" : `${name.replaceAll("_", " ")} of agents`, count);
  }
  const blocks = new Map<unknown, Value>(listOf(file["blocks"]).map(objectOf).map((block) => [block["id"], block]));
  return [
    ...listOf(file["agents"]).map(objectOf).flatMap((agent) => {
      const own = [...new Set(listOf(agent["block_ids"]))].flatMap((id): Value[] => {
        const block = blocks.get(id);
        return block === undefined ? [] : [block];
      });
      return readAgent(maker, agent, [...own, ...listOf(agent["memory_blocks"]).map(objectOf)]);
    }),
    ...readPassages(maker, file),
  ];
}

function readPassages(maker: Maker, file: Value): MadeLine[] {
  return listOf(file["passages"]).flatMap((passage) => readPassage(maker, objectOf(passage)));
}

function readAgent(maker: Maker, agent: Value, blocks: readonly Value[]): MadeLine[] {
  const whole = textOf(agent["name"]) ?? "agent";
  const name = shortName(whole);
  const facts = blocks.flatMap((block) => {
    const [label, value] = [shortName(textOf(block["label"]) ?? "block"), textOf(block["value"])];
    if (value === undefined) maker.omit("empty blocks");
    return value === undefined ? [] : markdownLines(maker, { path: `${name}/${label}`, text: value });
  });
  const messages = listOf(agent["messages"]).map(objectOf);
  const isV1 = agent["agent_type"] === "letta_v1_agent";
  const repeats = new Repeats();
  const said = messages.length === 0 ? [] : conversationLines(maker, {
    id: shortKey(whole),
    title: name,
    agentId: name,
    startedAt: timeIfAny(messages[0]!["created_at"]),
    metadata: { letta: { agent: name } },
    messages: messages.flatMap((message) => readMessage(maker, message, isV1, repeats)),
  });
  return [...facts, ...said];
}

/** Events that Letta puts in place of a user's message. */
const EVENTS = new Set(["heartbeat", "login", "system_alert", "system_message"]);

function readMessage(maker: Maker, message: Value, isV1: boolean, repeats: Repeats): Message[] {
  const { role } = message;
  const leaveOut = (what: string) => {
    maker.omit(what);
    return [];
  };
  if (role === "system") return leaveOut("system messages");
  if (role === "tool" || role === "approval" || role === "function") return leaveOut("tool messages");
  if (role !== "user" && role !== "assistant") return leaveOut("messages of unknown roles");
  const at = timeIfAny(message["created_at"]);
  const text = textIn(maker, message);
  const make = (content: string): Message[] => [{
    id: repeats.next(sha256Hex(JSON.stringify([at, role, content])).slice(0, 40)),
    role,
    content,
    at,
  }];
  if (role === "user") {
    const event = unpack(text);
    if (event === undefined) return make(text);
    if (EVENTS.has(String(event["type"]))) return leaveOut("events that Letta sent itself");
    return textOf(event["message"]) === undefined ? make(text) : make(event["message"] as string);
  }
  const calls = listOf(message["tool_calls"]).map((call) => objectOf(objectOf(call)["function"]));
  const sent = calls.filter((call) => call["name"] === "send_message").flatMap((call) =>
    textOf(unpack(String(call["arguments"]))?.["message"]) ?? []
  );
  if (calls.length > sent.length) maker.omit("tool calls", calls.length - sent.length);
  // Older agents put their thoughts in the text and speak by a tool.
  const isThought = sent.length > 0 || (calls.length > 0 && !isV1);
  if (isThought && text.trim() !== "") maker.omit("reasoning");
  const said = [...sent, ...isThought || text.trim() === "" ? [] : [text]];
  return said.length === 0 && calls.length === 0 ? make("") : said.flatMap(make);
}

function textIn(maker: Maker, message: Value): string {
  const content = message["content"] ?? message["text"];
  if (typeof content === "string") return content;
  return listOf(content).map(objectOf).flatMap(({ type, text }) => {
    if (typeof text === "string" && (type === "text" || type === undefined)) return [text];
    maker.omit(
      /reasoning/.test(String(type)) ? "reasoning" : type === "image" ? "files and images" : "parts without text",
    );
    return [];
  }).join("\n");
}

/** Unpacks a message that is itself JSON, as Letta wraps a user's text. */
function unpack(text: string): Value | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value as Value : undefined;
  } catch {
    return undefined;
  }
}

function readPassage(maker: Maker, passage: Value): MadeLine[] {
  const text = textOf(passage["text"]);
  if (text === undefined) {
    maker.omit("empty passages");
    return [];
  }
  const id = textOf(passage["id"]);
  return splitText(text, STATEMENT_BYTES_MAX).map((statement, i) =>
    factLine(maker, {
      id: idOf(maker, i === 0 ? id?.replace(/^passage-/, "") : null, "passage", id ?? text, i),
      externalId: id === undefined ? undefined : i === 0 ? id : `${id}#${i + 1}`,
      statement,
      occurredAt: timeIfAny(passage["created_at"]),
      tags: listOf(passage["tags"]) as string[],
      metadata: {
        ...metadataOf(maker, passage["metadata"]),
        letta: { ...(id !== undefined && { id }), archival: true },
      },
    })
  );
}
