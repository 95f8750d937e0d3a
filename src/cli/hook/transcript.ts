/**
 * What was said, from the lines of a transcript. Each line tells its format by its members, because clients run each other's
 * hooks. Recorded are the words of the user and of the assistant; not tools, reasoning, subagents or what a client adds itself.
 *
 * - Claude Code: `{ type, uuid, timestamp, isMeta, isSidechain, message: { role, content } }`
 * - Codex: `{ timestamp, type: "response_item", payload: { type: "message", role, content } }`
 * - Cursor: `{ role, message: { content } }`
 * - Gemini CLI: `{ id, timestamp, type: "user" | "gemini", content }`, also several in `{ $set: { messages } }`
 * - VS Code: `{ id, timestamp, type: "user.message" | "assistant.message", data: { content } }`
 * - plain: `{ role, content, messageId, occurredAt }`
 */
import { listBetween, replaceBetween } from "./between.ts";
import { stripBlocks } from "./block.ts";
import { withoutSecrets } from "./secrets.ts";

/** A turn in the service's form. */
export interface SpokenTurn {
  readonly role: "user" | "assistant";
  readonly content: string;
  /** The same whenever the same line is read. */
  readonly messageId: string;
  readonly occurredAt?: string;
}

/** The message in a line before it becomes a turn; without a client's `id`, its place in the file is the id. */
interface Said {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly id: string | undefined;
  /** Whether the client writes the message again, under the same id, when it grows. */
  readonly isRewritten?: boolean;
  readonly at: unknown;
}

type Line = Readonly<Record<string, unknown>>;

/** The longest content, in characters: the service takes 65,536 bytes, and a UTF-8 character has at most four. */
const CONTENT_CHARS_MAX = 16_384;
const ID_CHARS_MAX = 180;
/** The longest message that is recorded whole; the rest of a longer one, which nobody typed, is left out. */
const MESSAGE_CHARS_MAX = 262_144;

/** The beginnings of texts that stand in place of the user's own. */
const ADDED =
  /^<(?:command-|local-command-|bash-|task-notification|user-memory-input|environment_context|turn_aborted|[a-z_]{0,40}instructions[> ]|permissions |collaboration_mode|subagent_notification|session_context|skill>)/;
const INTERRUPTED = "[Request interrupted by user";
const AGENTS_FILE = "# AGENTS.md instructions for ";

/** Returns the turns in a line; `place` is its position in the file. @throws Error for a line that is no JSON object */
export async function readTurns(line: string, place: number): Promise<SpokenTurn[]> {
  const value: unknown = JSON.parse(line);
  if (typeof value !== "object" || value === null) throw new Error("the line is not a JSON object");
  const turns: SpokenTurn[] = [];
  for (const said of readSaid(value as Line)) turns.push(...await toTurns(said, place));
  return turns;
}

function readSaid(line: Line): Said[] {
  const { type } = line;
  const batch = objectOf(line["$set"])["messages"];
  if (Array.isArray(batch)) return batch.flatMap((one) => readSaid(objectOf(one)));
  if (type === "response_item") {
    const { type: kind, role, content } = objectOf(line["payload"]);
    return kind === "message" ? say(role, content, undefined, line["timestamp"]) : [];
  }
  if (type === "user.message" || type === "assistant.message") {
    return say(type.split(".")[0], objectOf(line["data"])["content"], line["id"], line["timestamp"]);
  }
  const message = line["message"];
  if ((type === "user" || type === "assistant") && typeof message === "object") {
    if (
      ["isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage"].some((name) =>
        line[name] === true
      )
    ) {
      return [];
    }
    const { content, model } = objectOf(message);
    return model === "<synthetic>" ? [] : say(type, content, line["uuid"], line["timestamp"]);
  }
  if (type === undefined && typeof message === "object") {
    return say(line["role"], objectOf(message)["content"], undefined, undefined);
  }
  if (type === "user" || type === "gemini" || type === "model") {
    const role = type === "user" ? "user" : "assistant";
    return say(role, line["content"], line["id"], line["timestamp"]).map((said) => ({ ...said, isRewritten: true }));
  }
  if (type === undefined) return say(line["role"], line["content"], line["messageId"], line["occurredAt"]);
  return [];
}

function say(role: unknown, content: unknown, id: unknown, at: unknown): Said[] {
  if (role !== "user" && role !== "assistant") return [];
  const text = textOf(content);
  if (text === "") return [];
  return [{ role, text, id: typeof id === "string" && id !== "" ? id : undefined, at }];
}

/** The text of a content: a text, or its blocks without those of tools and reasoning. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((block) => {
    const { type, text, thought } = objectOf(block);
    const isText = type === undefined ? thought !== true : ["text", "input_text", "output_text"].includes(String(type));
    return isText && typeof text === "string" ? [text] : [];
  }).join("\n");
}

async function toTurns({ role, text, id, isRewritten, at }: Said, place: number): Promise<SpokenTurn[]> {
  let spoken = stripBlocks(text);
  if (spoken.length > MESSAGE_CHARS_MAX) spoken = spoken.slice(0, MESSAGE_CHARS_MAX);
  if (role === "user") {
    for (const name of ["system-reminder", "system_reminder"]) {
      // Parts that a client inserts into the user's message.
      if (spoken.includes(`</${name}>`)) spoken = replaceBetween(spoken, `<${name}>`, `</${name}>`, "");
    }
    spoken = spoken.trim();
    const isInterruption = spoken.startsWith(INTERRUPTED) && spoken.indexOf("]") === spoken.length - 1;
    if (isInterruption || spoken.startsWith(AGENTS_FILE) || ADDED.test(spoken)) return [];
    const queries = listBetween(spoken, "<user_query>", "</user_query>");
    if (queries.length > 0) spoken = queries.map((query) => query.trim()).join("\n");
  }
  const content = withoutSecrets(spoken.toWellFormed().replaceAll("\0", "")).trim();
  if (content === "") return [];
  const own = id === undefined || isRewritten
    ? `${id ?? place}:${(await hash(`${role}\n${content}`)).slice(0, 12)}`
    : id;
  const messageId = own.length <= ID_CHARS_MAX ? own : await hash(own);
  const occurredAt = timeOf(at);
  return cut(content).map((part, i) => ({
    role,
    content: part,
    messageId: i === 0 ? messageId : `${messageId}#${i + 1}`,
    ...(occurredAt !== undefined && { occurredAt }),
  }));
}

/** Cuts a long text into parts without splitting a character. */
function cut(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + CONTENT_CHARS_MAX, text.length);
    if (end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1]!)) end--;
    const part = text.slice(at, end);
    // The service takes no blank turn.
    if (part.trim() !== "") parts.push(part);
    at = end;
  }
  return parts;
}

function timeOf(at: unknown): string | undefined {
  if (typeof at !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(at)) return undefined;
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Returns the SHA-256 of a text, in 64 hex characters. */
export async function hash(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex();
}

function objectOf(value: unknown): Line {
  return typeof value === "object" && value !== null ? value as Line : {};
}
