/** Instances that come to the same again: after a restore, after what could not be read, by whichever way they may exchange. */
import type { Mutation } from "./mutation.ts";

const RESTORED = { test: "tests/federation/restore_test.ts", filter: "F21 after a restore" } as const;
const DEFERRED = { test: "tests/federation/deferred_test.ts", filter: "words of peers" } as const;
const ONE_WAY = { test: "tests/federation/ways_test.ts", filter: "a peer that only receives" } as const;

export const MUTATIONS: readonly Mutation[] = [
  {
    ...RESTORED,
    name: "a place that was given anew is not the one that a peer read",
    file: "src/domain/federation/serve.ts",
    defence: "  if (publishedAt !== undefined && publishedAt.getTime() > at) throw new PlaceUnknown();\n",
    instead: "",
  },
  {
    ...RESTORED,
    name: "a peer that knows more of our record than we do is compared with",
    file: "src/domain/federation/serve.ts",
    defence: "await doubtRecord(ctx, reader.peer.id);",
    instead: "await Promise.resolve();",
  },
  {
    ...RESTORED,
    name: "after a restore what is said is above what was said before",
    file: "src/domain/federation/resay.ts",
    defence: "Math.max(held.version, highest) + 1, ",
    instead: "said?.version ?? 1, ",
  },
  {
    ...RESTORED,
    name: "no peer is believed that something was erased here",
    file: "src/domain/federation/resay.ts",
    defence: "    if (held.isDeleted && !said.isDeleted) await askAboutErasure(receiving, state);\n",
    instead: "",
  },
  {
    ...DEFERRED,
    name: "a body of a later build is kept for it",
    file: "src/domain/federation/receive_item.ts",
    defence: `"deferred", isKept ? body.unit : null)`,
    instead: `"deferred", isKept ? null : null)`,
  },
  {
    ...DEFERRED,
    name: "words that wait take turns",
    file: "src/db/queries/federation_words.ts",
    defence: "order by received_at, origin_instance",
    instead: "order by origin_instance",
  },
  {
    name: "what a peer says does not go with what stood for it",
    file: "src/domain/federation/item_states.ts",
    defence: `if (row.role === "stand_in" && !standsIn(state)) await letGoOfStandIn(tx, state);`,
    instead: "",
    test: "tests/federation/deferred_test.ts",
    filter: "what stood for a peer's fact",
  },
  {
    ...ONE_WAY,
    name: "a peer that only receives pushes nothing",
    file: "src/domain/federation/messages.ts",
    defence: `if (peer.direction === "push") {`,
    instead: `if (peer.direction === undefined) {`,
  },
  {
    ...ONE_WAY,
    name: "a peer that only pushes is asked for no digest",
    file: "src/domain/federation/sync.ts",
    defence: "if (isWanted && isComparable(turn.peer))",
    instead: "if (isWanted && isComparable !== undefined)",
  },
  {
    name: "required keys hold for pages that are taken",
    file: "src/domain/federation/take_page.ts",
    defence: "if (ctx.deps.config.federation.requireCrypto && ",
    instead: "if (ctx.deps.config.federation === undefined && ",
    test: "tests/federation/ways_test.ts",
    filter: "T29 with SVC_FEDERATION_REQUIRE_CRYPTO",
  },
  {
    name: "the exact count of a peer's entries near the limit",
    file: "src/domain/federation/deferred.ts",
    defence: "counted.entries + arriving > COUNT_HOLDS_TO",
    instead: "false",
    test: "tests/federation/room_test.ts",
    filter: "a count of a peer's entries is reused",
  },
  {
    name: "the index by which a reconciliation finds entries by their origins",
    file: "migrations/0114_digest_buckets.sql",
    defence:
      "create index federation_version_origin on federation_version (workspace_id, origin_id) where seq is not null;",
    instead: "",
    test: "tests/db/plans_test.ts",
    filter: "entries of a peer's register are looked up",
  },
  {
    name: "publication passes over what only a peer changed",
    file: "src/domain/federation/publish.ts",
    defence: "happened.length > 0 && happened.every(({ kind })",
    instead: "happened.length > 0 && happened.some(({ kind })",
    test: "tests/federation/receive_test.ts",
    filter: "",
  },
  {
    name: "content that was read before names its sources as they are called here",
    file: "src/domain/federation/show.ts",
    defence: "if (said !== undefined && names.every((name) => ids.get(writeReference(name)) === name.id)) return said;",
    instead: "if (said !== undefined) return said;",
    test: "tests/federation/receive_test.ts",
    filter: "",
  },
  {
    name: "what is kept of shared words belongs to these words",
    file: "src/domain/kinds/facts/duplicates.ts",
    defence: 'const name = `${min} ${most} ${terms.join(" ")}`;',
    instead: "const name = `${min} ${most} ${terms[0]}`;",
    test: "src/domain/kinds/facts/duplicates_test.ts",
    filter: "",
  },
  {
    name: "the index that holds all of a digest",
    file: "src/db/queries/federation_versions.ts",
    defence: "  await sql`select set_config('random_page_cost', '1', true)`;\n",
    instead: "",
    test: "tests/db/plans_test.ts",
    filter: "entries of a peer's register are looked up",
  },
];
