/** The tool `recall`. */
import { z } from "zod";
import { recall as recallOperation } from "../../operations/recall.ts";
import { listReviewItems } from "../../operations/review.ts";
import { getSelfProfile } from "../../operations/self.ts";
import { getUnits } from "../../operations/units.ts";
import type { RecallReply, RecallResult } from "../../schema/recall.ts";
import { Newer, tellNewer, toNewer } from "../newer.ts";
import { BUDGET_TOKENS, clip, countFitting, lineOf, markedLine, NOTHING } from "../text.ts";
import { QUERY_CHARACTERS_MAX, RecallBody } from "../../schema/recall.ts";
import { READS, tool, type ToolCall } from "../tool.ts";
import { intLike, textOfUnit, When } from "../schemas.ts";

const input = z.strictObject({
  query: z.string().max(QUERY_CHARACTERS_MAX).optional().describe("A question in full; names and dates help"),
  limit: intLike(RecallBody.shape.limit).optional().describe("Most results; default 10"),
  about: z.string().min(1).max(200).optional().describe("Only what names this person or thing"),
  since: When.optional().describe("Only what happened or still held at or after this; RFC 3339 time or date"),
  until: When.optional().describe("Only what happened or already held before this; RFC 3339 time or date"),
  maxTokens: z.int().min(100).max(20_000).optional().describe("Default 1500"),
});

const Result = z.strictObject({
  id: z.string(),
  type: z.string(),
  text: z.string(),
  score: z.number(),
  trust: z.number(),
  contested: z.boolean(),
  stale: z.boolean(),
  at: z.string().nullable(),
  source: z.string().nullable(),
  invisibleText: z.boolean().optional(),
  /** The units that contradict it. */
  against: z.array(z.strictObject({ id: z.string(), text: z.string() })).optional(),
  /** What was said later about the same matter; no verdict. */
  newer: Newer.optional(),
});
type Result = z.infer<typeof Result>;

const output = z.strictObject({
  confidence: z.number(),
  results: z.array(Result),
  pinned: z.array(Result).optional(),
  briefing: z.string().optional(),
});

/** Tokens of a line besides the stored text: its id and marks. */
const MARKS_TOKENS = 22;
/** The most contested results whose contradicting units are looked up. */
const CONTESTED_MAX = 5;
/** How many characters are shown of a text that contradicts a result. */
export const AGAINST_CHARS = 200;
const TIME_MIN = "0001-01-01T00:00:00Z";
const TIME_MAX = "9999-12-31T23:59:59Z";

export const recall = tool("recall", recallOperation, {
  title: "Search memory",
  description:
    "Search what was said, stored and decided before. Use it before you answer anything that may depend on earlier conversations, people, preferences, decisions or dates. Without `query` it answers a briefing for the start of a session. An empty answer means that nothing relevant is stored: say so, do not guess.",
  input,
  output,
  annotations: READS,
}, async (call, given) => {
  const budget = given.maxTokens ?? BUDGET_TOKENS;
  const { query = "" } = given;
  if (query.trim() === "" && given.about === undefined) {
    const { body: { text } } = await call.run(getSelfProfile, { query: { maxTokens: String(budget) } });
    const isEmpty = text.trim() === "";
    return { lines: [isEmpty ? NOTHING : text], data: { confidence: 0, results: [], briefing: text } };
  }
  const { limit = 10 } = given;
  const { since, until, about } = given;
  const { body } = await call.run(recallOperation, {
    body: {
      query: wordQuery(query, about),
      limit,
      ...(about !== undefined && { match: "named" }),
      maxTokens: Math.max(50, budget - MARKS_TOKENS * Math.min(limit, 10)),
      ...((since ?? until) !== undefined &&
        { window: { from: since ?? TIME_MIN, to: until ?? TIME_MAX } }),
    },
  });
  return await tell(call, body, budget);
});

/** The name leads, so that the query names it. */
function wordQuery(query: string, about: string | undefined): string {
  if (about === undefined) return query;
  return query.trim() === "" ? about : `${about}: ${query}`.slice(0, 4_096);
}

async function tell(call: ToolCall, reply: RecallReply, budget: number) {
  const against = await findAgainst(call, [...reply.pinned, ...reply.results]);
  const show = (result: RecallResult): Result => toResult(result, against.get(result.id));
  const [pinned, results] = [reply.pinned.map(show), reply.results.map(show)];
  const lines = [...pinned, ...results].map(toLine);
  const fitting = countFitting(lines, budget);
  const kept = results.slice(0, Math.max(0, fitting - pinned.length));
  const isEmpty = results.length === 0;
  return {
    lines: [
      ...(isEmpty ? [NOTHING] : []),
      ...(pinned.length > 0 ? ["Pinned:", ...lines.slice(0, Math.min(fitting, pinned.length))] : []),
      ...(pinned.length > 0 && kept.length > 0 ? ["Found:"] : []),
      ...lines.slice(pinned.length, fitting),
    ],
    data: {
      confidence: isEmpty ? 0 : reply.evidenceConfidence,
      results: kept,
      ...(pinned.length > 0 && { pinned: pinned.slice(0, fitting) }),
    },
  };
}

function toResult(found: RecallResult, against: Result["against"]): Result {
  const { id, type, text, score, trustScore: trust, contested, stale, invisibleText, newer } = found;
  const source = found.messageId ?? found.citations[0]?.messageId ?? null;
  const said = found.name === undefined ? text : `${found.name}: ${text}`;
  return {
    id,
    type,
    text: said,
    score,
    trust,
    contested,
    stale: stale || found.outdatedBy !== undefined,
    at: found.occurredAt ?? found.validFrom,
    source,
    ...(invisibleText && { invisibleText }),
    ...(against && { against }),
    ...(newer && { newer: toNewer(newer) }),
  };
}

function toLine({ text, against, newer, invisibleText: invisible, ...marks }: Result): string {
  const other = against?.map(({ id, text }) => `; against it: ${markedLine(text)} [${id}]`).join("") ?? "";
  return lineOf(text, { ...marks, invisible }) + other + tellNewer(newer);
}

/** The units that contradict contested results, as far as the key sees them. */
async function findAgainst(call: ToolCall, results: readonly RecallResult[]): Promise<Map<string, Result["against"]>> {
  const contested = results.filter((result) => result.contested).slice(0, CONTESTED_MAX);
  const others = new Map<string, string[]>();
  for (const { id } of contested) {
    const ran = await call.tryRun(listReviewItems, { query: { unitId: id, kind: "contested_fact", limit: "5" } });
    const ids = ran?.body.data.flatMap(({ subjectId, otherId }) => [subjectId, otherId]) ?? [];
    others.set(id, [...new Set(ids)].filter((other) => other !== null && other !== id) as string[]);
  }
  const texts = await readTexts(call, [...others.values()].flat());
  return new Map([...others].map(([id, ids]) => [
    id,
    ids.flatMap((other) => texts.has(other) ? [{ id: other, text: clip(texts.get(other)!, AGAINST_CHARS) }] : []),
  ]));
}

/** The texts of units by id, without those that the key does not see. */
export async function readTexts(call: ToolCall, ids: readonly string[]): Promise<Map<string, string>> {
  const wanted = [...new Set(ids)].slice(0, 100);
  if (wanted.length === 0) return new Map();
  const ran = await call.tryRun(getUnits, { query: { id: wanted } });
  return new Map(
    ran?.body.data.flatMap(({ id, unit }) => unit === null ? [] : [[id, textOfUnit(unit)] as const]) ?? [],
  );
}
