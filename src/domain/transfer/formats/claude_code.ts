/**
 * Transcripts of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`. A line is `{ type, uuid, parentUuid, sessionId,
 * timestamp, cwd, gitBranch, isSidechain, isMeta, isCompactSummary, message: { role, model, content } }` with a text, or
 * blocks of the types `text`, `thinking`, `tool_use`, `tool_result` and `image`. Anthropic publishes no schema; this follows
 * DRMacIver/claude-reliability `notes/transcript-format.md` and Huntehhh/claude-code-chat `docs/claude-cli-jsonl-format.md`.
 *
 * Turns are what the user typed and what the assistant answered in words. Tools and their results, subagents, reasoning and
 * what Claude Code wrote itself are left out and counted.
 */
import { ServiceError } from "../../../errors.ts";
import type { SessionLine } from "../../../schema/transfer_lines.ts";
import { cutBetween, type ForeignRecord, listOf, objectOf, textOf, timeIfAny } from "./document.ts";
import { conversationLines, type Message } from "./conversation.ts";
import type { MadeLine, Maker } from "./lines.ts";

const BY_ITSELF = "messages that Claude Code wrote itself";
const LEFT_OUT: Readonly<Record<string, string>> = {
  thinking: "reasoning",
  redacted_thinking: "reasoning",
  tool_use: "tool calls",
  tool_result: "tool results",
  image: "files and images",
  document: "files and images",
};
/** The beginnings of commands and their output, which stand in place of the user's text. */
const COMMANDS = /^\s*<(command-|local-command-|bash-|task-notification|user-memory-input)/;
const INTERRUPTED = /^\s*\[Request interrupted by user[^\]]*\]\s*$/;

/** Reads lines of one or more transcripts; a session begins with its first turn. */
export class ClaudeCodeReader {
  readonly #maker: Maker;
  readonly #started = new Set<string>();

  constructor(maker: Maker) {
    this.#maker = maker;
  }

  /** @throws ServiceError `validation_failed` for a line that belongs to no transcript */
  read({ value: line }: ForeignRecord): MadeLine[] {
    if (textOf(line["type"]) === undefined) {
      throw new ServiceError(
        "validation_failed",
        "Cannot import: the line is of no Claude Code transcript: it has no type",
      );
    }
    const message = readLine(line, (what) => this.#maker.omit(what));
    const session = textOf(line["sessionId"]);
    if (message === undefined) return [];
    if (session === undefined) {
      throw new ServiceError("validation_failed", "Cannot import: the message has no sessionId");
    }
    const lines = conversationLines(this.#maker, {
      id: session,
      title: message.role === "user" ? message.content.trim().split("\n")[0]!.slice(0, 200) : undefined,
      agentId: "claude-code",
      startedAt: message.at,
      metadata: {
        claudeCode: {
          sessionId: session,
          ...(textOf(line["cwd"]) && { cwd: String(line["cwd"]).slice(0, 1_000) }),
          ...(textOf(line["gitBranch"]) && { gitBranch: String(line["gitBranch"]).slice(0, 200) }),
        },
      },
      messages: [message],
    });
    const isFirst = !this.#started.has(session);
    this.#started.add(session);
    return isFirst ? lines : lines.filter((made) => made.kind !== "session") as Exclude<MadeLine, SessionLine>[];
  }
}

/**
 * The message in a line of a transcript; undefined if there is none, and then `omit` is told what the line holds.
 * @throws ServiceError `validation_failed` for a message without an id
 */
export function readLine(line: ForeignRecord["value"], omit: (what: string) => void): Message | undefined {
  const { type } = line;
  const leaveOut = (what: string) => void omit(what);
  if (type !== "user" && type !== "assistant") return leaveOut("lines that are no messages");
  if (line["isSidechain"] === true) return leaveOut("messages of subagents");
  if (line["isCompactSummary"] === true) return leaveOut("summaries of what was compacted");
  if (line["isMeta"] === true || line["isVisibleInTranscriptOnly"] === true || line["isApiErrorMessage"] === true) {
    return leaveOut(BY_ITSELF);
  }
  const message = objectOf(line["message"]);
  if (message["model"] === "<synthetic>") return leaveOut(BY_ITSELF);
  const { content } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(objectOf);
  let hasOther = false;
  const texts = blocks.flatMap((block: Readonly<Record<string, unknown>>) => {
    if (block["type"] === "text" && typeof block["text"] === "string") return [block["text"]];
    hasOther = true;
    omit(LEFT_OUT[String(block["type"])] ?? "parts without text");
    return [];
  });
  const said = texts.map((text) => type === "user" ? withoutReminders(text) : text).filter((text) =>
    text.trim() !== ""
  );
  // The text is the same as `svc hook` records, so that a session that was recorded live gets no turn twice.
  const text = said.join("\n").trim();
  if (text === "") return hasOther ? undefined : leaveOut(texts.length > 0 ? BY_ITSELF : "messages without text");
  if (type === "user" && COMMANDS.test(text)) return leaveOut("commands and their output");
  if (INTERRUPTED.test(text)) return leaveOut(BY_ITSELF);
  const id = textOf(line["uuid"]);
  if (id === undefined) throw new ServiceError("validation_failed", "Cannot import: the message has no uuid");
  return { id, role: type, content: text, at: timeIfAny(line["timestamp"]) };
}

/** Removes what Claude Code, and the hook of this service, put into a user's message. */
function withoutReminders(text: string): string {
  const own = cutBetween(text, "<svc-memory>", "</svc-memory>").text;
  return cutBetween(own, "<system-reminder>", "</system-reminder>").text;
}
