/** The instances that vote about items: this one, and its approved peers with a configured weight. */
import type { OperationContext } from "../../../context.ts";
import type { Tx } from "../../../db/tx.ts";
import type { KnownItem } from "../register/known_item.ts";
import type { VersionEntry } from "../decision/order.ts";
import { listPeers, type Peer } from "../peers/peers.ts";
import { type Tally, tally, type VotedVersion, type Voter } from "../decision/vote.ts";

export interface Electorate {
  readonly instance: string;
  readonly peers: ReadonlyMap<string, Peer>;
  readonly voters: readonly Voter[];
  readonly weights: ReadonlyMap<string, number>;
}

/** Reads the voters of the workspace. A peer that is stale has no vote. */
export async function readElectorate(ctx: OperationContext, tx: Tx): Promise<Electorate> {
  const { deps } = ctx;
  const peers = await listPeers(deps, tx);
  const instance = deps.config.instanceId;
  const voters = peers.flatMap((peer): Voter[] => {
    if (peer.approvedAt === null || peer.trustWeight === null || peer.isStale) return [];
    return [{ instance: peer.id, weight: peer.trustWeight, skewMs: peer.skewMs ?? 0 }];
  });
  return {
    instance,
    peers: new Map(peers.map((peer) => [peer.id, peer])),
    voters: [{ instance, weight: deps.config.federation.selfWeight, skewMs: 0 }, ...voters],
    weights: new Map(peers.map((peer) => [peer.id, peer.trustWeight ?? 0])),
  };
}

/** Whether an instance has a vote. */
export function hasVote({ voters }: Electorate, instance: string): boolean {
  return voters.some((voter) => voter.instance === instance && voter.weight > 0);
}

/** Returns the vote of each voter on an item: its entry in the register, else its answer when it was asked. */
function wordsOf({ instance }: Electorate, item: KnownItem, live: readonly VersionEntry[]): VotedVersion[] {
  const words = live.map(({ writer, hash, updatedAt }): VotedVersion => ({ instance: writer, hash, updatedAt }));
  const { shown } = item;
  if (shown !== undefined && !words.some((word) => word.instance === instance)) {
    const updatedAt = live.find((entry) => entry.hash === shown.hash)?.updatedAt;
    if (updatedAt !== undefined) words.push({ instance, hash: shown.hash, updatedAt });
  }
  for (const { claims } of item.conflicts.values()) {
    for (const [claimant, { word }] of Object.entries(claims)) {
      // An instance that published a version of the item, or only its erasure, has voted by that.
      if (word === null || claimant === instance || item.versions.has(claimant)) continue;
      words.push({ instance: claimant, hash: word.hash, updatedAt: new Date(word.updatedAt) });
    }
  }
  return words;
}

/** Counts the votes about an item. */
export function countVotes(electorate: Electorate, item: KnownItem, live: readonly VersionEntry[], now: Date): Tally {
  return tally(electorate.voters, wordsOf(electorate, item, live), now);
}

/** Returns the hash that won the vote; undefined if none did. */
export function findWinner(
  electorate: Electorate,
  item: KnownItem,
  live: readonly VersionEntry[],
  now: Date,
): string | undefined {
  const { winner } = countVotes(electorate, item, live, now);
  return winner ?? undefined;
}
