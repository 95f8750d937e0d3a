/** The reader of this instance's publications, and the reader's rights. */
import type { OperationContext } from "../../../context.ts";
import { readWorkspaceRegion } from "../../../db/queries/federation_peers.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import { findPeer, isAbroad, type Peer } from "../peers/peers.ts";
import type { PageHead } from "./envelope.ts";

/** A peer; or the holder of an API key that belongs to no peer, who reads as far as the key may. */
export interface Reader {
  readonly to: string;
  readonly peer: Peer | undefined;
  /** Whether the peer is in another region than the workspace, or in an unknown one. */
  readonly isAbroad: boolean;
  /** The region of the workspace. */
  readonly region: string | null;
}

const ACTOR = "peer:";

/**
 * Identifies the reader.
 * @param workspace the id that the caller names
 * @throws ServiceError `not_found` for another workspace; `insufficient_scope` if the caller is no longer an approved
 * peer
 */
export async function findReader(ctx: OperationContext, tx: Tx, workspace: string | undefined): Promise<Reader> {
  const { deps, actor } = ctx;
  if (workspace !== undefined && workspace !== ctx.workspaceId) {
    throw new ServiceError("not_found", "Cannot find the workspace");
  }
  const region = await readWorkspaceRegion(tx) ?? null;
  if (!actor.startsWith(ACTOR)) return { to: actor, peer: undefined, isAbroad: false, region };
  const peer = await findPeer(deps, tx, actor.slice(ACTOR.length));
  if (peer === undefined || peer.approvedAt === null) {
    throw new ServiceError("insufficient_scope", "Cannot serve this peer: it is not approved");
  }
  return { to: peer.id, peer, isAbroad: isAbroad(peer), region };
}

/**
 * Refuses a peer that only receives pushed items.
 * @throws ServiceError `insufficient_scope`
 */
export function requirePull({ peer }: Reader): void {
  if (peer?.direction !== "push") return;
  throw new ServiceError("insufficient_scope", "Cannot serve this peer: it only receives");
}

/** Makes the head of a page for a reader. */
export function pageHead(ctx: OperationContext, { to, region }: Reader, cursor: string | null): PageHead {
  const { deps, workspaceId } = ctx;
  return { from: deps.config.instanceId, to, workspace: workspaceId, region, issuedAt: deps.clock(), cursor };
}
