/** Messages of refused input are in words for people, whichever operation refuses it. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { z } from "zod";
import { checkInput, invalidInput } from "./field_errors.ts";

const told = (schema: z.ZodType, input: unknown) => {
  const { faults } = checkInput(schema, input);
  ok(faults, `${JSON.stringify(input)} is accepted`);
  return faults.told().map(({ path, message }) => path === "" ? message : `${path}: ${message}`).join("; ");
};

Deno.test("each kind of fault says what the value must be", () => {
  const cases: readonly (readonly [z.ZodType, unknown, string])[] = [
    [z.string(), 1, "must be a text"],
    [z.number(), "1", "must be a number"],
    [z.coerce.number(), "x", "must be a number"],
    [z.int(), 1.5, "must be a whole number"],
    [z.boolean(), "yes", "must be true or false"],
    [z.array(z.string()), {}, "must be a list"],
    [z.strictObject({}), [], "must be an object"],
    [z.record(z.string(), z.number()), 1, "must be an object"],
    [z.null(), 0, "must be null"],
    [z.string().min(1), "", "must not be empty"],
    [z.string().min(3), "a", "must have at least 3 characters"],
    [z.string().max(1), "ab", "must have at most 1 character"],
    [z.string().length(2), "a", "must have exactly 2 characters"],
    [z.array(z.string()).min(1), [], "must not be empty"],
    [z.array(z.string()).max(2), ["", "", ""], "must have at most 2 items"],
    [z.number().min(3), 1, "must be at least 3"],
    [z.number().gt(3), 3, "must be more than 3"],
    [z.number().lt(3), 3, "must be less than 3"],
    [z.int().max(3), 4, "must be at most 3"],
    [z.number().multipleOf(5), 4, "must be a multiple of 5"],
    [z.enum(["a", "b"]), "c", "must be one of a, b"],
    [z.literal("a"), "c", "must be a"],
    [z.uuid(), "x", "must be a UUID, such as 01890000-0000-7000-8000-000000000000"],
    [z.iso.datetime(), "x", "must be a time such as 2026-03-01T09:30:00Z"],
    [z.iso.date(), "x", "must be a date such as 2026-03-01"],
    [z.string().regex(/^a$/), "b", "does not have the right form"],
    [z.string().regex(/^a$/, "must be a"), "b", "must be a"],
    [z.string().startsWith("a"), "b", "must begin with a"],
    [z.union([z.string(), z.number()]), true, "must be a text or a number"],
    [z.union([z.number(), z.boolean(), z.null()]), "x", "must be a number or true or false or null"],
    [z.union([z.literal("candidate"), z.int().min(1)]), "x", "must be candidate or a whole number"],
    [
      z.union([z.iso.datetime(), z.uuid()]),
      "x",
      "must be a time such as 2026-03-01T09:30:00Z or a UUID, such as 01890000-0000-7000-8000-000000000000",
    ],
    [
      z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.string(), c: z.string() })]),
      { a: 1 },
      "a must be a text",
    ],
    [z.union([z.strictObject({ a: z.string() }), z.string()]), {}, "a is required"],
    [z.union([z.strictObject({ a: z.string() }), z.string()]), 1, "must be an object or a text"],
    [z.discriminatedUnion("op", [z.strictObject({ op: z.literal("x") }), z.strictObject({ op: z.literal("y") })]), {
      op: "z",
    }, "op: must be one of x, y"],
    [z.record(z.string().min(2), z.number()), { a: 1 }, "a: must have at least 2 characters"],
  ];
  for (const [schema, input, expected] of cases) equal(told(schema, input), expected);
});

Deno.test("the message names every fault, as far as one can read it", () => {
  const Body = z.strictObject({ statement: z.string(), tags: z.array(z.string()).optional() });
  const messageOf = (input: unknown) => {
    const { faults } = checkInput(Body, input);
    ok(faults);
    return invalidInput(faults).message;
  };
  equal(messageOf({ text: "x" }), "Cannot accept the request: statement: is required; text: unknown field");
  equal(
    messageOf({ tags: [1, "a", null], sentence: "x", subject: "y" }),
    "Cannot accept the request: statement: is required; tags.0: must be a text; tags.2: must be a text; " +
      "sentence: unknown field; subject: unknown field",
  );
  const long = messageOf(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`member${i}`, i])));
  ok(long.length < 1_200, `${long.length}`);
  match(long, / \(and \d+ more\)$/);
  const wide = messageOf({ ["x".repeat(5_000)]: 1 });
  match(wide, /^Cannot accept the request: statement: is required/);
  deepEqual([wide.length < 1_200, /and 1 more/.test(wide)], [true, true]);
});
