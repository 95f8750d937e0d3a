/**
 * Messages as other programs send them, read as turns: those of OpenAI (Chat Completions, Responses), Anthropic, Gemini,
 * LangChain and the AI SDK. Their text becomes the turn's content. What a turn has no member for, such as a call of a
 * tool, is kept in `metadata.chatMessage`, so that nothing is lost and a message without text is a turn without text.
 */
import { z } from "zod";
import { JsonValue, MessageId, Metadata, METADATA_BYTES_MAX, Tags } from "./common.ts";

type Role = "user" | "assistant" | "system" | "tool";
type Value = Readonly<Record<string, unknown>>;

/** Whose role another name of it is: of `role`, or of `type` where a message has no `role`. */
const ROLES: Readonly<Record<string, Role>> = {
  user: "user",
  human: "user",
  HumanMessage: "user",
  HumanMessageChunk: "user",
  assistant: "assistant",
  ai: "assistant",
  model: "assistant",
  AIMessage: "assistant",
  AIMessageChunk: "assistant",
  function_call: "assistant",
  reasoning: "assistant",
  system: "system",
  developer: "system",
  SystemMessage: "system",
  tool: "tool",
  function: "tool",
  ToolMessage: "tool",
  FunctionMessage: "tool",
  function_call_output: "tool",
};

/** Members of messages that are kept as they are. Others are refused: they may be misspelt. */
const KEPT = [
  // OpenAI
  "tool_calls",
  "tool_call_id",
  "function_call",
  "refusal",
  "audio",
  "annotations",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "call_id",
  "arguments",
  "output",
  "summary",
  "encrypted_content",
  "status",
  // Anthropic
  "model",
  "stop_reason",
  "stop_sequence",
  "stop_details",
  "usage",
  "container",
  // LangChain
  "additional_kwargs",
  "response_metadata",
  "usage_metadata",
  "invalid_tool_calls",
  "tool_call_chunks",
  "example",
  "artifact",
  // AI SDK
  "attachments",
  "experimental_attachments",
  "toolInvocations",
  "providerMetadata",
  "providerOptions",
  "revisionId",
] as const;

const kept = z.object(Object.fromEntries(KEPT.map((name) => [name, JsonValue.optional()]))).shape;

/** A message of another program. The converter accepts it in place of a turn; this describes it for readers. */
export const ChatMessage = z.strictObject({
  role: z.string().optional().meta({ description: "`developer`, `human`, `ai`, `model`, `function`, …" }),
  type: z.string().optional().meta({ description: "The kind of message, if it has no `role`" }),
  content: z.union([z.string(), z.array(JsonValue)]).nullable().optional().meta({
    description: "A text, parts of which those with text count, or null",
  }),
  parts: z.array(JsonValue).optional().meta({ description: "As `content`" }),
  name: z.string().nullable().optional(),
  id: JsonValue.optional().meta({ description: "A text counts as `messageId`" }),
  messageId: MessageId.optional(),
  occurredAt: JsonValue.optional(),
  createdAt: JsonValue.optional().meta({ description: "An RFC 3339 time counts as `occurredAt`" }),
  created_at: JsonValue.optional(),
  pinned: z.boolean().optional(),
  tags: Tags.optional(),
  metadata: Metadata.optional(),
  data: JsonValue.optional().meta({ description: "The message itself, as LangChain stores it" }),
  lc: JsonValue.optional(),
  kwargs: JsonValue.optional(),
  ...kept,
}).meta({
  id: "ChatMessage",
  description:
    "A message in the form of OpenAI, Anthropic, Gemini, LangChain or the AI SDK. What a turn has no member for is kept in `metadata.chatMessage`; long texts in it are cut if it has more than 16 KiB",
});
export type ChatMessage = z.input<typeof ChatMessage>;

/** The turn that a message is. What is neither stays as it is, for the turn's schema to refuse. */
export function toTurn(given: unknown): unknown {
  if (!isObject(given) || isTurn(given)) return given;
  if (!["string", "undefined"].includes(typeof given["content"]) && !isList(given["content"])) return given;
  const { role, type, content, parts, name, id, createdAt, created_at, metadata, ...others } = unwrap(given);
  const said = typeof role === "string" ? role : typeof type === "string" ? type : undefined;
  const known = said !== undefined && Object.hasOwn(ROLES, said) ? ROLES[said] : undefined;
  const { text, isResult } = readText(content ?? parts ?? others["output"]);
  const own = known === "user" && isResult ? "tool" : known;
  const rest = Object.fromEntries(Object.entries(others).filter(([key]) => (KEPT as readonly string[]).includes(key)));
  const turn = Object.fromEntries(Object.entries(others).filter(([key]) => !Object.hasOwn(rest, key)));
  const time = [createdAt, created_at].find((one) => typeof one === "string" && !Number.isNaN(Date.parse(one)));
  const speaks = own !== "tool";
  const extra = {
    ...(role !== own && { role }),
    ...(type !== undefined && { type }),
    ...(isPlain(content, text) ? {} : { content }),
    ...(isPlain(parts, text) ? {} : { parts }),
    ...(!speaks && { name }),
    ...rest,
  };
  return {
    ...turn,
    ...(own === undefined ? { role } : { role: own }),
    content: text,
    ...(speaks && name != null && { name }),
    ...(turn["messageId"] === undefined && MessageId.safeParse(id).success && { messageId: id }),
    ...(turn["occurredAt"] === undefined && time !== undefined && { occurredAt: new Date(String(time)).toISOString() }),
    ...withExtra(metadata, extra),
  };
}

/** Whether it is a turn already, apart from members that are null or, for the content, missing. */
function isTurn(value: Value): boolean {
  const { role, content, name } = value;
  const turns = ["role", "content", "name", "messageId", "occurredAt", "pinned", "tags", "metadata", "sessionId"];
  return (typeof content === "string" || content === undefined) && name !== null && typeof role === "string" &&
    ROLES[role] === role && Object.keys(value).every((key) => turns.includes(key));
}

function isObject(value: unknown): value is Value {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: unknown): boolean {
  return value === null || Array.isArray(value);
}

/** The message in what LangChain stores: `{ type, data }`, or `{ lc, type: "constructor", id: […, name], kwargs }`. */
function unwrap(value: Value): Value {
  const { data, kwargs, lc, ...others } = value;
  if (isObject(kwargs) && Array.isArray(others["id"])) return { ...kwargs, type: others["id"].at(-1) };
  if (isObject(data) && typeof others["type"] === "string") return { ...data, type: others["type"] };
  return {
    ...others,
    ...(data !== undefined && { data }),
    ...(kwargs !== undefined && { kwargs }),
    ...(lc !== undefined && { lc }),
  };
}

/** The text in a content; `isResult`: it says nothing but what a tool gave back. */
function readText(content: unknown): { readonly text: string; readonly isResult: boolean } {
  if (typeof content === "string") return { text: content, isResult: false };
  if (!Array.isArray(content)) return { text: "", isResult: false };
  const own = content.flatMap(textOfPart);
  const results = content.filter((part) => isObject(part) && /^tool[_-]result$/.test(String(part["type"])));
  if (own.length > 0 || results.length === 0) return { text: own.join("\n"), isResult: false };
  const given = results.map((part) => textOfResult((part as Value)["content"] ?? (part as Value)["output"]));
  return { text: given.join("\n"), isResult: true };
}

function textOfPart(part: unknown): string[] {
  if (typeof part === "string") return [part];
  if (!isObject(part)) return [];
  const { type = "text", text, refusal } = part;
  if (type === "refusal" && typeof refusal === "string") return [refusal];
  return /^((input|output)_)?text$/.test(String(type)) && typeof text === "string" ? [text] : [];
}

function textOfResult(result: unknown): string {
  if (result === undefined || result === null) return "";
  const value = isObject(result) && "value" in result ? result["value"] : result;
  if (Array.isArray(value)) return readText(value).text;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Whether a content is nothing but the text. */
function isPlain(content: unknown, text: string): boolean {
  if (content === undefined || content === null || content === text) return true;
  if (!Array.isArray(content)) return false;
  const [part] = content;
  return content.length === 0 ||
    content.length === 1 && (part === text || isObject(part) && part["text"] === text && Object.keys(part).length <= 2);
}

function withExtra(metadata: unknown, extra: Value): { readonly metadata?: unknown } {
  const isEmpty = (value: unknown) =>
    value === undefined || value === null || value === "" ||
    typeof value === "object" && Object.keys(value).length === 0;
  const filled = Object.fromEntries(Object.entries(extra).filter(([, value]) => !isEmpty(value)));
  if (Object.keys(filled).length === 0) return metadata === undefined ? {} : { metadata };
  if (metadata !== undefined && !isObject(metadata)) return { metadata };
  return { metadata: fitted(metadata ?? {}, filled) };
}

/** Characters to which texts are cut, one try after the other. */
const CUTS = [Infinity, 2_000, 400, 80];
const encoder = new TextEncoder();

/** The metadata with the extra members, whose long texts are cut until there is room for them. */
function fitted(metadata: Value, extra: Value): Value {
  for (const most of CUTS) {
    const cut = { ...cutTexts(extra, most) as Value, ...(most < Infinity && { cut: true }) };
    const joined = { chatMessage: cut, ...metadata };
    if (encoder.encode(JSON.stringify(joined)).byteLength <= METADATA_BYTES_MAX) return joined;
  }
  return { chatMessage: { cut: true }, ...metadata };
}

function cutTexts(value: unknown, most: number): unknown {
  if (typeof value === "string") return value.length > most ? `${value.slice(0, most).toWellFormed()}…` : value;
  if (Array.isArray(value)) return value.map((one) => cutTexts(one, most));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cutTexts(one, most)]));
}
