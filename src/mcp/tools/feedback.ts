/** The tool `feedback`. */
import { z } from "zod";
import { ServiceError } from "../../errors.ts";
import { giveWorthFeedback } from "../../operations/governance.ts";
import { SIGNALS_MAX } from "../../schema/governance.ts";
import { tool, WRITES } from "../tool.ts";
import { UnitId } from "../schemas.ts";

const Units = z.array(UnitId).max(SIGNALS_MAX);
const input = z.strictObject({
  helpful: Units.optional(),
  harmful: Units.optional(),
});
const output = z.strictObject({ counted: z.int() });

export const feedback = tool("feedback", giveWorthFeedback, {
  title: "Say what helped",
  description: "Tell which recalled units helped and which misled, after you used them. It makes later answers better.",
  input,
  output,
  annotations: WRITES,
}, async (call, { helpful = [], harmful = [] }) => {
  const signals = [
    ...[...new Set(helpful)].map((unitId) => ({ unitId, signal: "helpful" })),
    ...[...new Set(harmful)].map((unitId) => ({ unitId, signal: "harmful" })),
  ];
  if (signals.length === 0) {
    throw new ServiceError("validation_failed", "Cannot give feedback: neither helpful nor harmful names a unit");
  }
  const { body: { data } } = await call.run(giveWorthFeedback, { body: { signals } });
  return { lines: [`Units counted: ${data.length}.`], data: { counted: data.length } };
});
