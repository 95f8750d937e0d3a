/** How much anybody may ask for, and who pays for it. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "token that was verified before passes the limit on failures",
    file: "src/domain/credentials.ts",
    defence: "if (proven !== undefined) {",
    instead: 'if (proven === "") {',
    test: "tests/http/access_test.ts",
    filter: "T14 who knows the id",
  },
  {
    name: "row of a token that was verified before",
    file: "src/domain/credentials.ts",
    defence: "row.secretHash === proven && counts(row)",
    instead: "row.secretHash === proven",
    test: "tests/http/access_test.ts",
    filter: "T14 who knows the id",
  },
  {
    name: "failures of one source on one key",
    file: "src/kv/attempt_limit.ts",
    defence: "perSourceAndKey = 5",
    instead: "perSourceAndKey = 50",
    test: "src/kv/attempt_limit_test.ts",
    filter: "T14 five failures",
  },
  {
    name: "failures count by source and key, not by key",
    file: "src/kv/attempt_limit.ts",
    defence: "`attempt:pair:${network}:${publicId}`",
    instead: "`attempt:pair:${publicId}`",
    test: "src/kv/attempt_limit_test.ts",
    filter: "T14 five failures",
  },
  {
    name: "hashes that one id may cost",
    file: "src/kv/attempt_limit.ts",
    defence: "perKey = 30",
    instead: "perKey = 3_000",
    test: "src/kv/attempt_limit_test.ts",
    filter: "T14 from all sources",
  },
  {
    name: "circuit breaker of Redis",
    file: "src/kv/redis.ts",
    defence: "failuresMax: FAILURES_MAX",
    instead: "failuresMax: Infinity",
    test: "src/kv/redis_test.ts",
    filter: "F9 a store that is away",
  },
];
