/**
 * Memories of Zep, in the words of its API (getzep/zep `legacy/src/api/apidata/message.go` and `fact.go`,
 * `legacy/src/models/session_common.go`; threads of Zep Cloud have the same members): `{ users: [{ user_id, first_name,
 * last_name, email, metadata }], sessions: [{ session_id, user_id, created_at, metadata, messages: [{ uuid, role, role_type,
 * content, created_at, metadata }], facts: [{ uuid, fact, rating, created_at }] }], messages, facts }`. Zep has no export of
 * its own; such a file is made of what its API lists. A user's graph is imported as `graphiti`.
 *
 * A user becomes an entity, a session a session, a fact a fact.
 */
import { sha256Hex } from "../../../crypto/hash.ts";
import { ServiceError } from "../../../errors.ts";
import type { TurnRole } from "../../../schema/turn.ts";
import { conversationLines, type Message } from "./conversation.ts";
import { type ForeignRecord, listOf, objectOf, textOf, timeIfAny } from "./document.ts";
import { entityLine, factLine, idOf, type MadeLine, type Maker, metadataOf, Repeats, shortKey } from "./lines.ts";

export const ZEP_LISTS = ["users", "sessions", "threads", "messages", "facts", "edges", "nodes", "episodes"] as const;

type Value = ForeignRecord["value"];

/** @throws ServiceError `validation_failed` for any other record */
export function fromZep(maker: Maker, { list, value: record }: ForeignRecord, repeats: Repeats): MadeLine[] {
  if (list === "edges" || list === "nodes" || record["source_node_uuid"] !== undefined) {
    throw new ServiceError("validation_failed", "Cannot import: it is of a graph; import it with the format graphiti");
  }
  if (list === "episodes") {
    maker.omit("episodes of the graph");
    return [];
  }
  if (typeof record["fact"] === "string") return [readFact(maker, record, sessionIdOf(record))];
  if (record["content"] !== undefined) return readLooseMessage(maker, record, repeats);
  if (sessionIdOf(record) !== undefined) return readSession(maker, record);
  if (textOf(record["user_id"]) !== undefined) return [readUser(maker, record)];
  throw new ServiceError(
    "validation_failed",
    "Cannot import: it is no user, session, message or fact of Zep: it has no user_id, session_id, content or fact",
  );
}

function sessionIdOf(record: Value): string | undefined {
  const id = textOf(record["session_id"]) ?? textOf(record["thread_id"]);
  return id === undefined ? undefined : shortKey(id);
}

function readUser(maker: Maker, user: Value): MadeLine {
  const id = textOf(user["user_id"])!;
  const name = [user["first_name"], user["last_name"]].flatMap((part) => textOf(part) ?? []).join(" ");
  return entityLine(maker, {
    id: idOf(maker, null, "user", id),
    name: name === "" ? id : name,
    entityType: "person",
    attributes: { ...metadataOf(maker, user["metadata"]), ...(textOf(user["email"]) && { email: user["email"] }) },
    metadata: { zep: { userId: id.slice(0, 500) } },
  });
}

function readSession(maker: Maker, session: Value): MadeLine[] {
  const id = sessionIdOf(session)!;
  const messages = listOf(session["messages"]).map(objectOf);
  const facts = listOf(session["facts"]).map(objectOf).map((fact) =>
    readFact(maker, typeof fact["fact"] === "string" ? fact : { ...fact, fact: fact["content"] }, id)
  );
  if (messages.length === 0) {
    if (facts.length === 0) maker.omit("conversations without text");
    return facts;
  }
  return [...readTurns(maker, id, session, messages), ...facts];
}

/** A message outside its session, which it names. Without an id, its time and its text identify it. */
function readLooseMessage(maker: Maker, message: Value, repeats: Repeats): MadeLine[] {
  const id = sessionIdOf(message);
  if (id === undefined) {
    throw new ServiceError(
      "validation_failed",
      "Cannot import: the message has no session_id and stands in no session",
    );
  }
  if (textOf(message["uuid"]) !== undefined) return readTurns(maker, id, message, [message]);
  const { created_at, role, content } = message;
  const key = sha256Hex(JSON.stringify([id, created_at, role, content])).slice(0, 40);
  return readTurns(maker, id, message, [{ ...message, uuid: repeats.next(key) }]);
}

function readTurns(maker: Maker, id: string, session: Value, messages: readonly Value[]): MadeLine[] {
  const user = textOf(session["user_id"]);
  return conversationLines(maker, {
    id,
    startedAt: timeIfAny(session["created_at"]),
    isPart: session["content"] !== undefined,
    metadata: {
      ...(session["content"] === undefined && metadataOf(maker, session["metadata"])),
      zep: { sessionId: id, ...(user !== undefined && { userId: user.slice(0, 500) }) },
    },
    messages: messages.flatMap((message, i) => readMessage(maker, message, i)),
  });
}

const ROLES: Readonly<Record<string, TurnRole>> = {
  user: "user",
  human: "user",
  assistant: "assistant",
  ai: "assistant",
  system: "system",
  tool: "tool",
  function: "tool",
};

function readMessage(maker: Maker, message: Value, at: number): Message[] {
  const content = textOf(message["content"]) ?? "";
  const type = String(message["role_type"] ?? message["role"] ?? "").toLowerCase();
  // Up to version 2, `role` is the speaker's name.
  const speaker = textOf(message["name"]) ?? textOf(message["role"]);
  const role = ROLES[type] ?? ROLES[String(message["role"]).toLowerCase()] ?? "user";
  if (role === "tool" || role === "system") {
    maker.omit(role === "tool" ? "tool messages" : "system messages");
    return [];
  }
  return [{
    id: textOf(message["uuid"]) ?? `message-${at + 1}`,
    role,
    name: speaker === undefined || ROLES[speaker.toLowerCase()] !== undefined ? undefined : speaker,
    content,
    at: timeIfAny(message["created_at"]),
    metadata: metadataOf(maker, message["metadata"]),
  }];
}

function readFact(maker: Maker, fact: Value, sessionId: string | undefined): MadeLine {
  const validFrom = timeIfAny(fact["valid_at"]);
  const validTo = timeIfAny(fact["invalid_at"]);
  const isOver = timeIfAny(fact["expired_at"]) !== null || (validTo !== null && validTo <= maker.now);
  return factLine(maker, {
    id: idOf(maker, fact["uuid"], "fact", fact["fact"], sessionId),
    externalId: textOf(fact["uuid"]),
    statement: fact["fact"],
    status: isOver ? "superseded" : "active",
    validFrom,
    validTo: validFrom !== null && validTo !== null && validTo < validFrom ? validFrom : validTo,
    occurredAt: timeIfAny(fact["created_at"]),
    metadata: {
      zep: {
        ...(textOf(fact["uuid"]) && { id: fact["uuid"] }),
        ...(sessionId !== undefined && { sessionId }),
        ...(typeof fact["rating"] === "number" && { rating: fact["rating"] }),
      },
    },
  });
}
