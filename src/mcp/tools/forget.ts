/** The tool `forget`. */
import { z } from "zod";
import { forgetFact } from "../../operations/facts.ts";
import { ForgetBody, UnitParams } from "../../schema/unit.ts";
import { readArguments } from "../arguments.ts";
import { jsonLine } from "../text.ts";
import { tool, WRITES } from "../tool.ts";
import { Reason, UnitId } from "../schemas.ts";

const input = z.strictObject({ id: UnitId, erase: z.boolean().optional(), reason: Reason });
const output = z.strictObject({
  id: z.string(),
  outcome: z.enum(["archived", "erased"]),
  receipt: z.string().optional(),
});

export const forget = tool("forget", forgetFact, {
  title: "Forget a unit",
  description:
    "Archive a unit so that it is no longer recalled; a person can restore it. Only when the user asks for it. With `erase` its content is deleted for ever and a receipt is given.",
  input,
  output,
  annotations: { ...WRITES, destructiveHint: true },
}, async (call, { id, erase = false, reason }) => {
  // Checked before the lookup: a text that is no id has no type.
  readArguments(UnitParams, { id });
  const operation = await call.findForgetting(id);
  const body = ForgetBody.parse({ mode: erase ? "erase" : "archive", reason });
  const { body: reply } = await call.run(operation, { params: { id }, body });
  if (!erase) {
    return { lines: [`Archived; a person can restore it. [${id}]`], data: { id, outcome: "archived" as const } };
  }
  const receipt = jsonLine((reply as { receipt: object }).receipt);
  return { lines: [`Erased for ever. Receipt: ${receipt}`], data: { id, outcome: "erased" as const, receipt } };
});
