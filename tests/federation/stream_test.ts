/** FederationSync: what peers say over one connection is held against the same checks as over HTTP, message by message. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createPublicKey, randomBytes, sign, verify } from "node:crypto";
import { removePeer as removeRow } from "../../src/db/queries/federation_peers.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";
import { removePeer } from "../../src/domain/federation/peers/manage_peers.ts";
import { streamsOf } from "../../src/domain/feed/streams.ts";
import { createCertificateMaker } from "../_certificates.ts";
import { createDatabase, POSTGRES, type TestDatabase } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { bufCurl } from "../rpc/_buf.ts";
import type { ClientOptions } from "../rpc/_client.ts";
import { factForm, itemOf } from "./_exchange.ts";
import { hex, jcs, type Json, page, plain, plainPage } from "./_pages.ts";
import { type EntryOptions, hashOf, makePeerKeys, storePeer, type TokenParts } from "./_peer.ts";
import { assertProven, PeerStream, proven, type Sender, SYNC_PATH, tokenOf } from "./_stream.ts";

const A = "instance:a.example";
const B = "instance:b.example";
const ENDPOINT = "https://b.example";
const NOW = new Date("2026-09-21T14:13:20.000Z");
const KEYS = makePeerKeys();
const OWN = makePeerKeys();
const OTHER = makePeerKeys();

interface Options {
  readonly env?: Record<string, string>;
  readonly entry?: Partial<EntryOptions> | null;
  readonly database?: TestDatabase;
  readonly clock?: () => Date;
}

/** Instance B with A among its peers, and A's way to it. */
class World implements AsyncDisposable {
  constructor(readonly service: TestService, readonly key: string, readonly sender: Sender) {}

  static async open({ env = {}, entry = {}, database, clock = () => NOW }: Options = {}): Promise<World> {
    const service = await startService({
      clock,
      ...(database && { database }),
      env: {
        SVC_INSTANCE_ID: B,
        SVC_FEDERATION_ENDPOINT: ENDPOINT,
        SVC_FEDERATION_PRIVATE_KEY: OWN.privatePem,
        SVC_FEDERATION_SYMMETRIC_KEY: randomBytes(32).toString("base64"),
        ...env,
      },
    });
    const key = await service.createKey({ scopes: ["federation"], maxSensitivity: "confidential" });
    if (entry !== null) await storePeer(service.operator(), { id: A, keys: KEYS, ...entry });
    return new World(service, key, { keys: KEYS, from: A, to: B, url: ENDPOINT + SYNC_PATH, now: clock });
  }

  /** A stream as A opens it; what is said replaces what is right. */
  open(options: ClientOptions & { readonly token?: string | null } = {}): PeerStream {
    const { token = tokenOf(this.sender), headers, ...rest } = options;
    const proof: Record<string, string> = token === null ? {} : { "x-svc-federation-token": token };
    return new PeerStream(this.service, { json: true, key: this.key, ...rest, headers: { ...proof, ...headers } });
  }

  /** The code with which the opening of a stream is refused. */
  async refused(options: Parameters<World["open"]>[0]): Promise<string | undefined> {
    const stream = this.open(options);
    stream.send(undefined);
    return await stream.endedBy();
  }

  proven(said: Json, parts?: TokenParts): Json {
    return proven(this.sender, said, parts);
  }

  /** The head of a message of A, in the members that HTTP has. */
  head(type: string): Json {
    const { workspaceId: workspace } = this.service;
    return { v: 1, type, messageId: crypto.randomUUID(), from: A, to: B, workspace };
  }

  hello(): Json {
    const { messageId: _, ...head } = this.head("hello");
    const said = { region: "us-east-1", direction: "bidirectional", capabilities: ["reply-token"] };
    return { ...head, nonce: "AQEBAQEBAQEBAQEBAQEBAQ", sentAt: NOW.toISOString(), ...said };
  }

  push(statement: string): Json {
    const { body } = itemOf(A, { origin: { instance: A, id: crypto.randomUUID() }, unit: factForm(statement) });
    const envelope = plainPage([plain(body)], { from: A, to: B, workspace: this.service.workspaceId });
    return { ...this.head("SYNC_PUSH"), envelope: Buffer.from(JSON.stringify(envelope)).toString("base64") };
  }

  /** What the audit log has of A: type and outcome, in order. */
  async audited(): Promise<string[]> {
    await auditTrailOf(this.service.deps).flush();
    const rows = await this.service.operator().tx((tx) =>
      tx.sql<{ event: string }[]>`
        select event_type || ' ' || outcome as event from svc_audit_log
         where workspace_id = ${tx.workspaceId} and actor_type = 'peer' order by seq`
    );
    return rows.map(({ event }) => event);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.service[Symbol.asyncDispose]();
  }
}

/** That a signed answer is B's. */
function assertSigned(answer: Json, prefix: string): void {
  const { signature, ...rest } = answer;
  const bytes = Buffer.from(`${prefix}\n${jcs(rest)}`);
  const key = createPublicKey(OWN.publicPem);
  assert.ok(verify(null, bytes, key, Buffer.from(signature, "base64url")), JSON.stringify(answer));
}

Deno.test({
  ...POSTGRES,
  name: "each message that a peer sends over a stream is answered in order, proven, and recorded as over HTTP",
  async fn(t) {
    await using world = await World.open({ entry: { isUnverified: true } });
    const { service } = world;
    const { body: fact } = await service.post("/v1/memory/facts", { statement: "The mole of Amalfi is closed." });
    const stream = world.open();
    const ask = async (said: Json, status = 200) => {
      const asked = world.proven(said);
      const answer = await stream.ask(asked);
      assertProven(answer, OWN.publicPem, asked, status);
      assert.equal(answer.id, said.id);
      return answer;
    };

    await t.step(
      "T25 before a handshake nothing is served; its two messages are answered with what is signed",
      async () => {
        assert.equal((await ask({ id: "0", pull: {} }, 403)).error.code, "insufficient_scope");
        const hello = world.hello();
        const { challenge } = await ask({ id: "1", hello });
        assertSigned(challenge, "svc-fed-handshake-v1");
        assert.equal(challenge.hello, hashOf(jcs(hello)), "it is to this hello");
        const { from, to, workspace, nonce, expiresAt, hello: named } = challenge;
        const parts = { v: 1, type: "answer", from: to, to: from, workspace, nonce, expiresAt, hello: named };
        const unsigned = { ...parts, challenge: hashOf(jcs(challenge)), keyId: KEYS.kid };
        const bytes = Buffer.from(`svc-fed-handshake-v1\n${jcs(unsigned)}`);
        const answer = { ...unsigned, signature: sign(null, bytes, KEYS.privateKey).toString("base64url") };
        const { welcome } = await ask({ id: "2", answer });
        assert.deepEqual([welcome.type, welcome.to, welcome.state], ["welcome", A, "ACTIVE"]);
      },
    );
    await t.step("a page is the JSON of an envelope, whose signature holds", async () => {
      const { page } = await ask({ id: "3", pull: { limit: 10 } });
      const envelope = JSON.parse(Buffer.from(page.envelope, "base64").toString());
      assert.deepEqual(envelope.items.map(({ id }: Json) => id), [fact.id]);
      const digest = Buffer.from(hex(jcs(envelope.items)), "hex");
      const signature = Buffer.from(envelope.signature, "base64url");
      assert.ok(verify(null, digest, createPublicKey(OWN.publicPem), signature));
      const next = await ask({ id: "4", pull: { since: envelope.cursor } });
      assert.deepEqual(JSON.parse(Buffer.from(next.page.envelope, "base64").toString()).items, []);
    });
    await t.step(
      "what is pushed is recalled, what is erased is gone, and both are acknowledged under a signature",
      async () => {
        const push = world.push("The funicular of Amalfi runs at night.");
        const { ack } = await ask({ id: "5", push });
        assertSigned(ack, "svc-fed-ack-v1");
        assert.deepEqual([ack.for, ack.results[0].outcome], [push.messageId, "applied"]);
        const { id } = ack.results[0];
        assert.equal((await service.get(`/v1/memory/facts/${id}`)).body.attribution, "federation_received");
        const items = [{ id, instance: A, type: "fact:deleted", version: 2, erasedAt: NOW.toISOString() }];
        const erased = (await ask({ id: "6", erase: { ...world.head("ERASE_NOTIFY"), items } })).ack;
        assertSigned(erased, "svc-fed-ack-v1");
        assert.deepEqual(erased.results.map(({ outcome }: Json) => outcome), ["erased"]);
        assert.equal((await service.get(`/v1/memory/facts/${id}`)).status, 410);
        const quiet = { ...world.push("The lift of Amalfi is out of order."), requiresAck: false };
        assert.equal((await ask({ id: "7", push: quiet })).accepted.for, quiet.messageId);
      },
    );
    await t.step("hints, claims and digests are answered with the members of HTTP", async () => {
      const hint = world.head("SYNC_HINT");
      assert.deepEqual((await ask({ id: "8", hint })).accepted, { v: 1, type: "ACCEPTED", for: hint.messageId });
      const claims = { ...world.head("CLAIM_REQUEST"), items: [{ id: fact.id, instance: B }] };
      const { claimReply } = await ask({ id: "9", claims });
      assertSigned(claimReply, "svc-fed-claims-v1");
      assert.deepEqual(claimReply.claims.map(({ id }: Json) => id), [fact.id]);
      const { digestReply: root } = await ask({ id: "10", digest: {} });
      assert.deepEqual([root.side, root.total, root.nodes[0].count], ["served", 1, 1]);
      const key = hex(`${B}/${fact.id}`).slice(0, 4);
      const { digestReply } = await ask({ id: "11", digest: { prefix: [key.slice(0, 2), key], depth: 2 } });
      const [node, bucket] = digestReply.nodes;
      assert.equal(node.children.at(-1).prefix, key);
      assert.deepEqual(bucket.items.map(({ id }: Json) => id), [fact.id]);
    });
    await t.step("several at once are answered in their order", async () => {
      const ids = ["a", "b", "c", "d"];
      for (const id of ids) stream.send(world.proven({ id, pull: {} }));
      const answered: string[] = [];
      for (let i = 0; i < ids.length; i++) answered.push((await stream.reply()).id);
      assert.deepEqual(answered, ids);
    });
    assert.ok(await stream.end());
    const audited = await world.audited();
    for (
      const event of [
        "refused.listFederationItems insufficient_scope",
        "federation.peer_verified ok",
        "read.listFederationItems ok",
        "write.sendFederationMessage ok",
        "read.getFederationDigest ok",
      ]
    ) assert.ok(audited.includes(event), `${event} in ${audited}`);
    assert.equal(audited.filter((event) => event === "read.getFederationDigest ok").length, 2, "one for each message");
  },
});

Deno.test({
  ...POSTGRES,
  name: "what a stream is not opened with, and what its messages are refused for",
  async fn(t) {
    await using world = await World.open();
    const { sender, service } = world;
    const pull = { id: "1", pull: {} };

    await t.step("T26 T27 the token of the opening is for this RPC, by this peer, over no bytes", async () => {
      const wrong: Record<string, string> = {
        "another key": tokenOf({ ...sender, keys: OTHER }),
        "another issuer": tokenOf({ ...sender, from: "instance:c.example" }),
        "another receiver": tokenOf({ ...sender, to: "instance:c.example" }),
        "another RPC": tokenOf({ ...sender, url: `${ENDPOINT}/svc.v1.SvcService/Session` }),
        "another query": tokenOf({ ...sender, url: `${sender.url}?workspace=${service.workspaceId}` }),
        "another method": tokenOf(sender, "", { claims: { htm: "GET" } }),
        "a body": tokenOf(sender, "{}"),
        "an hour ago": tokenOf({ ...sender, now: () => new Date(NOW.getTime() - 3_600_000) }),
      };
      for (const [name, token] of Object.entries(wrong)) {
        assert.equal(await world.refused({ token }), "federation_token_invalid", name);
      }
      assert.equal(await world.refused({ key: "svc_live_none" }), "unauthenticated");
      const elsewhere = await service.createKey({ workspaceId: await service.createWorkspace("elsewhere") });
      assert.equal(await world.refused({ key: elsewhere }), "federation_token_invalid", "no peer over there");
      assert.equal(
        await world.refused({ key: await service.createKey({ scopes: ["memory:read"] }) }),
        "insufficient_scope",
      );
    });
    await t.step("T28 a token opens one stream", async () => {
      const token = tokenOf(sender);
      assert.ok(await world.open({ token }).end());
      assert.equal(await world.refused({ token }), "replay_detected");
      const audited = await world.audited();
      assert.equal(audited.filter((event) => event === "federation.replay_detected replay_detected").length, 1);
    });
    await t.step("T43 a peer that is not approved opens none", async () => {
      const keys = makePeerKeys();
      const from = "instance:waiting.example";
      await storePeer(service.operator(), { id: from, keys, state: "DISCOVERED", approvedBy: undefined });
      assert.equal(await world.refused({ token: tokenOf({ ...sender, keys, from }) }), "insufficient_scope");
    });
    await t.step("a message that is refused is answered so, proven, and the stream goes on", async () => {
      const stream = world.open();
      const other = crypto.randomUUID();
      const cases: readonly (readonly [Json, string, number])[] = [
        [{}, "validation_failed", 422],
        [{ accepted: { v: 1, type: "ACCEPTED", for: other } }, "validation_failed", 422],
        [{ pull: { limit: 501 } }, "validation_failed", 422],
        [{ pull: { atMost: 3 } }, "validation_failed", 422],
        [{ pull: { workspace: other } }, "not_found", 404],
        [{ pull: { since: "nonsense" } }, "validation_failed", 422],
        [{ digest: { prefix: ["xyz"] } }, "validation_failed", 422],
        [{ hint: { ...world.head("SYNC_HINT"), workspace: other } }, "validation_failed", 422],
        [{ hint: { ...world.head("SYNC_HINT"), from: "instance:c.example" } }, "validation_failed", 422],
        [{ hint: world.head("CLAIM_REQUEST") }, "validation_failed", 422],
        [{ erase: world.head("ERASE_NOTIFY") }, "validation_failed", 422],
        [{ push: { ...world.push("x"), envelope: Buffer.from("{").toString("base64") } }, "invalid_request", 400],
        [
          { push: { ...world.push("x"), envelope: Buffer.from(`{"v":1,"v":1}`).toString("base64") } },
          "invalid_request",
          400,
        ],
        [{ push: { ...world.push("x"), envelope: Buffer.from("[]").toString("base64") } }, "validation_failed", 422],
        [{ hello: { ...world.hello(), to: "instance:c.example" } }, "validation_failed", 422],
      ];
      for (const [i, [said, code, status]] of cases.entries()) {
        const asked = world.proven({ id: `${i}`, ...said });
        const answer = await stream.ask(asked);
        assert.deepEqual([answer.id, answer.error?.code], [`${i}`, code], JSON.stringify(said));
        // What asks for nothing is refused before anybody looks whose it is.
        if (i > 1) assertProven(answer, OWN.publicPem, asked, status);
      }
      const nameless = await stream.ask(world.proven({ id: "x".repeat(129), pull: {} }));
      assert.deepEqual([nameless.id, nameless.error.code], [undefined, "validation_failed"]);
      assert.ok((await stream.ask(world.proven(pull))).page, "the stream goes on");
      assert.ok(await stream.end());
    });
    await t.step("T25 T26 T28 T29 where it is about who sends it, the answer says so and the stream ends", async () => {
      const used = world.proven(pull);
      const opening = tokenOf(sender);
      const sealed = page([], { from: A, to: B, workspace: service.workspaceId });
      const envelope = Buffer.from(JSON.stringify(sealed)).toString("base64");
      const { messageId: _, ...answering } = world.head("answer");
      const zeros = Buffer.alloc(32).toString("base64url");
      const answer = {
        ...answering,
        ...{ nonce: zeros, expiresAt: NOW.toISOString(), hello: zeros, challenge: zeros, keyId: KEYS.kid },
        signature: Buffer.alloc(64).toString("base64url"),
      };
      const cases: Record<string, readonly [Json, string]> = {
        "no token": [pull, "federation_token_invalid"],
        "a text that is no token": [{ ...pull, token: "a\nb" }, "federation_token_invalid"],
        "the token of another message": [{ ...world.proven(pull), id: "2" }, "federation_token_invalid"],
        "an erasure with a token over nothing": [
          { ...pull, token: tokenOf(sender) },
          "federation_token_invalid",
        ],
        "another key": [{ ...pull, token: tokenOf({ ...sender, keys: OTHER }, jcs(pull)) }, "federation_token_invalid"],
        "the address of HTTP": [
          { ...pull, token: tokenOf({ ...sender, url: `${ENDPOINT}/v1/memory/federation/items` }, jcs(pull)) },
          "federation_token_invalid",
        ],
        "a message again": [used, "replay_detected"],
        "the token of the opening": [{ ...pull, token: opening }, "federation_token_invalid"],
        "a sealed page without keys to open it": [
          world.proven({ id: "1", push: { ...world.push("x"), envelope } }),
          "federation_decrypt_failed",
        ],
        "an answer to no challenge": [world.proven({ id: "1", answer }), "federation_verify_failed"],
      };
      const first = world.open();
      assert.ok((await first.ask(used)).page);
      assert.ok(await first.end());
      for (const [name, [message, code]] of Object.entries(cases)) {
        const stream = world.open(name === "the token of the opening" ? { token: opening } : {});
        const asked = stream.ask(message);
        stream.send(world.proven(pull));
        assert.equal((await asked).error?.code, code, name);
        assert.equal(await stream.endedBy(), code, name);
      }
    });
    await t.step("T31 another peer's message, or a key holder's, is none of the stream's", async () => {
      const keys = makePeerKeys();
      const from = "instance:d.example";
      await storePeer(service.operator(), { id: from, keys });
      const other = world.open();
      assert.equal((await other.ask(proven({ ...sender, keys, from }, pull))).error.code, "federation_token_invalid");
      assert.equal(await other.endedBy(), "federation_token_invalid");
      const holder = world.open({ token: null });
      assert.ok((await holder.ask(pull)).page, "who holds a key reads without a token");
      assert.ok((await holder.ask({ id: "2", digest: {} })).digestReply);
      assert.equal((await holder.ask(world.proven(pull))).error.code, "federation_token_invalid");
      assert.equal(await holder.endedBy(), "federation_token_invalid");
      const pushing = world.open({ token: null });
      assert.equal((await pushing.ask({ id: "3", push: world.push("x") })).error.code, "federation_token_invalid");
      assert.equal(await pushing.endedBy(), "federation_token_invalid");
    });
    await t.step("a message is charged to the rate of the key and to that of the peer", async () => {
      const key = await service.createKey({ scopes: ["federation"], rateLimit: { perMinute: 1, burst: 3 } });
      const stream = world.open({ key });
      const errors: ({ code: string; retryAfterSeconds?: number } | undefined)[] = [];
      for (let i = 0; i < 4; i++) errors.push((await stream.ask(world.proven(pull))).error);
      assert.deepEqual(errors.map((error) => error?.code), [undefined, undefined, "rate_limited", "rate_limited"]);
      const wait = errors[2]!.retryAfterSeconds!;
      assert.ok(wait > 0 && wait <= 60, `as Retry-After says on HTTP: ${wait}`);
      assert.ok(await stream.end());
      await using slow = await World.open({ env: { SVC_FEDERATION_PER_MINUTE: "3" } });
      const slowed = slow.open();
      const then: ({ code: string; retryAfterSeconds?: number } | undefined)[] = [];
      for (let i = 0; i < 3; i++) then.push((await slowed.ask(slow.proven(pull))).error);
      assert.deepEqual(then.map((error) => error?.code), [undefined, undefined, "rate_limited"]);
      assert.ok(then[2]!.retryAfterSeconds! > 0);
      assert.ok(await slowed.end());
    });
  },
});

Deno.test({
  ...POSTGRES,
  name: "T43 an open stream ends with its peer, its key and its certificate",
  async fn(t) {
    await using stack = new AsyncDisposableStack();
    const database = stack.use(await createDatabase());
    const world = stack.use(await World.open({ database }));
    const { service } = world;
    const pull = { id: "1", pull: {} };
    const opened = async () => {
      const stream = world.open();
      assert.ok((await stream.ask(world.proven(pull))).page);
      return stream;
    };
    await t.step(
      "a peer that is removed, in this process or in another, hears the end without having asked",
      async () => {
        const [here, there] = [await opened(), await opened()];
        await removePeer(service.operator(), A);
        for (const stream of [here, there]) assert.equal(await stream.endedBy(), "conflict");
        await storePeer(service.operator(), { id: A, keys: KEYS });
        const again = await opened();
        await using second = await startService({ database });
        await removePeer(second.operator(service.workspaceId), A);
        assert.equal(await again.endedBy(), "conflict");
      },
    );
    await t.step("its next message is refused, also where nobody told that it is gone", async () => {
      await storePeer(service.operator(), { id: A, keys: KEYS });
      const stream = await opened();
      await service.operator().tx((tx) => removeRow(tx, A, "test"));
      assert.equal((await stream.ask(world.proven(pull))).error?.code, "federation_token_invalid");
      assert.equal(await stream.endedBy(), "federation_token_invalid");
    });
    await t.step(
      "T19 T41 a certificate opens a stream by the workspace in the address, for as long as it is the peer's",
      async () => {
        await using maker = await createCertificateMaker();
        const { cert, pin } = await maker.make({ names: "DNS:a.example", isSelfSigned: true });
        await storePeer(service.operator(), { id: A, keys: KEYS, certPin: pin });
        const query = `?workspace=${service.workspaceId}`;
        const sender = { ...world.sender, url: world.sender.url + query };
        const fetch = (input: RequestInfo | URL) => {
          const request = input as Request;
          return service.service.fetch(new Request(request.url + query, request));
        };
        const headers = { "x-svc-client-cert": encodeURIComponent(cert) };
        const stream = world.open({ key: null, token: tokenOf(sender), headers, fetch });
        const asked = proven(sender, pull);
        const answer = await stream.ask(asked);
        assert.ok(answer.page);
        assertProven(answer, OWN.publicPem, asked);
        await service.operator().tx((tx) =>
          tx.sql`update federation_peer set cert_pin = null where workspace_id = ${tx.workspaceId} and id = ${A}`
        );
        assert.equal((await stream.ask(proven(sender, pull))).error?.code, "unauthenticated");
        assert.equal(await stream.endedBy(), "unauthenticated");
      },
    );
  },
});

Deno.test({
  ...POSTGRES,
  name: "T42 a stream takes 10,000 messages of at most 1 MiB, and ends when its peer is lost",
  async fn() {
    await using world = await World.open({ env: { SVC_RATE_LIMIT_PER_MINUTE: "0" } });
    const many = world.open({ token: null });
    for (let i = 0; i <= 10_000; i++) many.send({ id: `${i}` });
    many.send(undefined);
    for (let i = 0; i < 10_000; i++) {
      const { id, error } = await many.reply();
      assert.deepEqual([id, error.code], [`${i}`, "validation_failed"]);
    }
    assert.equal(await many.endedBy(), "payload_too_large");

    const large = world.open();
    const push = { ...world.push("x"), envelope: Buffer.alloc(1_048_576).toString("base64") };
    large.send(world.proven({ id: "1", push }));
    large.send(undefined);
    assert.equal(await large.endedBy(), "payload_too_large");

    const { url } = world.service.listen();
    const gone = new AbortController();
    const headers = { "x-svc-federation-token": tokenOf(world.sender) };
    const lost = new PeerStream(world.service, { key: world.key, headers, fetch, baseUrl: url }, gone.signal);
    assert.ok((await lost.ask(world.proven({ id: "1", pull: {} }))).page);
    assert.equal(streamsOf(world.service.deps).sizes().open, 1);
    gone.abort();
    await waitFor("the stream is closed", () => streamsOf(world.service.deps).sizes().open === 0);
  },
});

Deno.test({
  ...POSTGRES,
  name: "buf curl speaks FederationSync in each protocol, with tokens that it can neither make nor verify",
  async fn() {
    const clock = () => new Date();
    await using world = await World.open({ clock });
    const { url } = world.service.listen();
    await world.service.post("/v1/memory/facts", { statement: "The mole of Amalfi is closed." });
    for (
      const way of [
        { protocol: "connect", http2: false },
        { protocol: "connect", http2: true },
        { protocol: "grpcweb", http2: true },
      ] as const
    ) {
      const items = [{
        id: crypto.randomUUID(),
        instance: A,
        type: "fact:deleted",
        version: 1,
        erasedAt: NOW.toISOString(),
      }];
      const messages = [
        { id: "1", hello: { ...world.hello(), sentAt: clock().toISOString() } },
        { id: "2", pull: { limit: 5 } },
        { id: "3", push: world.push(`The lift of Amalfi is number ${crypto.randomUUID()}.`) },
        { id: "4", erase: { ...world.head("ERASE_NOTIFY"), items } },
        { id: "5", hint: world.head("SYNC_HINT") },
        { id: "6", claims: { ...world.head("CLAIM_REQUEST"), items: [{ id: items[0]!.id, instance: A }] } },
        { id: "7", digest: { prefix: ["", "7"], depth: 1 } },
        { id: "8", pull: { limit: 0 } },
      ].map((said) => world.proven(said));
      const headers = { "x-svc-federation-token": tokenOf(world.sender) };
      const answers = await bufCurl("FederationSync", {
        ...{ url, key: world.key, headers, messages, emitsDefaults: true, ...way },
      });
      const kinds = answers.map((answer) => Object.keys(answer).find((name) => !["id", "token"].includes(name)));
      assert.deepEqual(
        kinds,
        ["challenge", "page", "ack", "ack", "accepted", "claimReply", "digestReply", "error"],
        JSON.stringify(way),
      );
      for (const [i, answer] of answers.entries()) {
        assertProven(answer, OWN.publicPem, messages[i], answer.error === undefined ? 200 : 422);
      }
      assert.equal(answers[2].ack.results[0].outcome, "applied");
      assert.equal(answers[3].ack.results[0].outcome, "erased");
      assertSigned(answers[0].challenge, "svc-fed-handshake-v1");
    }
  },
});
