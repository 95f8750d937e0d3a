/** Turns of sessions: what is said, kept verbatim. */
import { z } from "zod";
import {
  Flag,
  Id,
  JsonValue,
  ListQuery,
  MessageId,
  Metadata,
  pageOf,
  Sensitivity,
  Tags,
  textOf,
  Timestamp,
  TimestampInput,
  UtcOffset,
} from "./common.ts";
import { ChatMessage, toTurn } from "./chat_message.ts";
import { checkInput } from "./field_errors.ts";
import { ErasureReceipt } from "./unit.ts";
import { InvisibleText } from "./invisible_text.ts";

export const TURN_ROLES = ["user", "assistant", "system", "tool"] as const;
export const TurnRole = z.enum(TURN_ROLES).meta({ id: "TurnRole" });
export type TurnRole = z.infer<typeof TurnRole>;

/** Most turns that one request adds. */
export const TURN_BATCH_MAX = 500;
/** Longest content of a turn, in UTF-8. */
export const TURN_CONTENT_BYTES_MAX = 65_536;

const encoder = new TextEncoder();

const SpeakerName = textOf(400).meta({ description: "Who speaks", examples: ["Caroline"] });

/** What was said; empty for a turn without text, such as a call of a tool. */
export const TurnContent = z.string().refine(
  (text) => text.length <= TURN_CONTENT_BYTES_MAX && encoder.encode(text).byteLength <= TURN_CONTENT_BYTES_MAX,
  `must be at most ${TURN_CONTENT_BYTES_MAX} bytes in UTF-8`,
).meta({ description: "What was said, verbatim. Empty: the turn has no text; recall does not find it" });

/** One turn as a caller adds it. It is kept verbatim. */
export const AddTurnBody = z.strictObject({
  role: TurnRole,
  name: SpeakerName.optional(),
  content: TurnContent.default(""),
  messageId: MessageId.optional().meta({
    description:
      "The caller's own id, unique in the session. Sent again with the same role, name and content, it is the same turn; with other content it is refused. Default: the turn's id",
  }),
  occurredAt: TimestampInput.optional().meta({
    description:
      "Default: now. If it states an offset, such as `-07:00`, that is the writer's clock: \"yesterday\" in the content is the day before by it. With `Z` the clock is that of the session's or the workspace's zone, or UTC",
  }),
  pinned: z.boolean().default(false),
  tags: Tags.default([]),
  metadata: Metadata.default({}),
}).meta({ id: "AddTurnBody" });
export type AddTurnBody = z.infer<typeof AddTurnBody>;

/** `AddTurnsBody` has made turns of messages before this is read. */
const TurnOrMessage = z.union([AddTurnBody, ChatMessage]) as unknown as z.ZodType<
  AddTurnBody,
  z.input<typeof AddTurnBody> | ChatMessage
>;

export const AddTurnBatchBody = z.strictObject({
  turns: z.array(TurnOrMessage).min(1).max(TURN_BATCH_MAX).meta({
    description: "In order. All of them are added, or none",
  }),
}).meta({ id: "AddTurnBatchBody" });
export type AddTurnBatchBody = z.infer<typeof AddTurnBatchBody>;

/** As `AddTurnBatchBody`, for what is a batch of turns by now. */
const TurnBatch = AddTurnBatchBody.extend({ turns: z.array(AddTurnBody).min(1).max(TURN_BATCH_MAX) });

/**
 * One turn or a batch. The member `turns` tells which, so that a fault is reported for its member and not as "neither of
 * both".
 */
export const AddTurnsBody = z.preprocess((given, context) => {
  const batch = typeof given === "object" && given !== null && Object.hasOwn(given, "turns");
  const value = batch ? toTurns(given) : toTurn(given);
  const { faults } = checkInput(batch ? TurnBatch : AddTurnBody, value);
  if (faults === undefined) return value;
  // Reported one by one: after an unknown key zod goes on to the union, which would report a fault of its own.
  for (const { path, message } of faults.told()) {
    context.addIssue({ code: "custom", path: [path], message, input: value });
  }
  if (faults.more > 0) context.addIssue({ code: "custom", params: { more: faults.more }, input: value });
  return value;
}, z.union([AddTurnBatchBody, AddTurnBody])).meta({
  id: "AddTurnsBody",
  description: "One turn, or a batch of turns. A `ChatMessage`, alone or in a batch, counts as a turn",
});

function toTurns(batch: object): object {
  const { turns } = batch as { readonly turns?: unknown };
  return Array.isArray(turns) ? { ...batch, turns: turns.map(toTurn) } : batch;
}
export type AddTurnsBody = z.infer<typeof AddTurnsBody>;

export const Turn = z.strictObject({
  id: Id,
  sessionId: Id,
  version: z.int().min(1),
  position: z.int().min(0).meta({ description: "Position in the session, from 0" }),
  messageId: z.string(),
  role: TurnRole,
  name: z.string().nullable(),
  content: z.string(),
  invisibleText: InvisibleText,
  sensitivity: Sensitivity,
  pinned: z.boolean(),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), JsonValue),
  occurredAt: Timestamp,
  utcOffset: UtcOffset.optional().meta({
    description: "Offset of the writer's clock at that time; absent if it is not known",
  }),
  recordedAt: Timestamp,
  erasedAt: Timestamp.optional().meta({ description: "When its content was erased; absent: it was not" }),
}).meta({ id: "Turn", description: "A turn of a session, verbatim" });
export type Turn = z.infer<typeof Turn>;

/** The answer to one added turn. */
export const AddedTurn = Turn.extend({
  duplicate: z.boolean().meta({ description: "The turn existed already; nothing was added" }),
}).meta({ id: "AddedTurn" });
export type AddedTurn = z.infer<typeof AddedTurn>;

/** The answer to one turn of a batch; it leaves the content out. */
export const TurnReceipt = z.strictObject({
  id: Id,
  messageId: z.string(),
  position: z.int().min(0),
  duplicate: z.boolean(),
}).meta({ id: "TurnReceipt" });
export type TurnReceipt = z.infer<typeof TurnReceipt>;

export const AddedTurnBatch = z.strictObject({
  sessionId: Id,
  created: z.int().min(0),
  duplicates: z.int().min(0),
  turns: z.array(TurnReceipt).meta({ description: "One for each turn of the request, in its order" }),
}).meta({ id: "AddedTurnBatch" });
export type AddedTurnBatch = z.infer<typeof AddedTurnBatch>;

export const AddTurnsReply = z.union([AddedTurn, AddedTurnBatch]).meta({
  id: "AddTurnsReply",
  description: "What was added: the turn, or a receipt for each turn of a batch",
});

/** Unless `order` says otherwise, turns are listed from the first to the last. */
export const ListTurnsQuery = ListQuery.extend({
  order: z.enum(["asc", "desc"]).default("asc"),
  pinned: z.enum(["true", "false"]).transform((value) => value === "true").optional(),
});
export type ListTurnsQuery = z.infer<typeof ListTurnsQuery>;
export const TurnPage = pageOf(Turn).meta({ id: "TurnPage" });

export const PinTurnBody = z.strictObject({
  turnId: Id.optional(),
  messageId: MessageId.optional(),
  pinned: z.boolean().default(true),
}).refine((body) => (body.turnId === undefined) !== (body.messageId === undefined), {
  message: "exactly one of turnId and messageId is needed",
  path: ["turnId"],
}).meta({ id: "PinTurnBody" });
export type PinTurnBody = z.infer<typeof PinTurnBody>;

export const EraseTurnParams = z.strictObject({
  id: Id,
  messageId: MessageId.meta({ description: "The turn's `messageId` or its id" }),
});
export const EraseTurnQuery = z.strictObject({
  cascade: Flag.optional().meta({
    description:
      "`true`: also erases the facts that cite this turn alone, the episode of the session, and what was derived from these",
  }),
});

const Touched = z.array(z.strictObject({ id: Id, type: z.string() }));
export const ErasedTurn = z.strictObject({
  turn: Turn,
  receipt: ErasureReceipt.nullable().meta({ description: "Null if its content was erased before" }),
  erased: Touched.meta({ description: "Units that were erased with it" }),
  stale: Touched.meta({ description: "Units that rest on it and became stale; they lose their quotes of it" }),
}).meta({ id: "ErasedTurn", description: "The turn without its content, and what became of the units that cite it" });
export type ErasedTurn = z.infer<typeof ErasedTurn>;
