/**
 * A service against a peer that was made by hand and lies. Whatever the peer says, nothing of it is taken by half, its entry
 * says what is wrong, and the exchange with others goes on.
 */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { makeInvite } from "../../src/domain/federation/invites.ts";
import { findPeer } from "../../src/domain/federation/peers.ts";
import { takeTurn } from "../../src/domain/federation/sync.ts";
import { type CertificateMaker, createCertificateMaker } from "../_certificates.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { type Answer, EvilPeer, type Lie, rewrite } from "./_evil_peer.ts";
import { TERMS } from "./_pair.ts";
import { makePeerKeys } from "./_peer.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

const HOUR_MS = 3_600_000;
const OTHER = "01990000-0000-7000-8000-0000000000ff";

interface World extends AsyncDisposable {
  readonly service: TestService;
  readonly certificates: CertificateMaker;
  readonly liar: EvilPeer;
  readonly honest: EvilPeer;
  readonly slow: EvilPeer;
  now: Date;
}

/** A service, and three peers that it invited. */
async function startWorld(): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const certificates = stack.use(await createCertificateMaker());
  const identity = await certificates.make({ names: "IP:127.0.0.1", isSelfSigned: true });
  const world = { certificates, now: new Date() } as { -readonly [K in keyof World]: World[K] };
  const clock = () => world.now;
  const peers = ["liar", "honest", "slow"].map((name) =>
    stack.use(new EvilPeer(`instance:${name}.test`, identity, clock))
  );
  const { privateKey } = generateKeyPairSync("ed25519");
  const service = stack.use(
    await startService({
      clock,
      env: {
        SVC_INSTANCE_ID: "instance:us.test",
        SVC_FEDERATION_ENDPOINT: "https://us.test",
        SVC_FEDERATION_PRIVATE_KEY: privateKey.export({ format: "pem", type: "pkcs8" }) as string,
        SVC_FEDERATION_SYMMETRIC_KEY: randomBytes(32).toString("base64"),
        SVC_OUTBOUND_PORTS: peers.map(({ port }) => port).join(","),
      },
    }),
  );
  const { url } = service.listen();
  for (const peer of peers) {
    const own = { certPin: identity.pin, clientCertPin: undefined };
    const joined = await peer.join((await makeInvite(service.operator(), own, TERMS)).text, url);
    assert.equal(joined.body.type, "joined", JSON.stringify(joined));
  }
  const [liar, honest, slow] = peers as [EvilPeer, EvilPeer, EvilPeer];
  const owned = stack.move();
  return Object.assign(world, { service, liar, honest, slow, [Symbol.asyncDispose]: () => owned.disposeAsync() });
}

function turn({ service }: World, { id }: EvilPeer, options: Parameters<typeof takeTurn>[2] = { mode: "pull" }) {
  return takeTurn(service.operator(), id, options);
}

/** A turn that comes to its end. */
async function goodTurn(world: World, peer: EvilPeer, options?: Parameters<typeof takeTurn>[2]) {
  const report = await turn(world, peer, options);
  assert.ok(report, "nobody else has the turn");
  assert.equal(report.error, null, JSON.stringify(report.error));
  return report;
}

async function entryOf({ service }: World, { id }: EvilPeer) {
  return (await service.operator().tx((tx) => findPeer(service.deps, tx, id), { readOnly: true }))!;
}

async function rows({ service }: World, query: string): Promise<Json[]> {
  const text = query.replaceAll(":ws", `'${service.workspaceId}'`);
  return await service.operator().tx(async (tx) => [...await tx.sql.unsafe(text)]);
}

/** All that a peer's word could have changed. */
async function held(world: World): Promise<Json> {
  const tables = [
    ...["unit", "unit_revision", "relation", "review_item", "task", "deletion_log"],
    ...["federation_version", "federation_item", "federation_conflict"],
  ];
  const sums = tables.map((table) =>
    `(select md5(coalesce(string_agg(t::text, '' order by t::text), '')) from ${table} t where workspace_id = :ws) as ${table}`
  );
  const [all] = await rows(world, `select ${sums.join(", ")}`);
  return { ...all };
}

async function countAudit(world: World, eventType: string): Promise<number> {
  const [{ n }] = await rows(
    world,
    `select count(*)::int as n from audit_log where workspace_id = :ws and event_type = '${eventType}'`,
  );
  return n;
}

/** A lie, and why the turn fails that hears it. */
interface Case {
  readonly what: string;
  readonly code: string;
  readonly tell: Lie["tell"];
  /** The page itself is refused, which stands in the audit log. */
  readonly isPage?: boolean;
  /** Most requests that it takes. Default: one. */
  readonly requests?: number;
}

const other = makePeerKeys();
const stream = (source: UnderlyingDefaultSource<Uint8Array>) =>
  new Response(new ReadableStream(source, { highWaterMark: 0 }), { headers: { "content-type": "application/json" } });
const plainly = (status: number, body: string | null, headers: HeadersInit = {}) => () =>
  new Response(body, { status, headers });

/** Lies about who answers what, and about the bytes of a reply. */
const REPLIES: readonly Case[] = [
  {
    what: "the token of another request",
    code: "federation_verify_failed",
    tell: (truth) => ({ ...truth, token: { claims: { req: randomBytes(16).toString("base64url") } } }),
  },
  {
    what: "another instance's token",
    code: "federation_verify_failed",
    tell: (truth) => ({ ...truth, signer: other }),
  },
  {
    what: "the name of another instance",
    code: "federation_verify_failed",
    tell: (truth) => ({ ...truth, token: { claims: { iss: "instance:honest.test" } } }),
  },
  {
    what: "a token of another status",
    code: "federation_verify_failed",
    tell: (truth) => ({ ...truth, token: { claims: { status: 404 } } }),
  },
  {
    what: "a token of another body",
    code: "federation_verify_failed",
    tell: (truth) => ({ ...truth, token: { claims: { payload_hash: "A".repeat(43) } } }),
  },
  {
    what: "a token that nothing signs",
    code: "federation_verify_failed",
    tell: (truth) => ({ ...truth, token: { header: { alg: "none" } } }),
  },
  { what: "no token", code: "reply_token_missing", tell: (truth) => ({ ...truth, token: null }) },
  {
    what: "a clock that is a minute ahead",
    code: "clock",
    tell: (truth) => {
      const iat = Math.floor(Date.now() / 1_000) + 60;
      return { ...truth, token: { claims: { iat, exp: iat + 300 } } };
    },
  },
  {
    what: "a redirect to an inside address",
    code: "redirected",
    tell: plainly(302, null, { location: "http://169.254.169.254/" }),
  },
  { what: "500", code: "unavailable", tell: plainly(500, "{}") },
  { what: "503 as HTML", code: "unavailable", tell: plainly(503, "<html>") },
  { what: "nothing at all", code: "unexpected_reply", tell: (truth) => ({ ...truth, status: 204, body: "" }) },
  { what: "HTML", code: "page_unreadable", tell: (truth) => ({ ...truth, body: "<html></html>" }) },
  { what: "half a page", code: "page_unreadable", tell: (truth) => ({ ...truth, body: truth.body.slice(0, 400) }) },
  {
    what: "a reply that breaks off, also when it is asked for again",
    code: "broken",
    requests: 2,
    tell: () =>
      stream({
        start: (to) => to.enqueue(new TextEncoder().encode('{"v":1,')),
        pull: (to) => to.error(new Error("gone")),
      }),
  },
  {
    what: "ten megabytes",
    code: "body_too_large",
    tell: (truth) => ({ ...truth, body: truth.body + " ".repeat(1e7) }),
  },
  {
    what: "a few bytes that unpack to very many",
    code: "encoded",
    tell: plainly(200, gzipSync(new Uint8Array(5e7)) as unknown as string, { "content-encoding": "gzip" }),
  },
];

/** Lies in a page, under a token that is right. */
function pagesOf({ liar, honest, service }: World): readonly Case[] {
  const { workspaceId } = service;
  const last = () => liar.bodies.at(-1)!;
  const paged = (items: () => Json[], changes: Json = {}) => () => ({
    status: 200,
    body: JSON.stringify(liar.page(items(), { cursor: `c${liar.bodies.length}`, ...changes })),
  });
  const refused = (what: string, tell: Lie["tell"], code = "federation_verify_failed"): Case => ({
    what,
    tell,
    code,
    isPage: true,
  });
  const sealed = (change: Json, options = {}) => paged(() => [liar.seal({ ...last(), ...change }, options)]);
  return [
    refused("a page that nobody signed", rewrite(({ signature: _, ...page }) => page)),
    refused("the signature of another page", rewrite((page) => ({ ...page, signature: "A".repeat(86) }))),
    refused(
      "a page that another key signed",
      () => ({ status: 200, body: JSON.stringify(liar.page([liar.seal(last())], { cursor: "c9" }, other)) }),
    ),
    refused(
      "an item that was added after the signing",
      rewrite((page) => ({ ...page, items: [...page.items, ...page.items] })),
    ),
    refused(
      "plain items",
      rewrite(({ alg: _, keyId: _key, signature: _signature, ...page }) => ({
        ...page,
        items: page.items.map(({ nonce: _nonce, sealed: _sealed, ...item }: Json) => ({ ...item, body: last() })),
      })),
    ),
    refused("a page of somebody else", rewrite((page) => ({ ...page, from: honest.id }))),
    refused("a page for somebody else", rewrite((page) => ({ ...page, to: honest.id }))),
    refused("a page of another workspace", rewrite((page) => ({ ...page, workspace: workspaceId }))),
    refused("an item under another key", sealed({}, { key: new Uint8Array(32) }), "federation_decrypt_failed"),
    refused(
      "an item that was sealed for another workspace",
      sealed({}, { context: { workspace: OTHER } }),
      "federation_decrypt_failed",
    ),
    refused("an item with another's id", sealed({}, { header: { id: OTHER } })),
    refused("an item of another hash", sealed({}, { header: { hash: "0".repeat(64) } })),
    refused("another instance's word", sealed({ writer: honest.id })),
    refused("our own word", sealed({ writer: "instance:us.test" })),
    refused("a body that is no JSON", sealed({}, { text: "{" })),
    refused(
      "one nonce for two items",
      paged(() => {
        const nonce = new Uint8Array(12);
        return [
          liar.seal(last(), { nonce }),
          liar.seal({ ...last(), origin: { instance: liar.id, id: OTHER } }, { nonce }),
        ];
      }),
    ),
    refused(
      "one good item and one that does not open",
      paged(() => [
        liar.seal(last()),
        liar.seal({ ...last(), origin: { instance: liar.id, id: OTHER } }, { key: new Uint8Array(32) }),
      ]),
      "federation_decrypt_failed",
    ),
    { what: "501 items", code: "page_unreadable", tell: paged(() => new Array(501).fill(liar.seal(last()))) },
    { what: "version 0", code: "page_unreadable", tell: sealed({ version: 0 }) },
    {
      what: "a member that is there twice",
      code: "page_unreadable",
      tell: (truth) => ({ ...truth, body: truth.body.replace("{", '{"v":1,') }),
    },
    { what: "a place of a megabyte", code: "page_unreadable", tell: paged(() => [], { cursor: "c".repeat(1e6) }) },
    { what: "no place to go on at", code: "page_repeated", tell: paged(() => [liar.seal(last())], { cursor: null }) },
    {
      what: "the place where we are, with items",
      code: "page_repeated",
      tell: (_, { query }) => paged(() => [liar.seal(last())], { cursor: query.get("since") })() as Answer,
    },
    {
      what: "two places that lead to each other",
      code: "page_repeated",
      requests: 3,
      tell: (_, { query }) => paged(() => [], { cursor: query.get("since") === "x1" ? "x2" : "x1" })() as Answer,
    },
    {
      what: "pages of nothing that never end",
      code: "pages_empty",
      requests: 101,
      tell: () => paged(() => [], { cursor: `x${randomBytes(8).toString("hex")}` })() as Answer,
    },
    {
      what: "an epoch that changes with each page",
      code: "place_lost",
      requests: 3,
      tell: (truth, { query }) => query.has("since") ? { status: 422, body: "{}" } : truth,
    },
  ];
}

Deno.test({
  ...POSTGRES,
  name:
    "F18 T28 T29 T32 T33 T36 T42 a peer that lies in its replies: nothing is taken, its entry says why, and it comes back when it stops",
  async fn(t) {
    await using world = await startWorld();
    const { liar, honest, slow, service } = world;

    await t.step("a peer whose page comes a byte at a time holds up nobody", async () => {
      await goodTurn(world, slow);
    });
    let drip: ReturnType<typeof setInterval> | undefined;
    slow.lie = {
      on: "items",
      tell: () =>
        stream({
          start(to) {
            drip = setInterval(() => to.enqueue(new TextEncoder().encode(" ")), 1_000);
          },
          cancel: () => clearInterval(drip),
        }),
    };
    const hanging = turn(world, slow);
    try {
      await goodTurn(world, liar);
      for (const { what, code, tell, isPage = false, requests = 1 } of [...REPLIES, ...pagesOf(world)]) {
        await t.step(what, async () => {
          const { origin } = liar.say(`The liar says: ${what}.`);
          const [before, rejected] = [await held(world), await countAudit(world, "federation.page_rejected")];
          const asked = liar.requests.length;
          liar.lie = { on: "items", tell };
          const report = await turn(world, liar).finally(() => liar.lie = undefined);
          assert.deepEqual([report?.error?.code, report?.received], [code, what.startsWith("an epoch") ? 1 : 0]);
          assert.ok(liar.requests.length - asked <= requests, `${liar.requests.length - asked} requests`);
          const { state, lastError } = await entryOf(world, liar);
          assert.deepEqual([state, lastError?.["code"]], ["DEGRADED", code]);
          assert.match(String(lastError?.["message"]), /\w{3}/);
          if (code !== "place_lost") assert.deepEqual(await held(world), before);
          assert.equal(await countAudit(world, "federation.page_rejected") - rejected, isPage ? 1 : 0);
          await goodTurn(world, liar);
          assert.equal((await service.get(`/v1/memory/facts/${origin.id}`)).status, 200);
        });
      }

      await t.step("a body without an end is read to its limit and no further", async () => {
        let poured = 0;
        let isClosed = false;
        const piece = new Uint8Array(65_536).fill(32);
        liar.lie = {
          on: "items",
          tell: () =>
            stream({
              pull(to) {
                poured += piece.length;
                to.enqueue(piece);
              },
              cancel: () => void (isClosed = true),
            }),
        };
        assert.equal((await turn(world, liar))?.error?.code, "body_too_large");
        await waitFor("the connection to be closed", () => isClosed);
        assert.ok(poured < 32 * 1_048_576, `${poured} bytes`);
        liar.lie = undefined;
        await goodTurn(world, liar);
      });

      await t.step("an honest peer is read meanwhile", async () => {
        const { origin } = honest.say("The honest peer says what it knows.");
        assert.equal((await goodTurn(world, honest)).received, 1);
        assert.equal((await service.get(`/v1/memory/facts/${origin.id}`)).status, 200);
      });

      await t.step("F18 a peer that greets well and lies in its pages is asked less and less often", async () => {
        liar.lie = { on: "items", tell: plainly(500, "{}") };
        const waits: number[] = [];
        for (let i = 0; i < 4; i++) {
          assert.equal((await turn(world, liar))?.error?.code, "unavailable");
          const { nextAttemptAt } = await entryOf(world, liar);
          waits.push((nextAttemptAt!.getTime() - world.now.getTime()) / 1_000);
        }
        for (const [i, seconds] of [30, 120, 600, 1_800].entries()) {
          assert.ok(waits[i]! >= seconds && waits[i]! <= seconds * 1.1 + 1, `${i}: ${waits[i]}`);
        }
        liar.lie = { on: "items", tell: (truth) => ({ ...truth, status: 403, body: "{}" }) };
        assert.equal((await turn(world, liar))?.error?.code, "unauthenticated");
        const { nextAttemptAt } = await entryOf(world, liar);
        assert.ok(nextAttemptAt!.getTime() - world.now.getTime() >= HOUR_MS, "it is not greeted again at once");
        liar.lie = undefined;
        await goodTurn(world, liar);
        assert.equal((await entryOf(world, liar)).failures, 0);
      });

      assert.equal((await hanging)?.error?.code, "timeout");
      assert.deepEqual((await entryOf(world, slow)).lastError?.["code"], "timeout");
    } finally {
      clearInterval(drip);
      await hanging;
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "T36 T37 T39 items that a peer makes up change nothing but what is its own",
  async fn() {
    await using world = await startWorld();
    const { liar, service } = world;
    const stored = async (at: TestService, statement: string) => {
      const { status, body } = await at.post("/v1/memory/facts", { statement });
      assert.equal(status, 201, JSON.stringify(body));
      return body;
    };
    const ours = await stored(service, "The bridge over the Aller carries 12 tons.");
    const neighbour = await service.inNewWorkspace();
    const theirs = await stored(neighbour, "The neighbour keeps the key under the mat.");
    const named = (id: string) => ({ origin: { instance: liar.id, id } });
    liar.say("The bridge over the Aller is closed.", named(ours.id));
    liar.say("The key is with the liar.", named(theirs.id));
    const future = liar.say("The liar comes from the future.", { updatedAt: "2099-01-01T00:00:00.000Z" });
    liar.say("The liar has seen what we will say.", { seen: { "instance:us.test": 7 } });
    const jump = liar.say("The liar says it for the 2,000th time.", { version: 2_000 });
    const { unit } = liar.bodies[0];
    const trusted = liar.say("x", {
      unit: { ...unit, statement: "Trust the liar.", attribution: "verified", trustScore: 100 },
    });
    const before = liar.requests.length;
    const report = await goodTurn(world, liar);
    assert.deepEqual(
      Object.fromEntries(report.rejected.map(({ code, count }) => [code, count])),
      { VERSION_JUMP_REJECTED: 1, validation_failed: 2 },
    );
    // The jump is asked for once in a step; what does not come nearer is not asked for again.
    assert.ok(liar.requests.length - before <= 12, `${liar.requests.length - before} requests`);
    assert.equal((await service.get(`/v1/memory/facts/${ours.id}`)).body.statement, ours.statement);
    assert.equal((await neighbour.get(`/v1/memory/facts/${theirs.id}`)).body.statement, theirs.statement);
    for (const { origin } of [jump, trusted]) {
      assert.equal((await service.get(`/v1/memory/facts/${origin.id}`)).status, 404);
    }
    const [{ at }] = await rows(
      world,
      `select updated_at as at from federation_version where workspace_id = :ws and origin_id = '${future.origin.id}'`,
    );
    assert.ok(at <= world.now, "a time that is ahead counts as that of receipt");
    const all = await rows(
      world,
      "select distinct attribution from unit where workspace_id = :ws and origin_instance <> 'instance:us.test'",
    );
    assert.deepEqual(all.map(({ attribution }) => attribution), ["federation_received"]);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T26 T30 T41 a peer that is somebody else since it was paired is not greeted, and another certificate gets no request",
  async fn(t) {
    await using world = await startWorld();
    const { liar, certificates } = world;
    await goodTurn(world, liar);
    const resign = (change: Json, signer = liar.keys): Lie["tell"] => (truth) => {
      const { signature: _, keyId: _key, ...said } = JSON.parse(truth.body);
      return { ...truth, body: JSON.stringify(liar.signed("handshake", { ...said, ...change }, signer)) };
    };
    const first = (tell: Lie["tell"]): Lie["tell"] => (truth, request) =>
      request.body.type === "hello" ? tell(truth, request) : truth;
    const second = (tell: Lie["tell"]): Lie["tell"] => (truth, request) =>
      request.body.type === "hello" ? truth : tell(truth, request);
    const cases: readonly Pick<Case, "what" | "code" | "tell">[] = [
      { what: "a challenge that another key signed", code: "federation_verify_failed", tell: first(resign({}, other)) },
      {
        what: "a challenge that says another's signature is ours",
        code: "federation_verify_failed",
        tell: first(rewrite((said) => ({ ...said, signature: "A".repeat(86) }))),
      },
      {
        what: "a challenge to another hello",
        code: "handshake_failed",
        tell: first(resign({ hello: "A".repeat(43) })),
      },
      { what: "another instance", code: "handshake_failed", tell: first(resign({ from: "instance:honest.test" })) },
      { what: "another workspace", code: "handshake_failed", tell: first(resign({ workspace: OTHER })) },
      {
        what: "a challenge for somebody else",
        code: "handshake_failed",
        tell: first(resign({ to: "instance:honest.test" })),
      },
      {
        what: "a clock that is 31 s ahead",
        code: "clock",
        tell: (truth, request) =>
          first(resign({ time: new Date(world.now.getTime() + 31_000).toISOString() }))(truth, request),
      },
      {
        what: "a welcome in the place of a challenge",
        code: "unexpected_reply",
        tell: first(rewrite(() => ({ v: 1 }))),
      },
      {
        what: "a welcome for somebody else",
        code: "handshake_failed",
        tell: second(rewrite((said) => ({ ...said, to: "instance:honest.test" }))),
      },
    ];
    const before = await held(world);
    for (const { what, code, tell } of cases) {
      await t.step(what, async () => {
        world.now = new Date(world.now.getTime() + 7 * HOUR_MS);
        const asked = liar.requests.length;
        liar.lie = { on: "handshake", tell };
        assert.equal((await turn(world, liar))?.error?.code, code);
        liar.lie = undefined;
        assert.ok(liar.requests.slice(asked).every((request) => request.what === "handshake"), "nothing else is asked");
        const { state, lastError } = await entryOf(world, liar);
        assert.deepEqual([state, lastError?.["code"]], ["DEGRADED", code]);
        await goodTurn(world, liar);
      });
    }
    await t.step("keys that are all new", async () => {
      const { keys } = liar;
      liar.keys = other;
      assert.equal((await turn(world, liar))?.error?.code, "federation_verify_failed");
      liar.keys = keys;
      await goodTurn(world, liar);
    });
    await t.step("another certificate in the same place", async () => {
      const asked = liar.requests.length;
      await liar.show(await certificates.make({ names: "IP:127.0.0.1", isSelfSigned: true }));
      assert.equal((await turn(world, liar))?.error?.code, "pin_mismatch");
      assert.equal(liar.requests.length, asked);
      assert.ok(await countAudit(world, "federation_cert_pin_mismatch") >= 1);
      await liar.show(liar.identity);
      await goodTurn(world, liar);
    });
    assert.deepEqual(await held(world), before);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T42 a digest that never fits costs bounded work, and proves nothing",
  async fn(t) {
    await using world = await startWorld();
    const { liar } = world;
    liar.say("The liar counts its sheep.");
    await goodTurn(world, liar);
    const digest = () => randomBytes(32).toString("hex");
    /** Nodes that all differ, down to buckets that list what `items` says. */
    const differing = (children: readonly string[], items: (prefix: string) => Json[]) =>
      rewrite((said) => ({
        ...said,
        nodes: said.nodes.map(({ prefix }: Json) => {
          if (prefix.length === 4) return { prefix, items: items(prefix) };
          const below = prefix === ""
            ? children
            : Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));
          const nodes = below.map((digits) => ({ prefix: prefix + digits, count: 1, digest: digest() }));
          return { prefix, count: 1, digest: digest(), children: nodes };
        }),
      }));
    const made = (prefix: string) =>
      Array.from({ length: 88 }, (_, i) => ({
        id: `0199${prefix}-0000-7000-8000-${i.toString(16).padStart(12, "0")}`,
        instance: "instance:e",
        type: "fact",
        version: 1,
        hash: "0".repeat(64),
      }));
    const cases: readonly (Pick<Case, "what" | "code" | "tell"> & { readonly requests: number })[] = [
      {
        what: "a root that differs, over children that do not",
        code: "digest_unsound",
        requests: 1,
        tell: rewrite((said) => ({ ...said, nodes: [{ ...said.nodes[0], digest: digest() }] })),
      },
      { what: "children of another node", code: "digest_unsound", requests: 1, tell: differing(["abc"], () => []) },
      {
        what: "children that no key begins with",
        code: "digest_unsound",
        requests: 1,
        tell: differing(["zz"], () => []),
      },
      {
        what: "entries where nodes belong",
        code: "digest_unsound",
        requests: 1,
        tell: rewrite((said) => ({ ...said, nodes: [{ prefix: "", items: [] }] })),
      },
      {
        what: "what was not asked for",
        code: "unexpected_reply",
        requests: 1,
        tell: rewrite((said) => ({ ...said, side: "held" })),
      },
      {
        what: "more differences than anybody has",
        code: "digest_unsound",
        requests: 4,
        tell: differing(["0a", "0b", "0c"], made),
      },
    ];
    for (const { what, code, tell, requests } of cases) {
      await t.step(what, async () => {
        const [before, asked] = [await held(world), liar.requests.length];
        liar.lie = { on: "digest", tell };
        assert.equal((await turn(world, liar, { mode: "pull", reconcile: true }))?.error?.code, code);
        liar.lie = undefined;
        const digests = liar.requests.slice(asked).filter((request) => request.what === "digest");
        assert.ok(digests.length <= requests, `${digests.length} requests`);
        assert.deepEqual([(await entryOf(world, liar)).lastError?.["code"], await held(world)], [code, before]);
        await goodTurn(world, liar);
      });
    }
    await t.step("nodes that differ over entries that do not: the sides are not equal, and the turn ends", async () => {
      const asked = liar.requests.length;
      liar.lie = { on: "digest", tell: differing(["ab"], () => []) };
      const { reconciled } = await goodTurn(world, liar, { mode: "pull", reconcile: true });
      liar.lie = undefined;
      assert.deepEqual([reconciled?.equal, reconciled?.differences], [false, 0]);
      assert.ok(liar.requests.length - asked <= 7, `${liar.requests.length - asked} requests`);
      assert.equal((await goodTurn(world, liar, { mode: "pull", reconcile: true })).reconciled?.equal, true);
    });
  },
});
