/** The tool `read`. */
import { z } from "zod";
import { getFactHistory } from "../../operations/facts.ts";
import { getUnits } from "../../operations/units.ts";
import { GetUnitsQuery } from "../../schema/knowledge_unit.ts";
import { ServiceError } from "../../errors.ts";
import { BUDGET_TOKENS, countFitting, jsonLine } from "../text.ts";
import { READS, tool, type ToolCall } from "../tool.ts";
import { listLike, textLike, UnitId } from "../schemas.ts";

const HISTORY_MAX = "50";

const input = z.strictObject({
  ids: listLike(GetUnitsQuery.shape.id, UnitId),
  history: z.boolean().optional().describe("Also how facts changed"),
  cursor: textLike(GetUnitsQuery.shape.cursor).optional().describe("historyCursor of one id, for later changes"),
});

const output = z.strictObject({
  units: z.array(z.record(z.string(), z.unknown())),
  missing: z.array(z.string()),
  leftOut: z.array(z.string()).optional(),
});

export const read = tool("read", getUnits, {
  title: "Read units",
  description:
    "Read units whole by id: sources, validity, history of changes, relations. Use it after recall, when a result matters and you need where it comes from or whether it still holds.",
  input,
  output,
  annotations: READS,
}, async (call, { ids, cursor, history = cursor !== undefined }) => {
  const wanted = [...new Set(ids)];
  if (cursor !== undefined && wanted.length > 1) {
    throw new ServiceError("validation_failed", "Cannot read: a cursor belongs to one id", {
      errors: [{ path: "cursor", message: "belongs to one id" }],
    });
  }
  const { body: { data } } = await call.run(getUnits, { query: { id: wanted } });
  const missing = data.filter(({ unit }) => unit === null).map(({ id }) => id);
  const units: Record<string, unknown>[] = [];
  for (const { id, type, unit, newer } of data) {
    if (unit === null) continue;
    const changes = history && type === "fact" ? await readHistory(call, id, cursor) : {};
    units.push({ ...shortened(unit), ...(newer && { newer }), ...changes });
  }
  const texts = units.map(jsonLine);
  const fitting = countFitting(texts, BUDGET_TOKENS);
  const longer = units.slice(0, fitting).filter((unit) => unit["historyCursor"] !== undefined);
  const leftOut = units.slice(fitting).map((unit) => String(unit["id"]));
  return {
    lines: [
      ...texts.slice(0, fitting),
      ...longer.map(({ id, historyCursor }) =>
        `${id} changed more than ${HISTORY_MAX} times: read it with cursor ${historyCursor} for what came later.`
      ),
      ...(leftOut.length > 0 ? [`Left out for want of room, read them in another call: ${leftOut.join(", ")}`] : []),
      ...(missing.length > 0 ? [`No such unit, or above this key's clearance: ${missing.join(", ")}`] : []),
    ],
    data: { units: units.slice(0, fitting), missing, ...(leftOut.length > 0 && { leftOut }) },
  };
});

/** Reads the changes of a fact, oldest first, and the cursor of the next page if there is one. */
async function readHistory(call: ToolCall, id: string, cursor: string | undefined): Promise<Record<string, unknown>> {
  const { body: { data, nextCursor } } = await call.runBeside(getFactHistory, {
    params: { id },
    query: { limit: HISTORY_MAX, ...(cursor !== undefined && { cursor }) },
  });
  return { history: data.map(shortened), ...(nextCursor !== null && { historyCursor: nextCursor }) };
}

/** Members that tell a model nothing. */
const DULL = new Set(["contentHash", "origin", "recordedAt"]);

/** A resource without empty members. */
function shortened(resource: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(resource).filter(([name, value]) => !DULL.has(name) && !isEmpty(value)),
  );
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
