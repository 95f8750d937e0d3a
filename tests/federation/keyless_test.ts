/** Instances without keys, and one with keys beside one without: they exchange in plain text, and warn. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { publicKeyPem } from "../../src/crypto/ed25519.ts";
import { diagnosePeer } from "../../src/domain/federation/exchange/diagnose.ts";
import { syncWithPeer } from "../../src/domain/federation/exchange/sync.ts";
import { addPeer } from "../../src/domain/federation/peers/manage_peers.ts";
import { AddPeerBody } from "../../src/schema/federation_peer_resource.ts";
import type { PeerDirection } from "../../src/schema/federation_peer.ts";
import { POSTGRES } from "../_postgres.ts";
import { entryOf, type Pair, type Side, startPair } from "./_pair.ts";
import { create, type Json, ok, rows, turn } from "./_turns.ts";

const WITHOUT = { SVC_FEDERATION_PRIVATE_KEY: "", SVC_FEDERATION_SYMMETRIC_KEY: "" };

/** Which keys an instance has, and which of the other's its entry has. */
interface Keys {
  readonly own?: boolean;
  readonly signing?: boolean;
  readonly sealing?: boolean;
}

const symmetricKey = randomBytes(32).toString("base64");

/** Starts two services that have an API key of each other, and of their keys what is given. */
async function start(t: { a: Keys; b: Keys; direction?: PeerDirection; log?: string[] }): Promise<Pair> {
  const logSink = (line: string) => void t.log?.push(line);
  const env = ({ own }: Keys) => ({
    SVC_LOG_LEVEL: "warn",
    ...(own ? { SVC_FEDERATION_SYMMETRIC_KEY: symmetricKey } : WITHOUT),
  });
  const pair = await startPair({ a: { env: env(t.a), logSink }, b: { env: env(t.b), logSink } });
  const { a, b } = pair;
  for (const [here, there, keys] of [[a, b, t.a], [b, a, t.b]] as const) {
    const apiKey = await there.service.createKey({ scopes: ["federation"], maxSensitivity: "internal" });
    const theirs = there.service.deps.signingKey;
    await addPeer(
      here.service.operator(),
      AddPeerBody.parse({
        ...{ id: there.id, endpoint: there.endpoint, certPin: there.identity.pin, apiKey },
        workspaces: [`${here.service.workspaceId}=${there.service.workspaceId}`],
        ...(keys.signing && { signingPublicKey: publicKeyPem(theirs!.publicKey) }),
        ...(keys.sealing && { symmetricKey }),
        ...(here === a && t.direction && { direction: t.direction }),
      }),
    );
  }
  return pair;
}

const statusOf = async (side: Side, { id }: Json) => (await side.service.get(`/v1/memory/facts/${id}`)).status;
const viewOf = (side: Side, other: Side) => ok(side.service.get(`/v1/memory/federation/peers/${other.id}`));

/** Every page that crosses, by its form. */
function watchForms({ a, b }: Pair): string[] {
  const forms: string[] = [];
  for (const { front } of [a, b]) {
    front.onBody = (text) => {
      if (!text.startsWith("{")) return;
      const body = JSON.parse(text);
      const page = body.envelope ?? body;
      if (page.issuedAt === undefined || page.items?.length === 0) return;
      forms.push(page.alg ?? "plain");
    };
  }
  return forms;
}

const NONE: Keys = {};
const OWN: Keys = { own: true };
const SEALED = "Ed25519+A256GCM";
const PAIRS: readonly (readonly [string, Keys, Keys, ReadonlySet<string>])[] = [
  ["neither has keys", NONE, NONE, new Set(["plain"])],
  ["one has keys, and the other knows none of them", OWN, NONE, new Set(["plain", SEALED])],
  ["one has keys, and the other knows both", OWN, { signing: true, sealing: true }, new Set(["plain", SEALED])],
  ["one has keys, and the other knows the public one", OWN, { signing: true }, new Set(["plain", SEALED])],
  ["both have keys, and neither knows any", OWN, OWN, new Set(["plain", SEALED])],
  ["both have keys, and one knows the public one", { own: true, signing: true }, OWN, new Set(["plain", SEALED])],
  [
    "both have keys and know them",
    { own: true, signing: true, sealing: true },
    { own: true, signing: true, sealing: true },
    new Set([SEALED]),
  ],
];

Deno.test({
  ...POSTGRES,
  name: "instances exchange whatever keys they have, in either order, and what could be more trusted is warned of",
  async fn(t) {
    for (const [what, ofA, ofB, expected] of PAIRS) {
      // Where both are alike, the order changes nothing.
      for (const first of ofA === ofB ? ["a"] as const : ["a", "b"] as const) {
        await t.step(`${what}; ${first.toUpperCase()} begins`, async () => {
          const log: string[] = [];
          await using pair = await start({ a: ofA, b: ofB, log });
          const forms = watchForms(pair);
          const [one, other] = first === "a" ? [pair.a, pair.b] : [pair.b, pair.a];
          const [ours, theirs] = [
            await create(one, "The crane of Skagen lifts nine tons."),
            await create(other, "The crane of Grenaa lifts four tons."),
          ];
          await turn(one, other);
          await turn(other, one);
          assert.deepEqual([await statusOf(one, theirs), await statusOf(other, ours)], [200, 200]);
          await ok(
            other.service.patch(`/v1/memory/facts/${theirs.id}`, { statement: "The crane of Grenaa is broken." }),
          );
          await ok(one.service.post(`/v1/facts/${ours.id}/forget`, { mode: "erase" }));
          await turn(one, other);
          await turn(other, one);
          assert.equal(
            (await ok(one.service.get(`/v1/memory/facts/${theirs.id}`))).statement,
            "The crane of Grenaa is broken.",
          );
          assert.equal(await statusOf(other, ours), 410);
          for (const [side, peer] of [[one, other], [other, one]] as const) {
            assert.equal((await turn(side, peer, { reconcile: true })).reconciled?.equal, true);
            const steps = await diagnosePeer(side.service.operator(), peer.id);
            assert.deepEqual(steps.filter(({ isOk }) => !isOk), []);
            const { warnings, state, lastError } = await viewOf(side, peer);
            assert.deepEqual([state, lastError], ["ACTIVE", null]);
            assert.deepEqual(steps.filter(({ isWarning }) => isWarning).map(({ says }) => says), warnings);
            const isLogged = log.some((line) =>
              line.includes("federation.peer_trust_incomplete") && line.includes(peer.id)
            );
            assert.equal(warnings.length > 0, isLogged, `${what}: ${warnings}`);
          }
          assert.deepEqual(new Set(forms), expected);
          const all = [...(await viewOf(one, other)).warnings, ...(await viewOf(other, one)).warnings];
          assert.equal(all.length === 0, expected.size === 1 && expected.has(SEALED), `${all}`);
        });
      }
    }

    await t.step(
      "what is pushed to a peer that cannot open it comes in plain text, as long as nothing forbids that",
      async () => {
        await using pair = await start({ a: OWN, b: NONE, direction: "push" });
        const forms = watchForms(pair);
        const facts = [
          await create(pair.a, "The weir of Randers is open."),
          await create(pair.a, "The weir of Ry is shut."),
        ];
        assert.equal((await turn(pair.a, pair.b)).sent, 2);
        for (const fact of facts) assert.equal(await statusOf(pair.b, fact), 200);
        assert.deepEqual(forms, [SEALED, "plain"]);
      },
    );

    await t.step(
      "a peer both of whose keys are configured, or that has a key of its own to open, gets no plain text",
      async () => {
        await using pair = await start({ a: { own: true, signing: true, sealing: true }, b: OWN });
        const { a, b } = pair;
        await create(a, "The vault of Ribe is old.");
        const report = await syncWithPeer(b.service.operator(), a.id);
        assert.equal(report?.error?.code, "federation_decrypt_failed");
      },
    );
  },
});

Deno.test({
  ...POSTGRES,
  name: "T27 a peer without keys is known by a key that is its own or nobody's, and by no key of another peer",
  async fn() {
    await using pair = await start({ a: NONE, b: NONE });
    const { a, b } = pair;
    await turn(a, b);
    const { workspaceId, deps } = b.service;
    const send = (key: string, id: string) =>
      b.service.get(`/v1/memory/federation/digest?workspace=${workspaceId}`, {
        key,
        headers: { "x-svc-federation-peer": id },
      });
    const free = await b.service.createKey({ scopes: ["federation"] });
    assert.equal((await send(free, a.id)).status, 200);
    assert.equal((await send(free, "instance:nobody.test")).status, 401);
    const unscoped = await b.service.createKey({ scopes: ["memory:read"] });
    assert.equal((await send(unscoped, a.id)).status, 403);
    // From here on a key is bound to the peer, so any other key is none of its.
    const own = await b.service.createKey({ scopes: ["federation"] });
    const [{ keyId }] = await rows(b, `select key_id as "keyId" from api_key where public_id = '${own.slice(9, 21)}'`);
    await rows(b, `update federation_peer set inbound_key_id = '${keyId}' where workspace_id = :ws`);
    assert.deepEqual([(await send(own, a.id)).status, (await send(free, a.id)).status], [200, 401]);
    assert.ok((await entryOf(b, a))!.inboundKeyId !== null && deps.signingKey === undefined);
  },
});
