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
import { FederationVerifyError } from "./envelope_errors.ts";
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
  const { instanceId } = ctx.deps.config;
  const keys = keysOf(ctx, peer);
  const abroad = isAbroad(ctx, peer);
  const { signingKeys, openKeys } = keys;
  if (ctx.deps.config.federation.requireCrypto && (signingKeys.length === 0 || (!abroad && openKeys.length === 0))) {
    const message =
      `Cannot accept the page: SVC_FEDERATION_REQUIRE_CRYPTO is on, and the entry of ${peer.id} lacks keys`;
    throw new FederationVerifyError(message);
  }
  verifyPage(page, { from: peer.id, to: instanceId, workspace, isAbroad: abroad }, keys);
  if (abroad) {
    const facts = page.items as readonly ProjectedItem[];
    await asPeer(ctx, peer).tx(async (tx) => {
      if (facts.length > 0) await putRemoteFacts(tx, peer.id, facts);
      await atEnd?.(tx);
    });
    return [];
  }
  const unreadable: ItemResult[] = [];
  const items = (page.items as readonly (SealedItem | PlainItem)[]).flatMap((item): IncomingItem[] => {
    try {
      return [{ ...readWireType(item.type), ...openPageItem(page, item, keys) }];
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "validation_failed") throw error;
      unreadable.push({ id: item.id, instance: peer.id, version: item.version, outcome: "validation_failed" });
      return [];
    }
  });
  const options = { ...(strategy !== undefined && { strategy }), ...(atEnd !== undefined && { atEnd }) };
  return [...await receiveItems(ctx, peer.id, items, options), ...unreadable];
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
