/**
 * Seals pages and counts how many items each key has sealed: every item has a random nonce of 96
 * bits, and a key under which two items have the same nonce gives both away. Both sides of a pair may seal under the
 * same key, so each seals half of the 2^32 items that such a key is good for.
 */
import type { OperationContext } from "../../../context.ts";
import { sha256 } from "../../../crypto/hash.ts";
import { countSealedItems } from "../../../db/queries/federation_sealed.ts";
import { ServiceError } from "../../../errors.ts";
import type { Envelope, PlainItem } from "../../../schema/federation_item.ts";
import { sealKeyUsedUp, sealKeyWorn } from "../../../telemetry/federation_events.ts";
import type { SealingKeys } from "../peers/sealing_keys.ts";
import { makePage, type PageHead } from "./envelope.ts";

/** The most items that one key seals. */
export const SEALED_MAX = 2 ** 31;
/** From this number of items on, the service advises operators to set another key. */
export const SEALED_WORN = 2 ** 30;

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
