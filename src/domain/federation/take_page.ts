/** A page of a peer, pulled or pushed: verified as a whole, opened item by item, and received. */
import { createContext, type OperationContext } from "../../context.ts";
import { putRemoteFacts } from "../../db/queries/federation_remote.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import {
  type Envelope,
  type PlainItem,
  type ProjectedItem,
  readWireType,
  type SealedItem,
} from "../../schema/federation_item.ts";
import type { ConflictResolution } from "../../schema/federation_peer.ts";
import { openPageItem, type PeerKeys, verifyPage } from "./envelope.ts";
import type { IncomingItem, ItemResult } from "./incoming.ts";
import { type Peer, secretsOf, signingKeysOf } from "./peers.ts";
import { receiveItems } from "./receive.ts";

export interface TakeOptions {
  /** The id of the workspace at the side that served: ours of what was pushed, the peer's of what was pulled. */
  readonly workspace: string;
  readonly strategy?: ConflictResolution | undefined;
  /** Runs in the transaction of the last items. */
  readonly atEnd?: (tx: Tx) => Promise<void>;
}

/** By our own entry, the peer is of another region. */
export function isAbroad({ deps: { config } }: OperationContext, peer: Peer): boolean {
  return config.region !== undefined && peer.region !== config.region;
}

/** What a page says, verified and opened. */
interface OpenedPage {
  /** What was read of it; null where it is of another region. */
  readonly incoming: readonly IncomingItem[] | null;
  readonly unreadable: readonly ItemResult[];
  /** How many items it has. */
  readonly items: number;
}

/**
 * Verifies and opens a page, without taking anything of it.
 * @param workspace the id of the workspace at the side that served
 * @throws FederationVerifyError, FederationDecryptError, ServiceError `wrong_region`
 */
export function openPage(ctx: OperationContext, peer: Peer, page: Envelope, workspace: string): OpenedPage {
  const keys = keysOf(ctx, peer);
  const abroad = isAbroad(ctx, peer);
  verifyPage(page, { from: peer.id, to: ctx.deps.config.instanceId, workspace, isAbroad: abroad }, keys);
  const { length } = page.items;
  if (abroad) return { incoming: null, unreadable: [], items: length };
  const unreadable: ItemResult[] = [];
  const incoming = (page.items as readonly (SealedItem | PlainItem)[]).flatMap((item): IncomingItem[] => {
    try {
      return [{ ...readWireType(item.type), ...openPageItem(page, item, keys) }];
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "validation_failed") throw error;
      unreadable.push({ id: item.id, instance: peer.id, version: item.version, outcome: "validation_failed" });
      return [];
    }
  });
  return { incoming, unreadable, items: length };
}

/**
 * Takes a page. Of one that does not hold, nothing is taken; an item whose body this build does not know concerns itself
 * alone.
 * @returns what became of each item; of facts of another region nothing
 * @throws FederationVerifyError, FederationDecryptError, ServiceError `wrong_region`, `validation_failed`
 */
export async function takePage(
  ctx: OperationContext,
  peer: Peer,
  page: Envelope,
  { workspace, strategy, atEnd }: TakeOptions,
): Promise<ItemResult[]> {
  const { incoming, unreadable } = openPage(ctx, peer, page, workspace);
  if (incoming === null) {
    const facts = page.items as readonly ProjectedItem[];
    await asPeer(ctx, peer).tx(async (tx) => {
      if (facts.length > 0) await putRemoteFacts(tx, peer.id, facts);
      await atEnd?.(tx);
    });
    return [];
  }
  const options = { ...(strategy !== undefined && { strategy }), ...(atEnd !== undefined && { atEnd }) };
  return [...await receiveItems(ctx, peer.id, incoming, options), ...unreadable];
}

/** The same request, on behalf of the peer. */
export function asPeer(ctx: OperationContext, { id }: Pick<Peer, "id">): OperationContext {
  return createContext(ctx.deps, { ...ctx, actor: `peer:${id}` }, ctx);
}

/** The keys of its entry; a sealed page counts only where there are both. */
function keysOf({ deps }: OperationContext, peer: Peer): PeerKeys {
  const { symmetricKey, symmetricKeyNext } = secretsOf(deps, peer);
  return {
    signingKeys: signingKeysOf(peer, deps.clock()),
    openKeys: [symmetricKey, symmetricKeyNext].filter((key) => key !== undefined),
  };
}
