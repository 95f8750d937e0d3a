/** What only the RPC surface has: the messages of its streams (`proto/svc/v1/svc.proto`). */
import { z } from "zod";
import { Change, Cursor } from "./change.ts";
import { toTurn } from "./chat_message.ts";
import { Id } from "./common.ts";
import { CreateFactBody } from "./fact.ts";
import {
  CollapsedSession,
  Session,
  SESSION_CONTEXT_TOKENS_DEFAULT,
  SESSION_CONTEXT_TOKENS_MAX,
  SESSION_CONTEXT_TOKENS_MIN,
  SessionContext,
  SessionContextQuery,
  StartSessionBody,
} from "./session.ts";
import { ImportFormat, ImportQuery } from "./transfer.ts";
import { AddedTurn, AddTurnBody } from "./turn.ts";
import { ItemError } from "./unit.ts";

export const WatchRequest = z.strictObject({ since: Cursor.optional() });

/** Without an event: where a watch begins, or that it is still there. */
export const WatchEvent = z.strictObject({ cursor: Cursor, event: Change.optional() });
export type WatchEvent = z.infer<typeof WatchEvent>;

export const IngestTurn = AddTurnBody.extend({ sessionId: Id });
export type IngestTurn = z.infer<typeof IngestTurn>;

/** A message without an item is refused like any other that is not valid. */
export const IngestItem = z.strictObject({
  fact: CreateFactBody.optional(),
  turn: z.preprocess(toTurn, IngestTurn).optional(),
}).refine(
  ({ fact, turn }) => (fact === undefined) !== (turn === undefined),
  "must have an item",
);
export type IngestItem = z.infer<typeof IngestItem>;

/** Refusals that a summary lists at most; the rest is counted. */
export const INGEST_REFUSALS_MAX = 1_000;

export const IngestSummary = z.strictObject({
  received: z.int().min(0),
  settled: z.int().min(0),
  created: z.int().min(0),
  known: z.int().min(0),
  refused: z.int().min(0),
  refusals: z.array(z.strictObject({ index: z.int().min(0), error: ItemError })),
  refusalsOmitted: z.int().min(0),
  ended: ItemError.optional(),
});
export type IngestSummary = z.infer<typeof IngestSummary>;

/** `data` is base64, as Protobuf's JSON encodes bytes. */
export const MemoryChunk = z.strictObject({
  data: z.base64().optional(),
  format: ImportFormat.optional(),
  partial: z.boolean().optional(),
  dryRun: z.boolean().optional(),
  tag: ImportQuery.shape.tag,
});
export type MemoryChunk = z.infer<typeof MemoryChunk>;

/** What is a query on HTTP, where numbers come as text. */
const ReadContext = SessionContextQuery.extend({
  maxTokens: z.int().min(SESSION_CONTEXT_TOKENS_MIN).max(SESSION_CONTEXT_TOKENS_MAX)
    .default(SESSION_CONTEXT_TOKENS_DEFAULT),
});

export const SessionMessage = z.strictObject({
  start: StartSessionBody.optional(),
  resume: z.strictObject({ sessionId: Id }).optional(),
  turn: z.preprocess(toTurn, AddTurnBody).optional(),
  context: ReadContext.optional(),
  collapse: z.strictObject({}).optional(),
}).refine((message) => Object.keys(message).length === 1, "must say what to do");
export type SessionMessage = z.infer<typeof SessionMessage>;

/** One member. */
export const SessionResponse = z.strictObject({
  session: Session.optional(),
  turn: AddedTurn.optional(),
  context: SessionContext.optional(),
  collapsed: CollapsedSession.optional(),
  error: ItemError.optional(),
});
export type SessionResponse = z.infer<typeof SessionResponse>;
