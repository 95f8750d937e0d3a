/** The tools `timeline` and `explain`. */
import { z } from "zod";
import { explainRecall } from "../../operations/recall.ts";
import { listTimeline } from "../../operations/timeline.ts";
import { ExplainRecallBody } from "../../schema/recall.ts";
import { TimelineQuery, TimelineType } from "../../schema/timeline.ts";
import { Newer, tellNewer, toNewer } from "../newer.ts";
import { BUDGET_TOKENS, clip, countFitting, lineOf, markedLine, NOTHING } from "../text.ts";
import { READS, tool } from "../tool.ts";
import { intLike, listLike, textLike, UnitId, When } from "../schemas.ts";

const Item = z.strictObject({
  id: z.string(),
  type: z.string(),
  at: z.string(),
  text: z.string(),
  status: z.string().nullable(),
});

export const timeline = tool("timeline", listTimeline, {
  title: "What happened when",
  description:
    "List what happened in order of time: facts, decisions, events, turns, tasks. Use it for questions of order, first and last, or what a day held; use recall to find by meaning.",
  input: z.strictObject({
    since: When.optional(),
    until: When.optional(),
    types: z.array(z.enum(TimelineType.options)).max(TimelineType.options.length).optional(),
    contains: textLike(TimelineQuery.shape.q).optional().describe("The text has these words"),
    oldestFirst: z.boolean().optional(),
    limit: intLike(TimelineQuery.shape.limit).optional().describe("Default 20"),
  }),
  output: z.strictObject({ items: z.array(Item), more: z.boolean() }),
  annotations: READS,
}, async (call, { since, until, types, contains, oldestFirst = false, limit = 20 }) => {
  const { body: { data, nextCursor } } = await call.run(listTimeline, {
    query: {
      ...(since !== undefined && { from: since }),
      ...(until !== undefined && { to: until }),
      ...(types !== undefined && { types }),
      ...(contains !== undefined && { q: contains }),
      order: oldestFirst ? "asc" : "desc",
      limit: String(limit),
    },
  });
  const items = data.map(({ id, type, at, text, status }) => ({ id, type, at, text, status }));
  const lines = items.map((item) => lineOf(item.text, item));
  const fitting = countFitting(lines, BUDGET_TOKENS);
  const more = nextCursor !== null || fitting < items.length;
  return {
    lines: lines.length === 0 ? [NOTHING] : [...lines.slice(0, fitting), ...(more ? ["There is more."] : [])],
    data: { items: items.slice(0, fitting), more },
  };
});

/** How many characters are shown of a text whose rank is explained. */
const EXPLAINED_CHARS = 400;
const Explained = z.strictObject({
  id: z.string(),
  text: z.string(),
  why: z.string(),
  newer: Newer.optional(),
});

export const explain = tool("explain", explainRecall, {
  title: "Why was it found, or not",
  description:
    "Explain a search: why each result is there, and with `ids` why these units are not. Use it when recall surprises you.",
  input: z.strictObject({
    query: textLike(ExplainRecallBody.shape.query),
    ids: listLike(ExplainRecallBody.shape.explainIds, UnitId).optional(),
    limit: intLike(ExplainRecallBody.shape.limit).optional().describe("Default 5"),
  }),
  output: z.strictObject({
    confidence: z.number(),
    results: z.array(Explained),
    whyNot: z.array(z.strictObject({ id: z.string(), reason: z.string(), explanation: z.string() })),
  }),
  annotations: READS,
}, async (call, { query, ids = [], limit = 5 }) => {
  const { body } = await call.run(explainRecall, { body: { query, limit, explainIds: ids } });
  const found = body.results.map(({ newer, ...result }) => ({
    ...result,
    text: clip(result.text, EXPLAINED_CHARS),
    ...(newer && { newer: toNewer(newer) }),
  }));
  const lines = found.map(({ id, type, text, why, newer, invisibleText: invisible }) =>
    `${lineOf(text, { type, id, invisible })}: ${markedLine(why)}${tellNewer(newer)}`
  );
  const notLines = body.whyNot.map(({ id, explanation }) => `- ${id}: ${markedLine(explanation)}`);
  // The ids that were asked about go first; the best results get the space that is left.
  const fitting = countFitting([...notLines, ...lines], BUDGET_TOKENS);
  const whyNot = body.whyNot.slice(0, fitting).map(({ id, reason, explanation }) => ({ id, reason, explanation }));
  const results = found.slice(0, Math.max(0, fitting - notLines.length)).map(({ id, text, why, newer }) => ({
    id,
    text,
    why,
    ...(newer && { newer }),
  }));
  const leftOut = found.length + notLines.length - results.length - whyNot.length;
  return {
    lines: [
      ...(found.length === 0 ? [NOTHING] : []),
      ...lines.slice(0, results.length),
      ...notLines.slice(0, whyNot.length),
      ...(leftOut > 0 ? [`Left out for want of room: ${leftOut}. Ask for fewer at once.`] : []),
    ],
    data: { confidence: body.evidenceConfidence, results, whyNot },
  };
});
