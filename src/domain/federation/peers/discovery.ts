/**
 * Discovers peers by DNS SRV records (RFC 2782). A discovered peer is only offered for approval: nothing connects to
 * it, and the records never change a peer that somebody approved or removed.
 */
import type { OperationContext } from "../../../context.ts";
import { uuidv7 } from "../../../crypto/ids.ts";
import * as members from "../../../db/queries/federation_peers.ts";
import * as queries from "../../../db/queries/federation_peer_standing.ts";
import { lockNames } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import { type Announced, findAnnounced } from "../../../outbound/srv.ts";
import { InstanceEndpoint, InstanceId } from "../../../schema/federation_peer.ts";
import { discoveryFailed } from "../../../telemetry/federation_events.ts";
import { advancePeer } from "./peer_state.ts";
import { applyAdvance, PEERS_LOCK, standingOf, tellOfPeer } from "./standing.ts";

const RECORDS_MAX = 32;
const HTTPS_PORT = 443;

/** A peer that DNS names. */
export interface FoundPeer {
  /** `instance:<host>`, with the port unless it is 443. */
  readonly id: string;
  readonly endpoint: string;
  readonly priority: number;
  readonly weight: number;
}

/**
 * Chooses peers from records: at most 32, lowest priority first, then greatest weight. Weights are not used as
 * probabilities, because all of them are offered.
 */
export function choosePeers(records: readonly Announced[], ownId: string): FoundPeer[] {
  const found = new Map<string, FoundPeer>();
  const inOrder = records.map(({ host, port, priority, weight }): FoundPeer => {
    const place = port === HTTPS_PORT ? host : `${host}:${port}`;
    return { id: `instance:${place}`, endpoint: `https://${place}`, priority, weight };
  }).toSorted((a, b) => a.priority - b.priority || b.weight - a.weight || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  for (const peer of inOrder) {
    if (found.size === RECORDS_MAX) break;
    const isName = InstanceId.safeParse(peer.id).success && InstanceEndpoint.safeParse(peer.endpoint).success;
    if (isName && peer.id !== ownId && !found.has(peer.id)) found.set(peer.id, peer);
  }
  return [...found.values()];
}

/**
 * Asks DNS for peers, once for the service, and offers them in the configured workspaces. If DNS fails, the known peers
 * stay as they are.
 * @param inWorkspace makes the context of a workspace
 */
export async function discoverPeers(
  ctx: OperationContext,
  inWorkspace: (workspaceId: string) => OperationContext,
): Promise<void> {
  const { config: { federation, instanceId }, outbound, telemetry } = ctx.deps;
  if (federation.srv === undefined) return;
  let peers: readonly FoundPeer[];
  try {
    const records = await findAnnounced(federation.srv, { nameServer: outbound.nameServer, signal: ctx.signal });
    peers = choosePeers(records, instanceId);
  } catch (error) {
    ctx.signal.throwIfAborted();
    return discoveryFailed(telemetry.log, { error });
  }
  for (const workspaceId of federation.srvWorkspaces) await offerPeers(inWorkspace(workspaceId), peers);
}

/**
 * Adds and refreshes the peers that wait for approval in a workspace. Deletes those that DNS has not named for a day.
 */
async function offerPeers(ctx: OperationContext, peers: readonly FoundPeer[]): Promise<void> {
  await ctx.tx(async (tx) => {
    // A workspace that does not exist, or is not served here, has no peers.
    const region = await members.readWorkspaceRegion(tx);
    const { region: served = region } = ctx.deps.config;
    if (region === undefined || region !== served) return;
    // The lock keeps two processes from offering the same peer twice.
    await lockNames(tx, [PEERS_LOCK]);
    for (const peer of peers) await offerPeer(tx, peer);
    for (const row of await members.listPeerRows(tx)) {
      if (row.source !== "srv" || row.approvedAt !== null) continue;
      const seenAt = typeof row.found?.seen === "string" ? new Date(row.found.seen) : row.createdAt;
      const advance = advancePeer(standingOf(row), { kind: "passed", seenAt }, tx.now, Math.random);
      await applyAdvance(ctx, tx, row, advance);
    }
  });
}

async function offerPeer(tx: Tx, { id, endpoint, priority, weight }: FoundPeer): Promise<void> {
  const row = await members.findPeerRow(tx, id, true);
  const found = { priority, weight, seen: tx.now.toISOString() };
  if (row !== undefined) return await queries.noteFound(tx, id, found);
  const { pending } = await queries.countPeers(tx);
  const { changes, effects } = advancePeer(undefined, { kind: "found", pending }, tx.now, Math.random);
  if (changes.state === undefined) return;
  await members.putPeer(tx, {
    ...{ id, endpoint, uid: uuidv7(tx.now), source: "srv", state: changes.state, approvedBy: undefined },
    ...{ direction: "bidirectional", remoteWorkspaceId: tx.workspaceId, region: null, maxSensitivity: "internal" },
    ...{ conflictResolution: "manual", trustWeight: null, certPin: null, certPinNext: null, clientCertPin: null },
    ...{ signingKey: null, signingKeyNext: null, secrets: null, inboundKeyId: null },
  });
  await queries.noteFound(tx, id, found);
  const stored = await members.findPeerRow(tx, id);
  for (const effect of effects) if (effect.kind === "tell") tellOfPeer(tx, stored!, effect);
}
