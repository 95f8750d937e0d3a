/** What decisions about items depend on besides what is known of them. */
import type { OperationContext } from "../../../context.ts";
import type { Tx } from "../../../db/tx.ts";
import type { Sensitivity } from "../../../schema/common.ts";
import type { ConflictResolution } from "../../../schema/federation_peer.ts";
import { type Beholder, beholderOf } from "./veil.ts";
import { type Electorate, readElectorate } from "./voting_instances.ts";
import type { AdoptingTransaction } from "./write_adopted_unit.ts";

export interface DecisionInputs extends AdoptingTransaction {
  readonly electorate: Electorate;
  /** The strategy for contradictions with a writer's versions. */
  strategyOf(writer: string): ConflictResolution;
  /** The clearance of the key with which the peer sent its request; undefined if no request of a peer is carried out. */
  readonly keyClearance?: Sensitivity | undefined;
}

export interface SettlingOptions {
  /** Used for the peer's versions instead of the strategy of its entry. */
  readonly strategy?: ConflictResolution | undefined;
  readonly keyClearance?: Sensitivity | undefined;
}

/** Reads what decisions of a transaction about a peer's versions depend on. */
export async function readSettling(
  ctx: OperationContext,
  tx: Tx,
  peer: string,
  { strategy, keyClearance }: SettlingOptions = {},
): Promise<DecisionInputs> {
  const electorate = await readElectorate(ctx, tx);
  return {
    ctx,
    tx,
    peer,
    electorate,
    keyClearance,
    strategyOf: (writer) =>
      writer === peer && strategy !== undefined
        ? strategy
        : electorate.peers.get(writer)?.conflictResolution ?? "manual",
  };
}

/** A writer as one from whom items may be veiled. */
export function beholderIn({ electorate, peer, keyClearance = "restricted" }: DecisionInputs, writer = peer): Beholder {
  return beholderOf(writer, electorate.peers.get(writer), writer === peer ? keyClearance : "restricted");
}
