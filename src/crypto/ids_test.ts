import assert from "node:assert/strict";
import { isUuid, isUuidv7, timeOfUuidv7, uuidv7 } from "./ids.ts";

Deno.test("an id carries its time, version and variant", () => {
  // Later than every other time in this file, so that the counter does not hold the time of another test.
  const now = new Date("2090-02-22T19:22:22.000Z");
  const id = uuidv7(now);
  assert.ok(isUuidv7(id), id);
  assert.equal(id, id.toLowerCase());
  assert.equal(timeOfUuidv7(id).toISOString(), now.toISOString());
});

Deno.test("the example of RFC 9562 appendix A.6 is accepted and dated", () => {
  const example = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";
  assert.ok(isUuidv7(example));
  assert.equal(timeOfUuidv7(example).toISOString(), "2022-02-22T19:22:22.000Z");
});

Deno.test("ids sort in the order they were made, in one millisecond and when the clock steps back", () => {
  const start = Date.parse("2091-01-01T00:00:00Z");
  const ids: string[] = [];
  for (let i = 0; i < 20_000; i++) ids.push(uuidv7(new Date(start)));
  for (let i = 0; i < 1_000; i++) ids.push(uuidv7(new Date(start - 3_600_000 - i)));
  for (let i = 0; i < 1_000; i++) ids.push(uuidv7(new Date(start + i)));
  assert.deepEqual(ids, [...ids].sort());
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every(isUuidv7));
});

Deno.test("what is not a canonical UUID is refused", () => {
  const good = uuidv7(new Date());
  const wrong = ["", good.toUpperCase(), `{${good}}`, `${good}\n`, good.replaceAll("-", ""), `urn:uuid:${good}`];
  for (let length = 0; length < good.length; length++) wrong.push(good.slice(0, length));
  wrong.push(`${good}0`, "017f22e2-79b0-0cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-78c4-dc0c0c07398f");
  for (const text of wrong) {
    assert.equal(isUuid(text), false, text);
    assert.equal(isUuidv7(text), false, text);
  }
  const v4 = crypto.randomUUID();
  assert.ok(isUuid(v4) && !isUuidv7(v4));
});
