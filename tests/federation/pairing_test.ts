/** Two services become peers, lose each other, find each other again, and part. */
import assert from "node:assert/strict";
import { discoverPeers } from "../../src/domain/federation/peers/discovery.ts";
import { greet } from "../../src/domain/federation/peers/greet.ts";
import { readInvite, writeInvite } from "../../src/domain/federation/peers/invite.ts";
import { syncWithPeer } from "../../src/domain/federation/exchange/sync.ts";
import { joinByInvite } from "../../src/domain/federation/peers/join.ts";
import { addPeer, approvePeer, pinNext, removePeer } from "../../src/domain/federation/peers/manage_peers.ts";
import { notePeerEvent } from "../../src/domain/federation/peers/standing.ts";
import { mintRequestToken, TOKEN_HEADER } from "../../src/domain/federation/peers/token.ts";
import { peerSignalsOf } from "../../src/domain/federation/peers/peer_signals.ts";
import { secretsOf } from "../../src/domain/federation/peers/peers.ts";
import type { LogSink } from "../../src/telemetry/log.ts";
import { POSTGRES } from "../_postgres.ts";
import type { TestService } from "../_service.ts";
import { entryOf, invite, type Pair, pairUp, type Side, startPair, TERMS } from "./_pair.ts";

const HOUR_MS = 3_600_000;
const HANDSHAKE = "/v1/memory/federation/handshake";

function greetFrom(side: Side, other: Side) {
  return greet(side.service.operator(), { id: other.id });
}

function later(pair: Pair, ms: number): void {
  pair.now = new Date(pair.now.getTime() + ms);
}

async function countAudit(service: TestService, event: string): Promise<number> {
  const [row] = await service.operator().tx((tx) =>
    tx.sql<[{ count: number }]>`
      select count(*)::int as count from svc_audit_log
       where workspace_id = ${tx.workspaceId} and event_type = ${event}`
  );
  return row.count;
}

/** Calls the other side as `callPeer` does, with any body. */
async function callAs(side: Side, other: Side, body: string, key?: string) {
  const url = `${other.endpoint}${HANDSHAKE}`;
  const { token } = await mintRequestToken(side.service.deps, { to: other.id, method: "POST", url, body });
  const { apiKey } = secretsOf(side.service.deps, (await entryOf(side, other))!);
  return await other.service.call("POST", HANDSHAKE, {
    body,
    key: key ?? apiKey ?? null,
    headers: { [TOKEN_HEADER]: token, "content-type": "application/json" },
  });
}

Deno.test({
  ...POSTGRES,
  name: "two instances are paired, lose each other and find each other again",
  async fn(t) {
    const events: string[] = [];
    const logSink: LogSink = (line: string) => void events.push(JSON.parse(line).event);
    await using pair = await startPair({ a: { logSink } });
    const { a, b } = pair;
    await t.step("T25 both are ACTIVE when each has proved its key to the other", async () => {
      await pairUp(pair);
      for (const [side, other] of [[a, b], [b, a]] as const) {
        const entry = (await entryOf(side, other))!;
        assert.deepEqual([entry.state, entry.lastError, entry.failures], ["ACTIVE", null, 0]);
        assert.ok(entry.verifiedAt !== null, "the other side's handshake was completed");
        assert.equal(entry.remoteWorkspaceId, other.service.workspaceId);
        assert.deepEqual(entry.told["capabilities"], [
          ...["digest-1", "plain-1", "push-1", "reply-token"],
          "settles-manual",
        ]);
        assert.deepEqual(entry.told["youAre"], { address: "127.0.0.1", certificatePin: null });
        assert.deepEqual([entry.certificate?.["pin"], entry.certificate?.["matches"]], [other.identity.pin, true]);
        assert.equal(entry.skewMs, 0);
      }
      const [own, other] = [
        secretsOf(a.service.deps, (await entryOf(a, b))!),
        secretsOf(b.service.deps, (await entryOf(b, a))!),
      ];
      assert.deepEqual(own.symmetricKey, other.sealKey, "the pair has a key of its own");
    });
    await t.step(
      "T26 an answer of a handshake counts once; one for another workspace, or of or for another instance, is refused",
      async () => {
        const answer = a.front.lastBody;
        assert.equal(JSON.parse(answer).type, "answer");
        const again = await callAs(b, a, answer);
        assert.deepEqual([again.status, again.body.code], [401, "replay_detected"]);
        const altered = await callAs(
          b,
          a,
          answer.replace(/"nonce":"(.)/, (_, first) => `"nonce":"${first === "_" ? "-" : "_"}`),
        );
        assert.deepEqual([altered.status, altered.body.code], [422, "federation_verify_failed"]);
        for (const member of [{ workspace: b.service.workspaceId }, { from: a.id }, { to: b.id }]) {
          const reply = await callAs(b, a, JSON.stringify({ ...JSON.parse(answer), ...member }));
          assert.deepEqual([reply.status, reply.body.code], [422, "validation_failed"]);
        }
      },
    );
    await t.step(
      "F18 a peer that is away is tried in the steps of the backoff, and reported as stale once, after a day",
      async () => {
        b.front.service = undefined;
        const begun = pair.now.getTime();
        const waits: number[] = [];
        for (;;) {
          const entry = (await greetFrom(a, b))!;
          assert.deepEqual([entry.state, entry.lastError?.["code"]], ["DEGRADED", "broken"]);
          if (entry.isStale) break;
          const wait = entry.nextAttemptAt!.getTime() - pair.now.getTime();
          waits.push(wait);
          later(pair, wait);
        }
        assert.equal(pair.now.getTime() - begun, 24 * HOUR_MS);
        const floors = [30, 120, 600, 1_800, 3_600, 3_600];
        for (const [i, seconds] of floors.entries()) {
          assert.ok(waits[i]! >= seconds * 1_000 && waits[i]! <= seconds * 1_100, `${i}: ${waits[i]}`);
        }
        await greetFrom(a, b);
        assert.equal(events.filter((event) => event === "federation.peer_stale").length, 1);
        assert.equal(await countAudit(a.service, "federation.peer_stale"), 1);
        const page = await (await a.service.call("GET", "/metrics", { key: null })).body as string;
        assert.match(page, /svc_federation_peer_stale\{peer="instance:b\.test"\} 1/);
        assert.match(page, /svc_federation_peers_active\{peer="instance:b\.test"\} 0/);
      },
    );
    await t.step("F18 a request of the peer ends the wait, and the next turn ends the outage", async () => {
      b.front.service = b.service;
      later(pair, 10_000);
      const waiting = (await entryOf(a, b))!;
      assert.ok(waiting.nextAttemptAt!.getTime() > pair.now.getTime() + 1_000_000);
      await greetFrom(b, a);
      assert.ok((await entryOf(a, b))!.nextAttemptAt!.getTime() <= pair.now.getTime());
      const back = (await greetFrom(a, b))!;
      assert.deepEqual([back.state, back.isStale, back.lastError], ["ACTIVE", true, null]);
      assert.equal((await syncWithPeer(a.service.operator(), b.id))?.error, null);
      const level = (await entryOf(a, b))!;
      assert.deepEqual([level.failures, level.isStale, level.degradedAt], [0, false, null]);
      assert.equal(await countAudit(a.service, "federation.peer_recovered"), 1);
    });
    await t.step("F20 a peer whose clock is 31 s off is not ACTIVE, and the error says to set the clock", async () => {
      for (const ms of [31_000, -31_000]) {
        b.aheadMs = ms;
        const entry = (await greetFrom(a, b))!;
        assert.deepEqual([entry.state, entry.lastError?.["code"]], ["DEGRADED", "clock"]);
        assert.match(String(entry.lastError?.["message"]), /clocks are (31|more than 30) s apart/);
        b.aheadMs = 0;
        assert.equal((await greetFrom(a, b))?.state, "ACTIVE");
      }
      b.aheadMs = 29_000;
      assert.equal((await greetFrom(a, b))?.skewMs, 29_000);
      b.aheadMs = 0;
    });
    await t.step("T29 a reply that was altered on its way, or lost its token, is refused", async () => {
      b.front.garble = (body) => body.replace("127.0.0.1", "127.0.0.2");
      const altered = (await greetFrom(a, b))!;
      assert.deepEqual([altered.state, altered.lastError?.["code"]], ["DEGRADED", "federation_verify_failed"]);
      b.front.garble = undefined;
      b.front.dropToken = true;
      assert.equal((await greetFrom(a, b))!.lastError?.["code"], "reply_token_missing");
      b.front.dropToken = false;
      assert.equal((await greetFrom(a, b))?.state, "ACTIVE");
    });
    await t.step("T41 a server with another key gets no byte of a request, and the audit log has it", async () => {
      const seen = b.front.requests.length;
      b.front.show(await pair.certificates.make({ names: "DNS:b.test", isSelfSigned: true }));
      peerSignalsOf(a.service.deps).noteChanged(a.service.workspaceId, b.id);
      const entry = (await greetFrom(a, b))!;
      assert.deepEqual([entry.state, entry.lastError?.["code"]], ["DEGRADED", "pin_mismatch"]);
      assert.equal(b.front.requests.length, seen);
      assert.equal(await countAudit(a.service, "federation_cert_pin_mismatch"), 1);
    });
    await t.step("T41 for 72 hours a pin and the next one are good, then the next one alone", async () => {
      b.front.show(b.identity);
      assert.equal((await greetFrom(a, b))?.state, "ACTIVE");
      const next = await pair.certificates.make({ names: "DNS:b.test", isSelfSigned: true });
      await pinNext(a.service.operator(), b.id, next.pin);
      assert.equal((await greetFrom(a, b))?.state, "ACTIVE", "the old one");
      b.front.show(next);
      peerSignalsOf(a.service.deps).noteChanged(a.service.workspaceId, b.id);
      later(pair, 72 * HOUR_MS);
      assert.equal((await greetFrom(a, b))?.state, "ACTIVE", "the next one");
      b.front.show(b.identity);
      peerSignalsOf(a.service.deps).noteChanged(a.service.workspaceId, b.id);
      assert.equal((await greetFrom(a, b))?.state, "ACTIVE", "the old one, to the last moment");
      later(pair, 1);
      assert.equal((await greetFrom(a, b))?.lastError?.["code"], "pin_mismatch");
      b.front.show(next);
      const entry = (await greetFrom(a, b))!;
      assert.deepEqual([entry.state, entry.certPin, entry.certPinNext], ["ACTIVE", next.pin, null]);
    });
    await t.step("T43 a peer that was removed is refused at once, and what runs with it ends", async () => {
      using running = peerSignalsOf(a.service.deps).follow(a.service.workspaceId, b.id);
      await removePeer(a.service.operator(), b.id);
      assert.ok(running.signal.aborted);
      const refused = (await greetFrom(b, a))!;
      assert.deepEqual([refused.state, refused.lastError?.["code"]], ["HANDSHAKE", "unauthenticated"]);
      assert.equal(await greetFrom(a, b), undefined);
    });
  },
});

Deno.test({
  ...POSTGRES,
  name: "T43 an invitation works once, within a day, only for whoever has its text, and its key opens nothing else",
  async fn(t) {
    await using pair = await startPair();
    const { a, b } = pair;
    const own = { certPin: b.identity.pin, clientCertPin: undefined };
    const join = (text: string) => joinByInvite(b.service.operator(), text, own, TERMS);
    const text = await invite(pair);
    const said = readInvite(text, pair.now);
    await t.step("its key opens nothing without a token", async () => {
      const items = `/v1/memory/federation/items?workspace=${a.service.workspaceId}`;
      for (const [method, path] of [["POST", HANDSHAKE], ["GET", items]] as const) {
        const body = method === "POST" ? { v: 1 } : undefined;
        const reply = await a.service.call(method, path, { key: said.apiKey, body });
        assert.deepEqual([reply.status, reply.body.code], [401, "federation_token_invalid"], path);
      }
    });
    await t.step("five wrong proofs burn it, and nothing is left on the side that tried", async () => {
      const forged = writeInvite({ ...said, secret: Buffer.alloc(32).toString("base64") });
      for (let i = 0; i < 5; i++) {
        await assert.rejects(join(forged), /answered 404 not_found/);
        assert.equal(await entryOf(b, a), undefined);
      }
      await assert.rejects(join(text), /answered 404 not_found/);
      assert.equal(await entryOf(a, b), undefined);
      assert.equal(await countAudit(a.service, "federation.invite_refused"), 5);
    });
    await t.step("it is refused when its day is over, by both sides", async () => {
      const old = await invite(pair);
      const alive = readInvite(old, pair.now);
      later(pair, 24 * HOUR_MS);
      await assert.rejects(join(old), /it expired at/);
      const stretched = new Date(pair.now.getTime() + HOUR_MS).toISOString();
      await assert.rejects(join(writeInvite({ ...alive, expiresAt: stretched })), /answered 404 not_found/);
    });
    await t.step("a second instance that uses it is refused", async () => {
      const once = await invite(pair);
      assert.equal((await join(once))?.state, "ACTIVE");
      await removePeer(b.service.operator(), a.id);
      await assert.rejects(join(once), /answered (401 federation_token_invalid|409 conflict|404 not_found)|refuses us/);
      const entry = (await entryOf(a, b))!;
      assert.deepEqual([entry.state, entry.approvedBy?.split(":")[0]], ["HANDSHAKE", "invite"]);
    });
  },
});

Deno.test({
  ...POSTGRES,
  name: "T40 a peer that DNS names is offered and never called; a changed record changes no approved peer",
  async fn(t) {
    const SRV = "_svc-federation._tcp.example.com";
    let records: readonly string[] | "silence" = [];
    let workspaces = "";
    await using pair = await startPair({
      answer: (name, type) => name === SRV && type === "SRV" ? records : undefined,
    });
    const { a, b } = pair;
    workspaces = a.service.workspaceId;
    const { startService } = await import("../_service.ts");
    await using service = await startService({
      ...a.options,
      env: { ...a.options.env, SVC_FEDERATION_SRV: SRV, SVC_FEDERATION_SRV_WORKSPACES: workspaces },
    });
    const ctx = service.operator(workspaces);
    const port = new URL(b.endpoint).port;
    const id = `${b.id}:${port}`;
    const discover = () => discoverPeers(ctx, () => ctx);
    const list = async (which: string) =>
      (await a.service.get(`/v1/memory/federation/peers${which}`)).body.data as {
        id: string;
        endpoint: string;
        found: unknown;
        state: string;
        lagSeconds: number;
      }[];
    await t.step("it waits for approval with what DNS says about it, and nothing connects to it", async () => {
      records = [`10 60 ${port} b.test`, "20 0 443 localhost", "20 0 443 127.0.0.1", "30 5 443 c.test"];
      await discover();
      const pending = await list("/pending");
      assert.deepEqual(pending.map((peer) => [peer.id, peer.endpoint, peer.state]), [
        [id, b.endpoint, "DISCOVERED"],
        ["instance:c.test", "https://c.test", "DISCOVERED"],
      ]);
      assert.deepEqual(pending[0]!.found, { priority: 10, weight: 60, seen: pair.now.toISOString() });
      assert.deepEqual(await list(""), []);
      assert.equal(await greet(ctx, { id }), undefined);
      assert.deepEqual(b.front.requests, []);
      assert.ok(pair.dns.asked.every((asked) => asked.startsWith("SRV ")));
    });
    await t.step("without a pin it is not approved", async () => {
      await assert.rejects(approvePeer(ctx, id, {}), { code: "validation_failed" });
      const { publicKeyPem } = await import("../../src/crypto/ed25519.ts");
      const signingPublicKey = publicKeyPem(b.service.deps.signingKey!.publicKey);
      await assert.rejects(approvePeer(ctx, id, { signingPublicKey }), { code: "validation_failed" });
    });
    await t.step("whatever DNS says, an approved peer stays as it is, and a removed one stays removed", async () => {
      const { publicKeyPem } = await import("../../src/crypto/ed25519.ts");
      const signingPublicKey = publicKeyPem(b.service.deps.signingKey!.publicKey);
      await approvePeer(ctx, id, { certPin: b.identity.pin, signingPublicKey });
      await removePeer(ctx, "instance:c.test");
      const [before] = await list("");
      later(pair, 300_000);
      records = [`1 1 ${port} b.test`, `1 1 8443 b.test`, "1 1 443 c.test"];
      await discover();
      assert.deepEqual((await list("")).map((peer) => ({ ...peer, lagSeconds: 0 })), [{ ...before, lagSeconds: 0 }]);
      assert.deepEqual((await list("/pending")).map((peer) => peer.id), [`${b.id}:8443`]);
    });
    await t.step("if DNS fails nothing changes; a peer that DNS has not named for a day is deleted", async () => {
      records = "silence";
      await discover();
      assert.equal((await list("/pending")).length, 1);
      records = [];
      later(pair, 24 * HOUR_MS);
      await discover();
      assert.deepEqual(await list("/pending"), []);
      assert.equal((await list("")).length, 1);
    });
  },
});

Deno.test({
  ...POSTGRES,
  name: "T43 a peer that is not approved is served nothing, and one that is not verified is served no page",
  async fn() {
    await using pair = await startPair();
    const { a, b } = pair;
    await pairUp(pair);
    const { publicKeyPem } = await import("../../src/crypto/ed25519.ts");
    await removePeer(a.service.operator(), b.id);
    const key = await a.service.createKey({ scopes: ["federation"] });
    const entry = {
      id: b.id,
      endpoint: b.endpoint,
      certPin: b.identity.pin,
      signingPublicKey: publicKeyPem(b.service.deps.signingKey!.publicKey),
    };
    const added = await a.service.post("/v1/memory/federation/peers", entry);
    assert.deepEqual([added.status, added.body.state], [201, "DISCOVERED"]);
    const reply = await callAs(b, a, a.front.lastBody, key);
    assert.deepEqual([reply.status, reply.body.code], [403, "insufficient_scope"]);
    // A request that arrives from it in the meantime changes nothing.
    await notePeerEvent(a.service.operator(), b.id, { kind: "heard" });
    assert.deepEqual((await entryOf(a, b))!.nextAttemptAt, null);
    assert.equal(await greetFrom(a, b), undefined);
    await assert.rejects(addPeer(a.service.operator(), { ...entry } as never), { code: "conflict" });
  },
});
