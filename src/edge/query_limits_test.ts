import assert from "node:assert/strict";
import { ServiceError } from "../errors.ts";
import { QUERY_CHARS_MAX, QUERY_PARAMETERS_MAX, refuseWideQuery } from "./query_limits.ts";

Deno.test("T52 a query of 100 parameters and 16 KiB is read, and no longer one", () => {
  const url = (query: string) => `http://svc.test/v1/facts${query}`;
  const many = (count: number) => url(`?${Array(count).fill("a").join("&")}`);
  const long = (count: number) => url(`?${"a".repeat(count)}`);
  for (const fine of [url(""), url("?"), many(QUERY_PARAMETERS_MAX), long(QUERY_CHARS_MAX)]) refuseWideQuery(fine);
  for (
    const [wide, reason] of [
      [many(QUERY_PARAMETERS_MAX + 1), /more than 100 parameters/],
      [url(`?${"&".repeat(QUERY_PARAMETERS_MAX)}`), /more than 100 parameters/],
      [long(QUERY_CHARS_MAX + 1), /longer than 16384 characters/],
    ] as const
  ) {
    assert.throws(() => refuseWideQuery(wide), (error) => {
      assert.ok(error instanceof ServiceError && error.code === "invalid_request");
      return reason.test(error.message);
    });
  }
});
