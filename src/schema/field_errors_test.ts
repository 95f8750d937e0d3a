import assert from "node:assert/strict";
import { z } from "zod";
import { Id, textOf, TimestampInput } from "./common.ts";
import { toFieldErrors } from "./field_errors.ts";

const Body = z.strictObject({
  id: Id,
  text: textOf(10),
  at: TimestampInput,
  mode: z.enum(["all", "each"]),
  either: z.union([z.string(), z.number()]),
  items: z.array(z.strictObject({ name: z.string() })).default([]),
});

function told(input: unknown): string[] {
  const parsed = Body.safeParse(input, { reportInput: true });
  assert.ok(parsed.error);
  return toFieldErrors(parsed.error, "body").map(({ path, message }) => `${path}: ${message}`);
}

const good = {
  id: "01890000-0000-7000-8000-000000000000",
  text: "a",
  at: "2026-03-01T09:30:00Z",
  mode: "all",
  either: 1,
};

Deno.test("a member with several faults is told once, by its first", () => {
  const wrong = told({ ...good, id: "Not an id", text: "", at: "tomorrow" });
  assert.equal(wrong.length, 3, wrong.join("; "));
  assert.deepEqual(wrong.map((line) => line.split(":")[0]), ["body.id", "body.text", "body.at"]);
  assert.deepEqual(told({ ...good, at: "tomorrow" }), ["body.at: Invalid ISO datetime"]);
});

Deno.test("what is not there is told as missing, what has the wrong type by its type, unknown members one by one", () => {
  assert.deepEqual(told({ ...good, mode: undefined, either: undefined, text: undefined }), [
    "body.text: is required",
    "body.mode: is required",
    "body.either: is required",
  ]);
  assert.match(told({ ...good, mode: "some" })[0]!, /expected one of/);
  assert.match(told({ ...good, mode: null })[0]!, /expected one of/);
  assert.deepEqual(told({ ...good, items: [{ name: "a" }, { nam: "b", x: 1 }], y: 2 }), [
    "body.items.1.name: is required",
    "body.items.1.nam: unknown field",
    "body.items.1.x: unknown field",
    "body.y: unknown field",
  ]);
});
