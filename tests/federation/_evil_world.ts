/** A service and three peers made by hand that it has invited; and what a test of their lies looks at. */
import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { makeInvite } from "../../src/domain/federation/peers/invites.ts";
import { findPeer } from "../../src/domain/federation/peers/peers.ts";
import { syncWithPeer } from "../../src/domain/federation/exchange/sync.ts";
import { type CertificateMaker, createCertificateMaker } from "../_certificates.ts";
import { startService, type TestService } from "../_service.ts";
import { EvilPeer, type Lie } from "./_evil_peer.ts";
import { TERMS } from "./_pair.ts";
import { makePeerKeys } from "./_peer.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

export const HOUR_MS = 3_600_000;
/** An id that nobody gave to anything. */
export const NOBODY = "01990000-0000-7000-8000-0000000000ff";
/** Keys that no entry names. */
export const otherKeys = makePeerKeys();

export interface World extends AsyncDisposable {
  readonly service: TestService;
  readonly certificates: CertificateMaker;
  readonly liar: EvilPeer;
  readonly honest: EvilPeer;
  readonly slow: EvilPeer;
  now: Date;
}

/** A service, and three peers that it invited. */
export async function startWorld(): Promise<World> {
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

/** A turn of the service with a peer. */
export function turn(
  { service }: World,
  { id }: EvilPeer,
  options: Parameters<typeof syncWithPeer>[2] = { mode: "pull" },
) {
  return syncWithPeer(service.operator(), id, options);
}

/** A turn that comes to its end. */
export async function goodTurn(world: World, peer: EvilPeer, options?: Parameters<typeof syncWithPeer>[2]) {
  const report = await turn(world, peer, options);
  assert.ok(report, "nobody else has the turn");
  assert.equal(report.error, null, JSON.stringify(report.error));
  return report;
}

/** What the service has of a peer. */
export async function entryOf({ service }: World, { id }: EvilPeer) {
  return (await service.operator().tx((tx) => findPeer(service.deps, tx, id), { readOnly: true }))!;
}

/** Rows of the workspace, which a query names `:ws`. */
export async function rows({ service }: World, query: string): Promise<Json[]> {
  const text = query.replaceAll(":ws", `'${service.workspaceId}'`);
  return await service.operator().tx(async (tx) => [...await tx.sql.unsafe(text)]);
}

/** All that a peer's word could have changed. */
export async function held(world: World): Promise<Json> {
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

/** How many rows of a kind the audit log has. */
export async function countAudit(world: World, eventType: string): Promise<number> {
  const [{ n }] = await rows(
    world,
    `select count(*)::int as n from svc_audit_log where workspace_id = :ws and event_type = '${eventType}'`,
  );
  return n;
}

/** A lie, and why the turn fails that hears it. */
export interface Case {
  readonly what: string;
  readonly code: string;
  readonly tell: Lie["tell"];
  /** The page itself is refused, which stands in the audit log. */
  readonly isPage?: boolean;
  /** Most requests that it takes. Default: one. */
  readonly requests?: number;
}
