/** Items of other instances: which pages are taken, what is published and served to whom. */
import type { Mutation } from "./mutation.ts";

const ENVELOPE = { file: "src/domain/federation/envelope.ts", test: "tests/federation/envelope_test.ts" } as const;
const SERVED = {
  test: "tests/federation/publish_test.ts",
  filter: "an instance without keys publishes each version once",
} as const;

const CLAIMS = { test: "tests/federation/claims_test.ts", filter: "" } as const;
const REPLIES = { test: "tests/federation/evil_replies_test.ts", filter: "" } as const;
const DIGEST = { test: "tests/federation/evil_peer_test.ts", filter: "T42 a digest" } as const;
const MESSAGES = { test: "tests/federation/evil_messages_test.ts", filter: "" } as const;

export const MUTATIONS: readonly Mutation[] = [
  {
    ...REPLIES,
    name: "a peer whose page is refused is asked nothing more",
    file: "src/domain/federation/pull.ts",
    defence: "count > 0 && await page.prepared.then(() => true, () => false)",
    instead: "count > 0",
  },
  {
    ...ENVELOPE,
    name: "no plain page of a peer with keys",
    defence: "  if (hasKeys && alg === undefined) throw refuse(",
    instead: "  if (hasKeys && alg === null) throw refuse(",
    filter: "T29 with both keys",
  },
  {
    ...ENVELOPE,
    name: "signature of a page",
    defence: "|| !verifySignature(bytes, sha256(canonicalJson(items)), key)",
    instead: "",
    filter: "T29 a page is refused unless",
  },
  {
    ...ENVELOPE,
    name: "a nonce once in a page",
    defence: "if (seen.has(mark)) throw",
    instead: "if (mark === undefined) throw",
    filter: "T29 a page is refused unless",
  },
  {
    ...ENVELOPE,
    name: "hash of an item",
    defence: "if (hash !== item.hash) throw",
    instead: "if (item.hash === undefined) throw",
    filter: "T32 a body must have the header's",
  },
  {
    ...ENVELOPE,
    name: "a version is the word of who sends it",
    defence: "if (body.writer !== page.from) throw",
    instead: "if (body.writer === undefined) throw",
    filter: "T32 a body must have the header's",
  },
  {
    ...ENVELOPE,
    name: "one text for one body",
    defence: "if (canonicalJson(value) === new TextDecoder().decode(bytes)) return value;",
    instead: "return value;",
    filter: "T33 a body has one text",
  },
  {
    ...ENVELOPE,
    name: "nothing but a projection from another region",
    defence:
      `expected.isAbroad ? form === "sealed" || form === "plain" || page.alg !== undefined : form === "projected"`,
    instead: "expected.isAbroad === undefined",
    filter: "T12 from a peer in another region",
  },
  {
    name: "no peer tells what is each instance's own",
    file: "src/domain/federation/shared_form.ts",
    defence: "if (untold !== undefined) throw",
    instead: "if (untold === null) throw",
    test: "tests/federation/shared_form_test.ts",
    filter: "T37 a form",
  },
  {
    ...SERVED,
    name: "nothing is published for nobody",
    file: "src/domain/federation/publish.ts",
    defence: "if (!isAsked && !await hasPeer(tx)) return false;",
    instead: "",
  },
  {
    ...SERVED,
    name: "a root is made from the rows",
    file: "src/domain/federation/digest.ts",
    defence: "if (!isRoot && kept?.seq === seq",
    instead: "if (kept?.seq === seq",
  },
  {
    ...SERVED,
    name: "another workspace is not found",
    file: "src/domain/federation/reader.ts",
    defence: "if (workspace !== undefined && workspace !== ctx.workspaceId) {",
    instead: "if (workspace === undefined && ctx.workspaceId === undefined) {",
  },
  {
    name: "facts alone cross a border",
    file: "src/domain/federation/projection.ts",
    defence: `entries.filter(({ type, isDeleted }) => type === "fact" && !isDeleted)`,
    instead: "entries.filter(({ isDeleted }) => !isDeleted)",
    test: "tests/federation/publish_test.ts",
    filter: "an instance with keys seals what it serves",
  },
  {
    name: "who holds a copy is asked for its vote",
    file: "src/domain/federation/sync.ts",
    defence: `  if (mode !== "push") await askClaims(turn);\n`,
    instead: "",
    ...CLAIMS,
  },
  {
    name: "an item above the clearance is not named to a peer",
    file: "src/db/queries/federation_conflicts.ts",
    defence: "having max(c.sensitivity) <= ${clearance}::sensitivity",
    instead: "having ${clearance}::sensitivity is not null",
    ...CLAIMS,
  },
  {
    name: "a peer without a vote is not asked",
    file: "src/domain/federation/claims.ts",
    defence: "    if (!hasVote(electorate, peer.id)) return [];\n",
    instead: "",
    ...CLAIMS,
  },
  {
    name: "pages of nothing end",
    file: "src/domain/federation/pull.ts",
    defence: "if (empty > EMPTY_PAGES_MAX) {",
    instead: "if (empty < 0) {",
    ...REPLIES,
    hangs: true,
  },
  {
    name: "a peer that forgets its places is at fault",
    file: "src/domain/federation/pull.ts",
    defence: "      if (isAnew) {",
    instead: "      if (isAnew && empty < 0) {",
    ...REPLIES,
  },
  {
    name: "a handshake alone begins no new backoff",
    file: "src/domain/federation/peer_state.ts",
    defence: "  const changes = { successAt: now,",
    instead: "  const changes = { failures: 0, successAt: now,",
    test: "src/domain/federation/peer_state_test.ts",
    filter: "F18 a peer that greets well",
  },
  {
    name: "a refusal after each handshake is not answered at once",
    file: "src/domain/federation/peer_state.ts",
    defence: "const waitMs = row.failures === 0 ? 0 : backoffMs(row.failures)",
    instead: "const waitMs = row.failures >= 0 ? 0 : backoffMs(row.failures)",
    test: "src/domain/federation/peer_state_test.ts",
    filter: "F18 a peer that greets well",
  },
  {
    name: "equal are digests, not lists",
    file: "src/domain/federation/reconcile.ts",
    defence: "isEqual: prefixes.length === 0,",
    instead: "isEqual: items.length === 0,",
    ...DIGEST,
  },
  {
    name: "differences have a limit",
    file: "src/domain/federation/reconcile.ts",
    defence: "if (items.length > DIFFERENCES_MAX) {",
    instead: "if (items.length < 0) {",
    ...DIGEST,
  },
  {
    name: "prefixes of a digest are hex digits",
    file: "src/domain/federation/reconcile.ts",
    defence: " &&\n        /^[0-9a-f]+$/.test(prefix)",
    instead: "",
    ...DIGEST,
  },
  {
    name: "an answer is to one message",
    file: "src/domain/federation/signed_answer.ts",
    defence: "(messageId === undefined || answer.for === messageId)",
    instead: "(messageId === undefined || answer.for !== undefined)",
    ...MESSAGES,
  },
  {
    name: "nobody acknowledges in the place of others",
    file: "src/db/queries/federation_turns.ts",
    defence: "and e.peer_id = ${peer} and e.origin_instance = n.instance\n       and e.origin_id = n.id and e.version",
    instead: "and e.peer_id <> '' and e.origin_instance = n.instance\n       and e.origin_id = n.id and e.version",
    ...MESSAGES,
  },
  {
    name: "a message is of who signs its token",
    file: "src/domain/federation/messages.ts",
    defence: "if (from !== peer.id || to !== ctx.deps.config.instanceId || workspace !== ctx.workspaceId) {",
    instead: "if (to !== ctx.deps.config.instanceId || workspace !== ctx.workspaceId) {",
    ...MESSAGES,
  },
];
