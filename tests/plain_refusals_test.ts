/** What any operation says of wrong input is in words for people. */
import { deepEqual, ok } from "node:assert/strict";
import { z } from "zod";
import { ENDPOINTS } from "../src/http/endpoints.ts";
import { checkInput } from "../src/schema/field_errors.ts";

/** Words that only the validator, or a programmer, uses. */
const VALIDATOR =
  /too (small|big)|\bexpected\b|\breceived\b|invalid|unrecognized|[<>]=\s?\d|\bNaN\b|\bISO\b|\bstring\b|\binteger\b|\bboolean\b|\barray\b|\bundefined\b|regex|pattern|discriminat|\bunion\b|\bnull(ish|able)\b|\[object/i;
/** The fallbacks: better than the validator's words, but they say nothing. */
const EMPTY = /^(.* )?(cannot be accepted|does not have the right form|must be of another type)$/;

const WRONG: readonly unknown[] = [
  ...[null, true, -1, 1.5, 1e12, "", " ", "x", "\u0000", "2026-02-30", "x".repeat(70_000)],
  ...[[], {}, [null], [1], ["x", "x"], { x: 1 }, Array(1_001).fill("x"), Array(1_001).fill({})],
];
const DEPTH_MAX = 5;

/** Wrong values for a schema: for the whole, and for each member with the others left out. */
function* wrongFor(schema: z.core.$ZodType, depth = 0): Generator<unknown> {
  yield* WRONG;
  if (depth > DEPTH_MAX) return;
  const def = schema._zod.def as unknown as Record<string, unknown>;
  const inner = (def["innerType"] ?? def["in"]) as z.core.$ZodType | undefined;
  if (inner !== undefined) yield* wrongFor(inner, depth);
  if (def["getter"] !== undefined) yield* wrongFor((def["getter"] as () => z.core.$ZodType)(), depth + 1);
  for (const option of (def["options"] ?? []) as z.core.$ZodType[]) {
    const told = (option._zod.propValues ?? {}) as Record<string, Set<unknown>>;
    const named = Object.fromEntries(Object.entries(told).map(([name, [value]]) => [name, value]));
    for (const wrong of wrongFor(option, depth + 1)) {
      yield wrong;
      if (typeof wrong === "object" && wrong !== null && !Array.isArray(wrong)) yield { ...named, ...wrong };
    }
  }
  if (def["type"] === "array") {
    for (const wrong of wrongFor(def["element"] as z.core.$ZodType, depth + 1)) yield [wrong];
  }
  if (def["type"] === "record") {
    for (const wrong of wrongFor(def["valueType"] as z.core.$ZodType, depth + 1)) yield { x: wrong };
  }
  for (const [name, member] of Object.entries((def["shape"] ?? {}) as Record<string, z.core.$ZodType>)) {
    for (const wrong of wrongFor(member, depth + 1)) yield { [name]: wrong };
  }
}

Deno.test("no operation refuses wrong input in the words of the validator", () => {
  const faults = new Map<string, string>();
  let count = 0;
  const seen = new Set<z.ZodType>();
  for (const { id, params, query, body } of ENDPOINTS) {
    for (const schema of [params, query, body]) {
      if (schema === undefined || seen.has(schema)) continue;
      seen.add(schema);
      for (const wrong of wrongFor(schema)) {
        for (const { path, message } of checkInput(schema, wrong).faults?.told() ?? []) {
          count++;
          // The caller's own names and values may say anything.
          if (message === "unknown field") continue;
          if (VALIDATOR.test(message) || EMPTY.test(message)) faults.set(`${id} ${path}: ${message}`, message);
        }
      }
    }
  }
  ok(count > 10_000, `${count}`);
  deepEqual([...new Set(faults.values())], [], [...faults.keys()].slice(0, 40).join("\n"));
});
