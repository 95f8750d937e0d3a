/** The tool `remember`. */
import { z } from "zod";
import { createFact } from "../../operations/facts.ts";
import { MessageId } from "../../schema/common.ts";
import { CreateFactBody, FactType } from "../../schema/fact.ts";
import { BUDGET_TOKENS, clip, countFitting, lineOf } from "../text.ts";
import { tool, WRITES } from "../tool.ts";
import { textLike, textsLike, When } from "../schemas.ts";
import { AGAINST_CHARS, readTexts } from "./recall.ts";

const input = z.strictObject({
  statement: textLike(CreateFactBody.shape.statement),
  kind: z.enum(FactType.options).optional(),
  subject: textLike(CreateFactBody.shape.subject).optional().describe(
    "With predicate and object: lets contradictions be found",
  ),
  predicate: textLike(CreateFactBody.shape.predicate).optional(),
  object: textLike(CreateFactBody.shape.object).optional(),
  validFrom: When.optional(),
  validTo: When.optional(),
  tags: textsLike(CreateFactBody.shape.tags).optional(),
  source: textLike(MessageId).optional().describe("messageId of the turn that says so"),
});

/** The most other facts whose texts are looked up. */
const OTHERS_MAX = 50;
const OUTCOMES = ["created", "corroborated", "superseded", "contested"] as const;
const output = z.strictObject({
  id: z.string(),
  outcome: z.enum(OUTCOMES),
  others: z.array(z.strictObject({ id: z.string(), text: z.string() })),
  /** The number of further facts beyond `others`. */
  more: z.int().optional(),
  /** What the known fact did not take. */
  leftOut: z.array(z.string()).optional(),
});

const SAID: Readonly<Record<(typeof OUTCOMES)[number], string>> = {
  created: "Stored.",
  corroborated: "Known already; counted as said again.",
  superseded: "Stored; it replaces:",
  contested: "Stored as contested: a person is asked, nothing was overwritten. It contradicts:",
};

export const remember = tool("remember", createFact, {
  title: "Remember a fact",
  description:
    "Store one durable statement: a fact, preference, instruction or observation that is worth knowing in later sessions. One statement a call, in full words that are clear without this conversation. Not for secrets, nor for what changes by the minute. The answer says whether it was new, known already, or contradicts something (then a person is asked; nothing is overwritten).",
  input,
  output,
  annotations: WRITES,
}, async (call, { statement, kind, subject, predicate, object, validFrom, validTo, tags, source }) => {
  const { body: fact, status } = await call.run(createFact, {
    body: {
      statement,
      factType: kind,
      subject,
      predicate,
      object,
      validFrom,
      validTo,
      tags,
      citations: source === undefined ? undefined : [{ messageId: source }],
    },
  });
  const { outcome: found, factIds } = fact.conflict;
  const outcome: (typeof OUTCOMES)[number] = status === 200
    ? "corroborated"
    : found === "superseded" || found === "contested"
    ? found
    : "created";
  const isAbout = outcome === "superseded" || outcome === "contested";
  const ids = isAbout ? factIds.slice(0, OTHERS_MAX) : [];
  const texts = await readTexts(call, ids);
  const told = ids.map((id) => ({ id, text: clip(texts.get(id) ?? "", AGAINST_CHARS) }));
  const lines = told.map(({ id, text }) => lineOf(text, { type: "fact", id }));
  const others = told.slice(0, countFitting(lines, BUDGET_TOKENS));
  const more = isAbout ? factIds.length - others.length : 0;
  return {
    lines: [
      `${SAID[outcome]} [fact ${fact.id}]`,
      ...lines.slice(0, others.length),
      ...(more > 0 ? [`And ${more} more.`] : []),
      ...(fact.leftOut ? [`The known fact keeps its own ${fact.leftOut.join(", ")}.`] : []),
    ],
    data: {
      id: fact.id,
      outcome,
      others,
      ...(more > 0 && { more }),
      ...(fact.leftOut && { leftOut: fact.leftOut }),
    },
  };
});
