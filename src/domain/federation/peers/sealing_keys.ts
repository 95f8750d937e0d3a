/** Chooses the keys that sign and seal what a peer is served. */
import type { Deps, OperationContext } from "../../../context.ts";
import type { SigningKey } from "../../../crypto/ed25519.ts";
import { ServiceError } from "../../../errors.ts";
import { hasKey, type Peer, secretsOf } from "./peers.ts";

/** The keys that sign and seal items. */
export interface SealingKeys {
  readonly signingKey: SigningKey;
  /** 32 bytes. */
  readonly sealKey: Uint8Array;
}

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
