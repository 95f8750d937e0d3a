import assert from "node:assert/strict";
import { ServiceError } from "../../errors.ts";
import { decodeCursor, encodeCursor, toPage } from "./cursor.ts";

const isNumber = (key: unknown): key is number => typeof key === "number";
const refused = (error: unknown) => error instanceof ServiceError && error.code === "validation_failed";

Deno.test("a cursor gives back its key", () => {
  assert.equal(decodeCursor("turns", "asc", encodeCursor("turns", "asc", 41), isNumber), 41);
  assert.equal(decodeCursor("turns", "asc", undefined, isNumber), undefined);
});

Deno.test("a cursor of another list, another order or another shape is refused", () => {
  for (
    const cursor of [
      encodeCursor("sessions", "asc", 41),
      encodeCursor("turns", "desc", 41),
      encodeCursor("turns", "asc", "41"),
      "x",
      "bnVsbA",
      "%%%",
    ]
  ) assert.throws(() => decodeCursor("turns", "asc", cursor, isNumber), refused, cursor);
});

Deno.test("the surplus row says that there is a next page and is not shown", () => {
  const page = (rows: number[]) => toPage(rows, 2, (row) => row, String);
  assert.deepEqual(page([1, 2, 3]), { data: [1, 2], nextCursor: "2" });
  assert.deepEqual(page([1, 2]), { data: [1, 2], nextCursor: null });
  assert.deepEqual(page([]), { data: [], nextCursor: null });
});
