/**
 * Shows that defences are held by tests: takes each away in a copy of the tree, one at a time, and runs the test that is
 * there for it, which has to be green before and red after. Not a part of the gate.
 *
 *     deno run -A scripts/mutate_defences.ts [words of the names of some]
 */
import { dirname, join } from "node:path";
import { NativePostgres } from "./native_postgres.ts";

interface Mutation {
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly defence: string;
  readonly instead: string;
  readonly test: string;
  /** The beginning of the test's name. */
  readonly filter: string;
}

const MUTATIONS: readonly Mutation[] = [
  {
    name: "workspace in the statement",
    file: "src/db/queries/units.ts",
    defence: "where u.workspace_id = ${tx.workspaceId} and u.id = any(${ids as string[]}::uuid[])",
    instead: "where u.id = any(${ids as string[]}::uuid[])",
    test: "tests/http/tenancy_ids_test.ts",
    filter: "T1 with the row-level policies switched off",
  },
  {
    name: "workspace in the row-level policy",
    file: "migrations/0003_knowledge.sql",
    defence:
      `         using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))`,
    instead: `         using (sensitivity <= (select current_clearance()))`,
    test: "tests/db/rls_matrix_test.ts",
    filter: "T1 requests reach",
  },
  {
    name: "clearance in the row-level policy",
    file: "migrations/0003_knowledge.sql",
    defence:
      `         using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))`,
    instead: `         using (workspace_id = (select current_workspace()))`,
    test: "tests/db/rls_matrix_test.ts",
    filter: "requests reach rows up to their clearance",
  },
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
    name: "region lock",
    file: "src/domain/credentials.ts",
    defence: "if (config.region === undefined || region === null || config.region === region) return;",
    instead: "if (Date.now() > 0) return;",
    test: "tests/http/tenancy_test.ts",
    filter: "T23",
  },
  {
    name: "lock of an Idempotency-Key",
    file: "src/domain/idempotency.ts",
    defence: "    if (!await replies.tryLockReply(tx, request)) throw inProgress();\n",
    instead: "",
    test: "tests/http/idempotency_test.ts",
    filter: "T59 two processes",
  },
  {
    name: "kept reply in the write's transaction",
    file: "src/domain/idempotency.ts",
    defence: "options?.readOnly && !held.isOpen ? ctx.tx(work, options) : held.run(work, options)",
    instead: "ctx.tx(work, options)",
    test: "tests/http/idempotency_test.ts",
    filter: "T59 F12",
  },
  {
    name: "audit row in the write's transaction",
    file: "src/db/scope.ts",
    defence: "        if (head) await asAudit(writeAudit(tx, head, entries));\n",
    instead: "",
    test: "tests/http/audit_test.ts",
    filter: "T66",
  },
  {
    name: "append-only audit log",
    file: "migrations/0021_audit.sql",
    defence: "raise exception 'the audit log is append-only' using errcode = '42501';",
    instead: "return new;",
    test: "tests/http/audit_test.ts",
    filter: "T65 nobody changes",
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
    name: "refusal of NUL",
    file: "src/schema/json_text.ts",
    defence: `if (value.includes("\\u0000")) return`,
    instead: "if (value === undefined) return",
    test: "src/schema/json_text_test.ts",
    filter: "",
  },
  {
    name: "citations of known sessions alone",
    file: "src/domain/facts/claims.ts",
    defence: "  requireCited(cited, body);\n",
    instead: "",
    test: "tests/http/tenancy_test.ts",
    filter: "T7 T6",
  },
  {
    name: "one vote of a key for a chain",
    file: "src/db/queries/reasoning.ts",
    defence: "group by coalesce(given_by, agent_id)) keys`;",
    instead: "group by agent_id) keys`;",
    test: "tests/http/injection_test.ts",
    filter: "T46",
  },
  {
    name: "one vote of a key for a unit's worth",
    file: "src/db/queries/worth.ts",
    defence: "/ greatest(1, sum(s.weight::float8)) as part",
    instead: "/ 1 as part",
    test: "tests/http/injection_test.ts",
    filter: "T46",
  },
  {
    name: "chains erased with what they rest on",
    file: "src/domain/reasoning/preconditions.ts",
    defence: "  await forgetPrecondition(tx, unitId);\n  await eraseBroken(tx);\n",
    instead: "  await forgetPrecondition(tx, unitId);\n",
    test: "tests/http/injection_test.ts",
    filter: "T45 when a source",
  },
  {
    name: "kept replies of a session erased with it",
    file: "src/domain/sessions/session.ts",
    defence: "  await eraseReplies(tx, id);\n",
    instead: "",
    test: "tests/http/injection_test.ts",
    filter: "T45 when a source",
  },
  {
    name: "tags and directions told apart",
    file: "src/schema/invisible_text.ts",
    defence: "\\u{e0000}-\\u{e0fff}]/u;",
    instead: "]/u;",
    test: "src/schema/invisible_text_test.ts",
    filter: "T47",
  },
  {
    name: "the end of an import",
    file: "src/domain/transfer/file.ts",
    defence: "    if (allowsPartial) return",
    instead: "    if (!allowsPartial) return",
    test: "tests/http/transfer_test.ts",
    filter: "T61",
  },
  {
    name: "an export that breaks off",
    file: "src/http/transfer_endpoints.ts",
    defence: "        controller.error(error);\n",
    instead: "        controller.close();\n",
    test: "tests/fault/export_test.ts",
    filter: "T61",
  },
  {
    name: "commitment to an address",
    file: "src/domain/audit/verify.ts",
    defence: " || !isCommittedTo(record, address)",
    instead: "",
    test: "tests/http/audit_tampering_test.ts",
    filter: "T65 an address",
  },
  {
    name: "audit row of a vote",
    file: "src/domain/governance/worths.ts",
    defence: "    tx.audit({ eventType: `write.${ctx.operationId}`, targets: ids, detail: { agentId } });\n",
    instead: "",
    test: "tests/http/audit_test.ts",
    filter: "T66",
  },
  {
    name: "row-level security looked at before the start",
    file: "src/db/boot.ts",
    defence: "if (unguarded.length > 0) throw",
    instead: "if (unguarded.length < 0) throw",
    test: "tests/db/boot_test.ts",
    filter: "T4",
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
  {
    name: "region of the loops",
    file: "src/workers/mod.ts",
    defence: "served === undefined || region === served)",
    instead: "served === undefined || region !== undefined)",
    test: "tests/http/regions_test.ts",
    filter: "T12 the loops",
  },
  {
    name: "trust that takes an administrator",
    file: "src/domain/trust.ts",
    defence: `if (attribution === "verified" && !ctx.scopes.has("memory:admin")) {`,
    instead: `if (attribution === "verified" && ctx.scopes.size === 0) {`,
    test: "tests/http/admin_test.ts",
    filter: "T24 no operation",
  },
  {
    name: "unknown members of a body",
    file: "src/schema/admin_key.ts",
    defence: "export const UpdateApiKeyBody = z.strictObject({",
    instead: "export const UpdateApiKeyBody = z.object({",
    test: "tests/http/admin_test.ts",
    filter: "T24 what only",
  },
];

const tree = await Deno.makeTempDir({ prefix: "svc-mutants-" });
try {
  await copyTree(tree);
  await using postgres = await NativePostgres.start();
  const wanted = Deno.args.map((word) => word.toLowerCase());
  let survivors = 0;
  console.log("| Defence taken away | Test | Before | After |\n|---|---|---|---|");
  for (const mutation of MUTATIONS) {
    if (wanted.length > 0 && !wanted.some((word) => mutation.name.toLowerCase().includes(word))) continue;
    const [before, after] = await tryMutation(mutation, postgres.url());
    if (!before || after) survivors++;
    const tell = (passed: boolean) => passed ? "green" : "red";
    console.log(`| ${mutation.name} | ${mutation.filter || mutation.test} | ${tell(before)} | ${tell(after)} |`);
  }
  console.log(`\n${survivors === 0 ? "Every defence is held by its test" : `${survivors} not held`}`);
  Deno.exitCode = survivors === 0 ? 0 : 1;
} finally {
  await Deno.remove(tree, { recursive: true });
}

/** Whether the test passes with the defence and without it. */
async function tryMutation(mutation: Mutation, url: string): Promise<readonly [boolean, boolean]> {
  const path = join(tree, mutation.file);
  const text = await Deno.readTextFile(path);
  if (text.split(mutation.defence).length !== 2) {
    throw new Error(`Cannot take ${mutation.name} away: it does not stand in ${mutation.file} exactly once`);
  }
  const before = await passes(mutation, url);
  await Deno.writeTextFile(path, text.replace(mutation.defence, () => mutation.instead));
  try {
    return [before, await passes(mutation, url)];
  } finally {
    await Deno.writeTextFile(path, text);
  }
}

/** @throws Error when no test has the name */
async function passes({ test, filter }: Mutation, url: string): Promise<boolean> {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "--allow-all", "--quiet", "--no-check", ...(filter === "" ? [] : [`--filter=${filter}`]), test],
    cwd: tree,
    env: { TEST_DATABASE_URL: url, NO_COLOR: "1" },
    stdout: "piped",
    stderr: "null",
  }).output();
  const summary = /(\d+) passed.* \| (\d+) failed/.exec(new TextDecoder().decode(stdout));
  if (summary === null && code === 0) throw new Error(`Cannot run ${test}: it told nothing`);
  if (summary?.[1] === "0" && summary[2] === "0") throw new Error(`Cannot run ${test}: no test begins with ${filter}`);
  return code === 0;
}

/** The tracked files as they stand now, and the dependencies where they are a folder. */
async function copyTree(to: string): Promise<void> {
  const { stdout } = await new Deno.Command("git", { args: ["ls-files", "-z"] }).output();
  for (const file of new TextDecoder().decode(stdout).split("\0").filter(Boolean)) {
    await Deno.mkdir(join(to, dirname(file)), { recursive: true });
    await Deno.copyFile(file, join(to, file));
  }
  const modules = await Deno.stat("node_modules").catch(() => undefined);
  if (modules) await Deno.symlink(join(Deno.cwd(), "node_modules"), join(to, "node_modules"));
}
