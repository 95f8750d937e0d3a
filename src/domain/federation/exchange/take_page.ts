/** Takes a page of a peer, pulled or pushed: verifies it as a whole, opens its items and receives them. */
import { createContext, type OperationContext } from "../../../context.ts";
import { putRemoteFacts } from "../../../db/queries/federation_remote.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import { Slices } from "../../../pause.ts";
import {
  type Envelope,
  type PlainItem,
  type ProjectedItem,
  readWireType,
  type SealedItem,
} from "../../../schema/federation_item.ts";
import type { ConflictResolution } from "../../../schema/federation_peer.ts";
import { openPageItem, type PeerKeys, verifyPage } from "../protocol/envelope.ts";
import { FederationVerifyError } from "../peers/verify_errors.ts";
import type { IncomingItem, ItemResult } from "../applying/incoming.ts";
import { isAbroad, type Peer, secretsOf, signingKeysOf } from "../peers/peers.ts";
import { prepareBatches, type PreparedBatches, storeBatches } from "../applying/receive.ts";

/** How to store a page. */
export interface StoreOptions {
  /** Used instead of the strategy of the peer's entry. */
  readonly strategy?: ConflictResolution | undefined;
  /** Runs in the transaction of the last items. */
  readonly atEnd?: (tx: Tx) => Promise<void>;
}

/** The content of a page that was verified and opened. */
interface OpenedPage {
  /** The items that were read; null if the page comes from another region. */
  readonly incoming: readonly IncomingItem[] | null;
  readonly unreadable: readonly ItemResult[];
  readonly items: number;
}

/**
 * Verifies and opens a page, without storing anything.
 * @param workspace the id of the workspace at the side that served
 * @throws FederationVerifyError, FederationDecryptError, ServiceError `wrong_region`
 */
export async function openPage(
  ctx: OperationContext,
  peer: Peer,
  page: Envelope,
  workspace: string,
): Promise<OpenedPage> {
  const keys = keysOf(ctx, peer);
  const abroad = isAbroad(peer);
  const { signingKeys, openKeys } = keys;
  if (ctx.deps.config.federation.requireCrypto && (signingKeys.length === 0 || (!abroad && openKeys.length === 0))) {
    const message =
      `Cannot accept the page: SVC_FEDERATION_REQUIRE_CRYPTO is on, and the entry of ${peer.id} lacks keys`;
    throw new FederationVerifyError(message);
  }
  verifyPage(page, { from: peer.id, to: ctx.deps.config.instanceId, workspace, isAbroad: abroad }, keys);
  const { length } = page.items;
  if (abroad) return { incoming: null, unreadable: [], items: length };
  const unreadable: ItemResult[] = [];
  const incoming: IncomingItem[] = [];
  const slices = new Slices(ctx.signal);
  for (const item of page.items as readonly (SealedItem | PlainItem)[]) {
    await slices.yieldIfDue();
    try {
      incoming.push({ ...readWireType(item.type), ...openPageItem(page, item, keys) });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "validation_failed") throw error;
      unreadable.push({ id: item.id, instance: peer.id, version: item.version, outcome: "validation_failed" });
    }
  }
  return { incoming, unreadable, items: length };
}

/** A page that was verified, opened and analysed. Nothing of it is stored yet. */
export interface PreparedPage {
  /** The items of the page. A page from another region lists facts instead. */
  readonly content: { readonly batches: PreparedBatches } | { readonly facts: readonly ProjectedItem[] };
  readonly unreadable: readonly ItemResult[];
}

/**
 * Verifies, opens and analyses a page, without the database.
 * @param workspace the id of the workspace at the side that served
 * @throws FederationVerifyError, FederationDecryptError, ServiceError `wrong_region`, `validation_failed`
 */
export async function preparePage(
  ctx: OperationContext,
  peer: Peer,
  page: Envelope,
  workspace: string,
): Promise<PreparedPage> {
  const { incoming, unreadable } = await openPage(ctx, peer, page, workspace);
  if (incoming === null) return { content: { facts: page.items as readonly ProjectedItem[] }, unreadable };
  return { content: { batches: await prepareBatches(ctx, peer.id, incoming) }, unreadable };
}

/**
 * Stores a page. An item whose body this build does not know is refused alone.
 * @returns the result of each item; nothing for facts of another region
 */
export async function storePage(
  ctx: OperationContext,
  peer: Peer,
  { content, unreadable }: PreparedPage,
  { strategy, atEnd }: StoreOptions,
): Promise<ItemResult[]> {
  if ("facts" in content) {
    const { facts } = content;
    await asPeer(ctx, peer).tx(async (tx) => {
      if (facts.length > 0) await putRemoteFacts(tx, peer.id, facts);
      await atEnd?.(tx);
    });
    return [];
  }
  const options = { ...(strategy !== undefined && { strategy }), ...(atEnd !== undefined && { atEnd }) };
  return [...await storeBatches(ctx, peer.id, content.batches, options), ...unreadable];
}

/**
 * Takes a page. If it cannot be verified, nothing of it is stored.
 * @param workspace our own id of the workspace for a pushed page, the peer's id for a pulled one
 * @returns the result of each item; nothing for facts of another region
 * @throws FederationVerifyError, FederationDecryptError, ServiceError `wrong_region`, `validation_failed`
 */
export async function takePage(
  ctx: OperationContext,
  peer: Peer,
  page: Envelope,
  workspace: string,
): Promise<ItemResult[]> {
  return await storePage(ctx, peer, await preparePage(ctx, peer, page, workspace), {});
}

/** The context of the same request, on behalf of the peer. */
export function asPeer(ctx: OperationContext, { id }: Pick<Peer, "id">): OperationContext {
  return createContext(ctx.deps, { ...ctx, actor: `peer:${id}` }, ctx);
}

/** Returns the keys of the peer's entry. */
function keysOf({ deps }: OperationContext, peer: Peer): PeerKeys {
  const { symmetricKey, symmetricKeyNext } = secretsOf(deps, peer);
  return {
    signingKeys: signingKeysOf(peer, deps.clock()),
    openKeys: [symmetricKey, symmetricKeyNext].filter((key) => key !== undefined),
  };
}
