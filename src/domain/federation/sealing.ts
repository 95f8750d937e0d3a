/**
 * The keys under which pages are signed and sealed, and how much each has sealed: every item has a random nonce of 96
 * bits, and a key under which two items have the same nonce gives both away. Both sides of a pair may seal under the
 * same key, so each seals half of the 2^32 items that such a key is good for.
 */
import type { Deps, OperationContext } from "../../context.ts";
import { sha256 } from "../../crypto/hash.ts";
import { countSealedItems } from "../../db/queries/federation_sealed.ts";
import { ServiceError } from "../../errors.ts";
import type { Envelope, PlainItem } from "../../schema/federation_item.ts";
import { sealKeyUsedUp, sealKeyWorn } from "../../telemetry/events.ts";
import { makePage, type PageHead, type SealingKeys } from "./envelope.ts";
import { hasKey, type Peer, secretsOf } from "./peers.ts";

/** The most items that one key seals. */
export const SEALED_MAX = 2 ** 31;
/** From this number of items on, the service advises operators to set another key. */
export const SEALED_WORN = 2 ** 30;

/**
 * Returns the keys that sign and seal the pages for a peer, or for a key holder; undefined: serve plain text.
 * @param isPlainAsked whether the reader says that it cannot open sealed items
 * @throws ServiceError `unavailable` if there are no keys and plain text is not allowed
 */
export function sealingKeysFor(
  { deps }: Pick<OperationContext, "deps">,
  peer: Peer | undefined,
  isPlainAsked = false,
): SealingKeys | undefined {
  if (isPlainAsked && peer !== undefined && mayReadPlain(deps, peer)) return undefined;
  const sealKey = (peer === undefined ? undefined : secretsOf(deps, peer).sealKey) ?? deps.sealKey;
  if (deps.signingKey !== undefined && sealKey !== undefined) return { signingKey: deps.signingKey, sealKey };
  if (!deps.config.federation.requireCrypto) return undefined;
  throw new ServiceError("unavailable", "Cannot serve items: there are no keys to sign and seal them with");
}

/**
 * Whether a peer gets plain text if it asks for it: unless this instance requires sealing, was given both keys of the
 * peer, or has a key for sealing what this peer alone gets. Nobody on the way can make these fall back.
 */
export function mayReadPlain(deps: Deps, peer: Peer): boolean {
  const { symmetricKey, sealKey } = secretsOf(deps, peer);
  return !deps.config.federation.requireCrypto && sealKey === undefined &&
    !(hasKey(peer) && symmetricKey !== undefined);
}

/**
 * Makes a page, sealed if there are keys. Its items are counted for the key before they are sealed.
 * @throws ServiceError `unavailable` if the key has sealed as many items as it may
 */
export async function sealPage(
  ctx: OperationContext,
  head: PageHead,
  items: readonly PlainItem[],
  keys: SealingKeys | undefined,
): Promise<Envelope> {
  if (keys !== undefined && items.length > 0) await countSealed(ctx, head, keys.sealKey, items.length);
  return makePage(head, items, keys);
}

/** Returns how many items a key has sealed, in all processes and workspaces. */
export function sealedBy(ctx: OperationContext, key: Uint8Array): Promise<number> {
  return addSealed(ctx, key, 0);
}

async function countSealed(
  ctx: OperationContext,
  { to }: Pick<PageHead, "to">,
  key: Uint8Array,
  count: number,
): Promise<void> {
  const { deps: { telemetry: { log } }, workspaceId } = ctx;
  const items = await addSealed(ctx, key, count);
  if (items > SEALED_MAX) {
    sealKeyUsedUp(log, { workspaceId, to, max: SEALED_MAX });
    throw new ServiceError("unavailable", "Cannot serve items: the key that seals them has sealed as many as it may");
  }
  if (items >= SEALED_WORN && items - count < SEALED_WORN) {
    sealKeyWorn(log, { workspaceId, to, items, max: SEALED_MAX });
  }
}

function addSealed({ deps }: OperationContext, key: Uint8Array, items: number): Promise<number> {
  const hash = sha256(new Uint8Array([...new TextEncoder().encode("svc-fed-seal-key-v1\n"), ...key]));
  return deps.db.system((sql) => countSealedItems(sql, hash, items, SEALED_MAX));
}
