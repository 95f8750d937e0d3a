/** The tool `correct`. */
import { z } from "zod";
import { editSelf } from "../../operations/self.ts";
import { CreateFactBody } from "../../schema/fact.ts";
import { tool, WRITES } from "../tool.ts";
import { Reason, textLike, UnitId, When } from "../schemas.ts";

const input = z.strictObject({
  id: UnitId,
  statement: textLike(CreateFactBody.shape.statement).optional().describe(
    "What is true instead; without it the fact is retracted",
  ),
  validTo: When.optional().describe("It was true until then"),
  reason: Reason,
});

const OUTCOMES = ["applied", "unchanged", "review"] as const;
const output = z.strictObject({ id: z.string(), editId: z.string(), outcome: z.enum(OUTCOMES) });

const SAID: Readonly<Record<(typeof OUTCOMES)[number], string>> = {
  applied: "Corrected.",
  unchanged: "Nothing had to change.",
  review: "Not changed yet: it is better trusted than this key, so a person is asked.",
};

export const correct = tool("correct", editSelf, {
  title: "Correct a unit",
  description:
    "Change or take back a fact that is stored and wrong or no longer true. Say why. History is kept and every edit can be reverted.",
  input,
  output,
  annotations: WRITES,
}, async (call, { id, statement, validTo, reason }) => {
  const isPatch = statement !== undefined || validTo !== undefined;
  const patch = {
    // A given triple states the wrong content as well, so the new statement is read anew.
    ...(statement !== undefined && { statement, subject: null, predicate: null, object: null }),
    ...(validTo !== undefined && { validTo }),
  };
  const { body: edit } = await call.run(editSelf, {
    body: { reason, mode: "atomic", operations: [isPatch ? { op: "update", id, patch } : { op: "retract", id }] },
  });
  const operation = edit.operations[0];
  const found = operation?.outcome;
  const outcome: (typeof OUTCOMES)[number] = found === "applied" || found === "unchanged" ? found : "review";
  const isContested = operation?.conflict?.outcome === "contested";
  const said = isContested ? `${SAID[outcome]} It contradicts what is stored: a person is asked.` : SAID[outcome];
  return { lines: [`${said} [${id}, edit ${edit.id}]`], data: { id, editId: edit.id, outcome } };
});
