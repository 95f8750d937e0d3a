/** Hostile texts take time in proportion to their length. Left out of the quick form. */
import assert from "node:assert/strict";
import { cpuMs } from "../../../../../tests/_cpu.ts";
import { tellsEnd } from "./ended.ts";

Deno.test("a long hostile text takes no longer than its length says", () => {
  const measure = (older: (times: number) => string, newer: (times: number) => string) =>
    [20_000, 80_000].map((times) => {
      const texts = [older(times), newer(times)] as const;
      return cpuMs(() => void tellsEnd(...texts));
    });
  for (const part of ["ne a ", "kein aa ", "non a-a ", "not ", "quit, ", "gym and gym quit ", "is all over "]) {
    const took = measure(() => "I go to the gym and the pool", (times) => part.repeat(times));
    assert.ok(took[1]! < 400 + 8 * took[0]!, `${part}: ${took} ms`);
  }
  for (const part of ["a", "a, ", "a and ", " ", ", "]) {
    const took = measure((times) => `the gym ${part.repeat(times)}`, () => "quit the gym");
    assert.ok(took[1]! < 400 + 8 * took[0]!, `older ${part}: ${took} ms`);
  }
});
