import assert from "node:assert/strict";
import { z } from "zod";
import { Id, textOf, TimestampInput } from "./common.ts";
import { checkInput } from "./field_errors.ts";

const Body = z.strictObject({
  id: Id,
  text: textOf(10),
  at: TimestampInput,
  mode: z.enum(["all", "each"]),
  either: z.union([z.string(), z.number()]),
  items: z.array(z.strictObject({ name: z.string() })).default([]),
});

function told(input: unknown): string[] {
  const { faults } = checkInput(Body, input, "body");
  assert.ok(faults);
  return faults.list().map(({ path, message }) => `${path}: ${message}`);
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
  assert.deepEqual(told({ ...good, at: "tomorrow" }), [
    "body.at: must be a real date, or a real time with an offset or Z",
  ]);
});

Deno.test("what is not there is told as missing, what has the wrong type by its type, unknown members one by one", () => {
  assert.deepEqual(told({ ...good, mode: undefined, either: undefined, text: undefined }), [
    "body.text: is required",
    "body.mode: is required",
    "body.either: is required",
  ]);
  assert.match(told({ ...good, mode: "some" })[0]!, /^body\.mode: must be one of all, each$/);
  assert.match(told({ ...good, mode: null })[0]!, /^body\.mode: must be one of all, each$/);
  assert.deepEqual(told({ ...good, items: [{ name: "a" }, { nam: "b", x: 1 }], y: 2 }), [
    "body.items.1.name: is required",
    "body.items.1.nam: unknown field",
    "body.items.1.x: unknown field",
    "body.y: unknown field",
  ]);
});

Deno.test("T52 of many faults 50 are told and the others counted, and no more than those told are put into words", () => {
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, i]));
  const wide = told({ ...good, ...members(5_000) });
  assert.deepEqual([wide.length, wide[49], wide[50]], [51, "body.m49: unknown field", ": and 4,950 more"]);
  let worded = 0;
  const Item = z.string({ error: () => `fault ${worded++}` });
  const { faults } = checkInput(z.array(Item), Array(5_000).fill(1));
  assert.ok(faults);
  const list = faults.list();
  assert.deepEqual([list.length, list[50]!.message, faults.size, worded], [51, "and 4,950 more", 5_000, 50]);
});
