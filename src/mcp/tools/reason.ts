/** The tools `reason` and `record_reasoning`. */
import { z } from "zod";
import { recordReasoning, resolveReasoning } from "../../operations/reasoning.ts";
import { RecordReasoningBody } from "../../schema/reasoning.ts";
import { markedLine } from "../text.ts";
import { tool, WRITES } from "../tool.ts";
import { listLike, textLike, textsLike, UnitId } from "../schemas.ts";

const Goal = textLike(RecordReasoningBody.shape.goal).describe("The goal, in words");
const Context = textLike(RecordReasoningBody.shape.context).optional().describe("What the way depends on");

export const reason = tool("reason", resolveReasoning, {
  title: "Ask for a known way",
  description:
    "Ask whether a way to this goal is known and proved before you work it out. Answers the steps, or that there is none.",
  input: z.strictObject({ goal: Goal, context: Context }),
  output: z.strictObject({
    hit: z.boolean(),
    reason: z.string(),
    id: z.string().optional(),
    steps: z.array(z.unknown()).optional(),
    answer: z.string().optional(),
    reliability: z.number().optional(),
  }),
  // Serving a chain counts a use.
  annotations: WRITES,
}, async (call, { goal, context }) => {
  const { body: { hit, reason, entry } } = await call.run(resolveReasoning, { body: { goal, context } });
  if (entry === null) return { lines: [`No known way (${reason}).`], data: { hit, reason } };
  const { id, steps, answer, reliability: { mean } } = entry;
  return {
    lines: [
      `Known way, reliability ${mean.toFixed(2)} [reasoning ${id}]`,
      ...steps.map((step, i) => `${i + 1}. ${markedLine(typeof step === "string" ? step : JSON.stringify(step))}`),
      `Answer: ${markedLine(answer)}`,
    ],
    data: { hit, reason, id, steps: [...steps], answer, reliability: mean },
  };
});

export const recordReasoningTool = tool("record_reasoning", recordReasoning, {
  title: "Record a way",
  description:
    "Store how a goal was reached, so that it need not be worked out again. `restsOn` names the units that must still hold.",
  input: z.strictObject({
    goal: Goal,
    context: Context,
    steps: textsLike(RecordReasoningBody.shape.steps).min(1),
    answer: textLike(RecordReasoningBody.shape.answer),
    outcome: z.enum(["success", "partial", "failure"]).optional(),
    restsOn: listLike(RecordReasoningBody.shape.preconditions, UnitId).optional(),
  }),
  output: z.strictObject({ id: z.string(), outcome: z.enum(["created", "known"]) }),
  annotations: WRITES,
}, async (call, { restsOn, ...body }) => {
  const { body: { id }, status } = await call.run(recordReasoning, {
    body: { ...body, preconditions: restsOn?.map((factId) => ({ factId })) },
  });
  const outcome = status === 201 ? "created" as const : "known" as const;
  return {
    lines: [`${outcome === "created" ? "Stored" : "Known already; counted"}. [reasoning ${id}]`],
    data: { id, outcome },
  };
});
