/** The tools `decide` and `outcome`. */
import { z } from "zod";
import { createDecision, supersedeDecision } from "../../operations/decisions.ts";
import { recordSkillOutcome } from "../../operations/skills.ts";
import { CreateDecisionBody } from "../../schema/decision.ts";
import { ADDS, tool } from "../tool.ts";
import { listLike, Reason, textLike, textsLike, UnitId } from "../schemas.ts";

const Body = CreateDecisionBody.shape;

export const decide = tool("decide", createDecision, {
  title: "Record a decision",
  description:
    "Store what was decided and why, so that it is not decided again. With `replaces` it takes the place of an earlier decision. Not for facts: use remember.",
  input: z.strictObject({
    title: textLike(Body.title),
    decision: textLike(Body.decision),
    rationale: textLike(Body.rationale).optional(),
    alternatives: textsLike(Body.alternatives).optional(),
    decidedBy: textLike(Body.decidedBy).optional(),
    evidence: listLike(Body.evidenceIds, UnitId).optional(),
    replaces: UnitId.optional().describe("The decision that no longer holds"),
    reason: Reason.optional().describe("With `replaces`: why"),
  }),
  output: z.strictObject({ id: z.string(), outcome: z.enum(["created", "superseded"]) }),
  annotations: ADDS,
}, async (call, { evidence, replaces, reason, ...said }) => {
  const body = { ...said, evidenceIds: evidence };
  if (replaces === undefined) {
    const { body: { id } } = await call.run(createDecision, { body: { ...body, ...(reason && { reason }) } });
    return { lines: [`Stored. [decision ${id}]`], data: { id: String(id), outcome: "created" as const } };
  }
  const { body: { id } } = await call.run(supersedeDecision, { params: { id: replaces }, body: { ...body, reason } });
  return {
    lines: [`Stored; it takes the place of ${replaces}. [decision ${id}]`],
    data: { id, outcome: "superseded" as const },
  };
});

export const outcome = tool("outcome", recordSkillOutcome, {
  title: "Say how a skill worked",
  description: "Count a success or failure of a stored skill after you used it. Skills that fail are retired.",
  input: z.strictObject({ id: UnitId, success: z.boolean(), reason: Reason.optional() }),
  output: z.strictObject({ id: z.string(), status: z.string() }),
  annotations: ADDS,
}, async (call, { id, success, reason }) => {
  const { body: { status } } = await call.run(recordSkillOutcome, {
    params: { id },
    body: { outcome: success ? "success" : "failure", reason },
  });
  return { lines: [`Counted; the skill is ${status}. [skill ${id}]`], data: { id, status } };
});
