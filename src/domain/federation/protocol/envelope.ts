/**
 * The envelope of a page of items: made for a peer, and verified and opened when a peer sends one. A page is one
 * statement of its sender. The whole page is refused if its signature does not hold, or if one item does not open or is
 * not what its header says.
 */
import { canonicalJson } from "../../../crypto/canonical_json.ts";
import { keyIdOf, type SigningKey, verifySignature } from "../../../crypto/ed25519.ts";
import { sha256 } from "../../../crypto/hash.ts";
import { openItem, readBase64, sealItem, toBase64Url } from "../../../crypto/item_seal.ts";
import { ServiceError } from "../../../errors.ts";
import {
  Envelope,
  ITEM_BYTES_MAX,
  ItemBody,
  PAGE_BYTES_MAX,
  type PlainItem,
  type ProjectedItem,
  readWireType,
  SEALED_ALG,
  type SealedItem,
} from "../../../schema/federation_item.ts";
import { checkInput } from "../../../schema/field_errors.ts";
import { type JsonLimits, parseJson } from "../../../schema/json_text.ts";
import type { SealingKeys } from "../peers/sealing_keys.ts";
import { FederationDecryptError, FederationVerifyError } from "../peers/verify_errors.ts";
import { hashItem } from "../register/shared_form.ts";

/** The sender, the receiver, and the workspace's id at the instance that serves. */
export interface Addressing {
  readonly from: string;
  readonly to: string;
  readonly workspace: string;
}

/** The members of a page besides its items. */
export interface PageHead extends Addressing {
  readonly region: string | null;
  readonly issuedAt: Date;
  readonly cursor: string | null;
}

/** Makes a page of whole items: signed, with each item sealed; in plain text without keys. */
export function makePage(head: PageHead, items: readonly PlainItem[], keys: SealingKeys | undefined): Envelope {
  if (keys === undefined) return { ...headOf(head), items: [...items] };
  const sealed = items.map(({ body, ...header }): SealedItem => {
    const { nonce, sealed } = sealItem(canonicalJson(body), keys.sealKey, contextOf(head, header));
    return { ...header, nonce, sealed };
  });
  return { ...headOf(head), keyId: keys.signingKey.keyId, alg: SEALED_ALG, ...signItems(sealed, keys.signingKey) };
}

/**
 * Makes a page for a peer in another region: ids and keyed hashes of facts, which need no seal. Signed if there is a
 * key.
 */
export function makeProjection(
  head: PageHead,
  items: readonly ProjectedItem[],
  signingKey: SigningKey | undefined,
): Envelope {
  if (signingKey === undefined) return { ...headOf(head), items: [...items] };
  return { ...headOf(head), keyId: signingKey.keyId, ...signItems([...items], signingKey) };
}

function headOf({ from, to, workspace, region, issuedAt, cursor }: PageHead) {
  return { v: 1 as const, from, to, workspace, region, issuedAt: issuedAt.toISOString(), cursor };
}

function signItems<Items extends Envelope["items"]>(items: Items, key: SigningKey) {
  return { items, signature: toBase64Url(key.sign(sha256(canonicalJson(items)))) };
}

/** Returns the additional data of a sealed item. With it, the item opens only as this item of this page. */
function contextOf(
  { from, to, workspace }: Addressing,
  { id, type, version }: Pick<SealedItem, "id" | "type" | "version">,
) {
  return canonicalJson({ from, to, workspace, id, type, version });
}

/** A page of 500 plain bodies has many more values than any other request. */
const PAGE_LIMITS: JsonLimits = { membersOfOneMax: 10_000, membersMax: 400_000, valuesMax: 800_000 };

/**
 * Parses an envelope and checks its shape. Nothing is verified yet.
 * @throws ServiceError `payload_too_large`, `invalid_request`, `validation_failed`
 */
export function readEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length > PAGE_BYTES_MAX) {
    throw new ServiceError("payload_too_large", `Cannot read the page: it has more than ${PAGE_BYTES_MAX} bytes`);
  }
  return checkEnvelope(parseJson(bytes, PAGE_LIMITS));
}

/**
 * Checks the shape of an envelope that another message holds.
 * @throws ServiceError `validation_failed`
 */
export function checkEnvelope(value: unknown): Envelope {
  const { faults } = checkInput(Envelope, value);
  if (faults) {
    const [first] = faults.list();
    const message = `Cannot read the page: ${first?.path || "it"} ${first?.message}`;
    throw new ServiceError("validation_failed", message, { errors: faults.list() });
  }
  // The value is returned as it was sent, not as the schema would write it, because the signature covers it so.
  return value as Envelope;
}

/** The keys in a peer's entry. A next key is among them only while it is accepted. */
export interface PeerKeys {
  /** 32 bytes each. */
  readonly signingKeys: readonly Uint8Array[];
  /** 32 bytes each; they are tried in order. */
  readonly openKeys: readonly Uint8Array[];
}

/** What the page of a peer must say. */
export interface Expected extends Addressing {
  /** Whether the peer is in another region. Then only the projection of facts is exchanged. */
  readonly isAbroad: boolean;
}

/**
 * Verifies that a page is the peer's statement to this instance. If both keys of the peer are known, only a signed page
 * of sealed items is accepted, whatever the page says; otherwise plain items are.
 * @throws FederationVerifyError for another addressee, or a signature that is missing or is not by a key of the peer
 * @throws FederationDecryptError for a sealed page of a peer whose keys are not configured
 * @throws ServiceError `wrong_region` for whole items from another region, or a projection from this one
 */
export function verifyPage(page: Envelope, expected: Expected, keys: PeerKeys): void {
  for (const member of ["from", "to", "workspace"] as const) {
    if (page[member] !== expected[member]) throw refuse(`its \`${member}\` is not what was expected`);
  }
  const form = formOf(page);
  if (expected.isAbroad ? form === "sealed" || form === "plain" || page.alg !== undefined : form === "projected") {
    throw new ServiceError(
      "wrong_region",
      "Cannot accept the page: its items do not have the form for this peer's region",
    );
  }
  if (form !== "none" && (page.alg !== undefined) !== (form === "sealed")) {
    throw refuse("its items are not of the form that it says");
  }
  if (!expected.isAbroad) requireSealing(page, expected, keys);
  const mustBeSigned = page.alg !== undefined || (expected.isAbroad && keys.signingKeys.length > 0);
  if (mustBeSigned) verifySigned(page, expected, keys);
  else if (page.alg === undefined && !expected.isAbroad && page.signature !== undefined) {
    throw refuse("it is signed and not sealed");
  }
  refuseRepeated(page);
}

function requireSealing({ alg }: Envelope, { from }: Expected, { signingKeys, openKeys }: PeerKeys): void {
  const hasKeys = signingKeys.length > 0 && openKeys.length > 0;
  if (hasKeys && alg === undefined) throw refuse("its items are neither signed nor sealed");
  if (!hasKeys && alg !== undefined) {
    throw new FederationDecryptError(`Cannot open the page: the keys of ${from} are not configured`);
  }
}

function refuse(reason: string): FederationVerifyError {
  return new FederationVerifyError(`Cannot accept the page: ${reason}`);
}

type Form = "sealed" | "plain" | "projected" | "none";

/** Returns the form of a page's items. The schema allows only one form in a page. */
function formOf({ items: [first] }: Envelope): Form {
  if (first === undefined) return "none";
  return "factId" in first ? "projected" : "sealed" in first ? "sealed" : "plain";
}

function verifySigned(
  { items, keyId, signature }: Envelope,
  { from }: Addressing,
  { signingKeys }: PeerKeys,
): void {
  const key = signingKeys.find((one) => keyIdOf(one) === keyId);
  const bytes = signature === undefined ? undefined : readBase64(signature);
  if (key === undefined || bytes === undefined || !verifySignature(bytes, sha256(canonicalJson(items)), key)) {
    throw refuse(`its signature is not that of ${from}`);
  }
}

/** Refuses a page that repeats a nonce or a fact. Two items under one key and nonce reveal each other's content. */
function refuseRepeated({ items }: Envelope): void {
  const seen = new Set<string>();
  for (const item of items) {
    const marks = "factId" in item ? [`fact ${item.factId}`] : "sealed" in item ? [`nonce ${item.nonce}`] : [];
    for (const mark of marks) {
      if (seen.has(mark)) throw refuse("it has the same item, or the same nonce, twice");
      seen.add(mark);
    }
  }
}

/** A version of an item as its writer published it; `hash` is that of its content. */
export interface OpenedItem {
  readonly body: ItemBody;
  readonly hash: string;
}

/**
 * Opens an item of a verified page. The schema of the item's type is not checked here, so that a member unknown to this
 * build spoils this item only.
 * @throws FederationDecryptError if no key of the peer opens it
 * @throws FederationVerifyError if it is not the item that its header names, or has another hash or another writer than
 * the sender
 * @throws ServiceError `validation_failed` if its body has a shape that this build does not know
 */
export function openPageItem(page: Envelope, item: SealedItem | PlainItem, keys: PeerKeys): OpenedItem {
  const raw = "sealed" in item ? unseal(page, item, keys) : item.body;
  const { data: body, faults } = checkInput(ItemBody, raw, "body");
  if (faults) {
    throw new ServiceError("validation_failed", `Cannot read the item ${item.id}: its body has an unknown shape`, {
      errors: faults.list(),
    });
  }
  const { isDeleted } = readWireType(item.type);
  const isOther = body.origin.id !== item.id || body.version !== item.version ||
    isDeleted !== (body.unit === null && body.withdrawn !== true);
  if (isOther) throw refuse(`the item ${item.id} is not what its header says`);
  if (body.writer !== page.from) throw refuse(`the item ${item.id} was written by another instance`);
  if (Object.hasOwn(body.seen, body.writer)) throw refuse(`the item ${item.id} has seen itself`);
  // The hash covers the unit as it was sent; the schema drops nothing from it.
  const { unit } = raw as ItemBody;
  const hash = hashItem(item.type, body.origin, unit, body.withdrawn === true);
  if (hash !== item.hash) throw refuse(`the item ${item.id} does not have the hash that it says`);
  return { body: { ...body, unit }, hash };
}

function unseal(page: Envelope, item: SealedItem, { openKeys }: PeerKeys): unknown {
  const context = contextOf(page, item);
  for (const key of openKeys) {
    const bytes = openItem(item, key, context);
    if (bytes !== undefined) return readBody(item, bytes);
  }
  throw new FederationDecryptError(`Cannot open the item ${item.id}: it was not sealed for this instance`);
}

/** Parses a body, which must be canonical JSON: two readers might understand any other text differently. */
function readBody({ id }: SealedItem, bytes: Uint8Array): unknown {
  if (bytes.length > ITEM_BYTES_MAX) throw refuse(`the item ${id} has more than ${ITEM_BYTES_MAX} bytes`);
  let value: unknown;
  try {
    value = parseJson(bytes);
    if (canonicalJson(value) === new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)) return value;
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause;
    throw new FederationVerifyError(`Cannot accept the page: the body of ${id} is not JSON`, { cause });
  }
  throw refuse(`the body of ${id} is not canonical JSON`);
}
