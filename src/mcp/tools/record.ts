/** The tool `record`. */
import { z } from "zod";
import { ServiceError } from "../../errors.ts";
import { addTurns, collapseSession, startSession } from "../../operations/session.ts";
import { ExternalId, MessageId } from "../../schema/common.ts";
import { type AddedTurnBatch, AddTurnBatchBody, AddTurnBody, TURN_CONTENT_BYTES_MAX } from "../../schema/turn.ts";
import { ADDS, tool, type ToolCall } from "../tool.ts";
import { listLike, textLike, When } from "../schemas.ts";

const Turn = z.strictObject({
  role: z.enum(["user", "assistant", "tool", "system"]),
  content: z.string().max(TURN_CONTENT_BYTES_MAX).optional(),
  name: textLike(AddTurnBody.shape.name).optional(),
  messageId: textLike(MessageId).optional().describe("Makes sending it twice harmless"),
  at: When.optional(),
});

const shown = z.strictObject({
  session: textLike(ExternalId).describe("Your name for this conversation, the same in every call"),
  turns: listLike(AddTurnBatchBody.shape.turns, Turn),
  done: z.boolean().optional().describe("The conversation is over: facts are drawn from it"),
});

/** Clients also send messages as their model's API has them: the operation reads those as turns. */
const Message = Turn.extend({ role: z.string().max(40).optional(), content: z.unknown().optional() }).loose();
const input = shown.extend({ turns: listLike(AddTurnBatchBody.shape.turns, Message) });

const output = z.strictObject({
  sessionId: z.string(),
  created: z.int(),
  duplicates: z.int(),
  facts: z.int().optional(),
});

export const record = tool("record", addTurns, {
  title: "Record a conversation",
  description:
    "Store turns of this conversation word for word, so that they can be recalled later. Leave it out where the client records by itself.",
  input,
  shown,
  output,
  annotations: ADDS,
}, async (call, { session, turns, done = false }) => {
  const { body: { id } } = await call.run(startSession, { body: { externalId: session } });
  const { body } = await call.run(addTurns, {
    params: { id },
    body: { turns: turns.map(({ at, ...turn }) => ({ ...turn, occurredAt: at })) },
  }).catch((error) => {
    if (!(error instanceof ServiceError) || error.code !== "invalid_transition") throw error;
    throw new ServiceError(error.code, `${error.message}; record what follows under another name`, {
      cause: error,
      headers: error.headers,
      extra: error.extra,
    });
  });
  const { created, duplicates } = body as AddedTurnBatch;
  const stored = `Turns stored: ${created}; known already: ${duplicates}. [session ${id}]`;
  const data = { sessionId: id, created, duplicates };
  if (!done) return { lines: [stored], data };
  const facts = await collapse(call, id, stored);
  return { lines: [stored, `The session is closed. Facts drawn from it: ${facts}.`], data: { ...data, facts } };
});

/** The turns stay stored whatever happens afterwards, and a refusal says so. */
async function collapse(call: ToolCall, id: string, stored: string): Promise<number> {
  try {
    return (await call.run(collapseSession, { params: { id } })).body.facts.length;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === "internal") throw error;
    const { code, message, errors, headers } = error;
    throw new ServiceError(code, `${stored} ${message}`, { cause: error, headers, ...(errors && { errors }) });
  }
}
