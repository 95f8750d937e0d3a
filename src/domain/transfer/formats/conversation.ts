/** Turns conversations of other services into sessions and turns. Messages stay verbatim; none becomes a fact here. */
import { sha256Hex } from "../../../crypto/hash.ts";
import { TURN_CONTENT_BYTES_MAX, type TurnRole } from "../../../schema/turn.ts";
import { SESSION_TURNS_MAX } from "../../../schema/session.ts";
import type { SessionLine, TurnLine } from "../../../schema/transfer_lines.ts";
import { externalKey, idOf, type Maker, shortKey, tagsOf } from "./lines.ts";

/** One message. */
export interface Message {
  /** The same in every export of the conversation, so that a repeated import finds the turn. */
  readonly id: string;
  readonly role: TurnRole;
  readonly name?: string | undefined;
  /** Blank: it has no text, such as a picture alone; its place in the conversation is kept. */
  readonly content: string;
  readonly at: string | null;
  readonly metadata?: object;
}

export interface Conversation {
  /** The conversation's id at its service. */
  readonly id: string;
  readonly title?: string | undefined;
  readonly agentId?: string | undefined;
  readonly tags?: readonly string[];
  readonly metadata?: object;
  readonly startedAt: string | null;
  /** Other records tell more of it. */
  readonly isPart?: boolean;
  readonly messages: readonly Message[];
}

const TITLE_BYTES_MAX = 1_000;
const NAME_BYTES_MAX = 400;
const AGENT_MAX = 200;
const KEY_MAX = 200;

/** A session and its turns, also those without text; nothing if no message has text. */
export function conversationLines(maker: Maker, said: Conversation): (SessionLine | TurnLine)[] {
  if (said.isPart !== true && said.messages.every(({ content }) => content.trim() === "")) {
    maker.omit("conversations without text");
    return [];
  }
  const session = sessionLine(maker, said, said.messages);
  return [session, ...turnLines(maker, session, said.messages)];
}

function sessionLine(maker: Maker, said: Conversation, messages: readonly Message[]): SessionLine {
  maker.budget.made();
  const { now, actor } = maker;
  const startedAt = said.startedAt ?? messages.find(({ at }) => at !== null)?.at ?? now;
  return {
    kind: "session",
    id: idOf(maker, null, "session", shortKey(said.id)),
    version: 1,
    status: "open",
    title: clip(said.title, TITLE_BYTES_MAX),
    externalId: externalKey(maker.source, said.id),
    agentId: said.agentId?.slice(0, AGENT_MAX).toWellFormed() || null,
    sensitivity: "internal",
    tags: tagsOf(maker, ...said.tags ?? []),
    metadata: said.metadata ?? {},
    scratchpad: {},
    scratchpadVersion: 1,
    startedAt: startedAt <= now ? startedAt : now,
    endedAt: null,
    episodeId: null,
    collapse: null,
    createdAt: now,
    updatedAt: now,
    createdBy: actor,
  } as SessionLine;
}

function turnLines(maker: Maker, session: SessionLine, messages: readonly Message[]): TurnLine[] {
  let before = session.startedAt;
  let position = 0;
  return messages.flatMap((message) => {
    const occurredAt = message.at ?? before;
    before = occurredAt;
    const parts = message.content.trim() === "" ? [""] : splitText(message.content, TURN_CONTENT_BYTES_MAX);
    return parts.map((content, i): TurnLine => {
      maker.budget.made();
      const messageId = messageIdOf(message.id, i);
      return {
        kind: "turn",
        id: idOf(maker, null, "turn", session.id, messageId),
        version: 1,
        sessionId: session.id,
        position: Math.min(position++, SESSION_TURNS_MAX - 1),
        messageId,
        role: message.role,
        name: clip(message.name, NAME_BYTES_MAX),
        content,
        pinned: false,
        tags: [],
        metadata: { ...message.metadata, ...(parts.length > 1 && { part: i + 1, parts: parts.length }) } as never,
        occurredAt,
        recordedAt: maker.now,
      };
    });
  });
}

/** The first part of a message has its id, the others the id with their number. */
function messageIdOf(id: string, part: number): string {
  const key = part === 0 ? id : `${id}#${part + 1}`;
  return key.length <= KEY_MAX ? key : sha256Hex(key);
}

function clip(text: string | undefined, bytesMax: number): string | null {
  if (text === undefined || text.trim() === "") return null;
  return cut(text.trim(), bytesMax).trim() || null;
}

function cut(text: string, bytesMax: number): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytesMax)).read);
}

/** Splits a text into parts of at most `bytesMax` bytes in UTF-8, at line ends if possible. No part is blank. */
export function splitText(text: string, bytesMax: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > bytesMax / 4) {
    let part = cut(rest, bytesMax);
    if (part.length === rest.length) break;
    const line = part.lastIndexOf("\n");
    if (line > part.length / 2) part = part.slice(0, line + 1);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  if (rest !== "") parts.push(rest);
  return parts.filter((part) => part.trim() !== "");
}
