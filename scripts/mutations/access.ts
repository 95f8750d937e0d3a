/** Keys, grants, addresses: who gets in. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "check sum of a key",
    file: "src/crypto/api_key.ts",
    defence: "  if (checkOf(body) !== text.slice(CHECK_START)) return null;\n",
    instead: "",
    test: "src/crypto/api_key_test.ts",
    filter: "every change of one character",
  },
  {
    name: "scope guard",
    file: "src/domain/access.ts",
    defence: "if (!key.scopes.has(scope)) {",
    instead: "if (scope === undefined) {",
    test: "tests/http/access_test.ts",
    filter: "T16",
  },
  {
    name: "last entry of X-Forwarded-For",
    file: "src/domain/caller.ts",
    defence: "isProxy ? entries.at(-1) : peerAddress",
    instead: "isProxy ? entries[0] : peerAddress",
    test: "src/domain/caller_test.ts",
    filter: "T20",
  },
  {
    name: "TCP peer of the trusted proxy",
    file: "src/domain/caller.ts",
    defence: "(isProxy && entries[0] === trustedProxy)",
    instead: "(entries[0] === trustedProxy)",
    test: "src/domain/caller_test.ts",
    filter: "T19 a certificate",
  },
  {
    name: "database's clock of a grant",
    file: "src/db/queries/break_glass.ts",
    defence: "(r.decision = 'approved' and r.expires_at > clock_timestamp())",
    instead: "(r.decision = 'approved')",
    test: "tests/http/break_glass_clock_test.ts",
    filter: "T22",
  },
  {
    name: "second admin",
    file: "src/domain/admin/break_glass.ts",
    defence: "if (before.requestedBy === adminId) {",
    instead: "if (before.id === adminId) {",
    test: "tests/http/break_glass_test.ts",
    filter: "T22 nobody approves",
  },
  {
    name: "range of addresses of a key",
    file: "src/domain/credentials.ts",
    defence: "if (cidrs.length === 0 || isInCidrs(cidrs, address)) return;",
    instead: "if (cidrs.length >= 0 || isInCidrs(cidrs, address)) return;",
    test: "tests/http/limits_test.ts",
    filter: "T20 over a real connection",
  },
  {
    name: "minute of a verified key",
    file: "src/crypto/verified_keys.ts",
    defence: "ttlSeconds = 60,",
    instead: "ttlSeconds = 120,",
    test: "tests/fault/listener_test.ts",
    filter: "T15",
  },
];
