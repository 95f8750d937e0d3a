/**
 * What instances tell each other of their knowledge: items, their bodies, and the envelope that carries a page of them.
 * Everything here comes from outside when it is read: nothing unknown is accepted, and nothing is believed that the
 * signature and the hash do not cover.
 */
import { z } from "zod";
import {
  commaList,
  Id,
  JsonObject,
  Metadata,
  pageOf,
  Sensitivity,
  Share,
  Tags,
  Timestamp,
  wholeNumber,
} from "./common.ts";
import { InstanceId } from "./federation_peer.ts";
import { LINKS_MAX, UNIT_TYPES, type UnitType } from "./unit.ts";

/** The types that travel. Sessions, turns, tasks, events, reviews and what was learnt from runs stay where they are. */
export type ItemType = UnitType | "relation";
export const ITEM_TYPES = [...UNIT_TYPES, "relation"] as const;
const DELETED = ":deleted";
export type WireType = ItemType | `${ItemType}${typeof DELETED}`;
const WIRE_TYPES = [...ITEM_TYPES, ...ITEM_TYPES.map((type) => `${type}${DELETED}` as const)] as [
  WireType,
  ...WireType[],
];
export const WireType = z.enum(WIRE_TYPES).meta({
  id: "FederationItemType",
  description: "A type of knowledge, or that of something that was erased",
});

/** The type of an item on the wire, taken apart. */
export function readWireType(type: WireType): { readonly type: ItemType; readonly isDeleted: boolean } {
  const isDeleted = type.endsWith(DELETED);
  return { type: (isDeleted ? type.slice(0, -DELETED.length) : type) as ItemType, isDeleted };
}

export function toWireType(type: ItemType, isDeleted: boolean): WireType {
  return isDeleted ? `${type}${DELETED}` : type;
}

const INSTANCE = /^instance:[a-z0-9][a-z0-9.:-]{0,252}$/;

/** Whether a text is the id of an instance; what a foreign file names as the origin of its lines is none. */
export function isInstanceId(text: string): boolean {
  return INSTANCE.test(text);
}

const REFERENCE =
  /^(instance:[a-z0-9][a-z0-9.:-]{0,252})\/([0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})$/;

/** An item, wherever it is: where it began, and its id there. */
export interface ItemName {
  readonly instance: string;
  readonly id: string;
}

/** `instance:a.example/0199…`: how an item names another one. */
export function writeReference({ instance, id }: ItemName): string {
  return `${instance}/${id}`;
}

/** The item that a reference names; undefined for a text that is none. */
export function readReference(text: string): ItemName | undefined {
  const match = REFERENCE.exec(text);
  return match === null ? undefined : { instance: match[1]!, id: match[2]! };
}

/** Entities that the author of an item may name, and writers that one version may have seen. */
const ENTITIES_MAX = 1_000;
export const WRITERS_MAX = 256;
/** The canonical text of a body, in bytes. */
export const ITEM_BYTES_MAX = 262_144;
export const PAGE_ITEMS_MAX = 500;
export const PAGE_ITEMS_DEFAULT = 200;
/** Of the bodies of a page, and of a page on the wire. */
export const PAGE_BODIES_BYTES_MAX = 4_194_304;
export const PAGE_BYTES_MAX = 8_388_608;
/** Ids that can be asked for at once. */
export const IDS_MAX = 200;
/** A version that is higher than the highest known one by more than this is refused. */
export const VERSION_JUMP_MAX = 100;
/** No writer gets further: versions fit the column. */
export const VERSION_MAX = 2_147_483_647;

export const ItemVersion = z.int().min(1).max(VERSION_MAX);
export const ItemHash = z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex");
const Seen = z.record(InstanceId, ItemVersion).refine(
  (seen) => Object.keys(seen).length <= WRITERS_MAX,
  `must name at most ${WRITERS_MAX} writers`,
);
const Origin = z.strictObject({ instance: InstanceId, id: Id });

/** What a version of an item says, whole. */
export const ItemBody = z.strictObject({
  v: z.literal(1),
  origin: Origin.meta({ description: "Where the item began, and its id there" }),
  writer: InstanceId.meta({ description: "Who published this version" }),
  version: ItemVersion,
  updatedAt: Timestamp,
  seen: Seen.meta({ description: "Of each other writer, the last version that this one was made with knowledge of" }),
  affirms: z.enum(["kept", "taken"]).nullable().meta({
    description: "What the writer settled on by policy; null for what somebody said",
  }),
  unit: JsonObject.meta({ id: "FederationUnit", type: "object", additionalProperties: true }).nullable().meta({
    description: "What it says, in the members of its type. Null: it was erased, or is withdrawn",
  }),
  withdrawn: z.literal(true).optional().meta({ description: "It is no longer offered to this peer" }),
}).refine((body) => body.withdrawn === undefined || body.unit === null, {
  message: "must be null in what is withdrawn",
  path: ["unit"],
}).meta({ id: "FederationItemBody" });
export type ItemBody = z.infer<typeof ItemBody>;

/** What is legible of an item without a key. */
const header = { id: Id, type: WireType, version: ItemVersion, hash: ItemHash };

/** Base64 in either alphabet, padded or not. */
const Base64 = z.string().regex(/^[A-Za-z0-9+/_-]*={0,2}$/, "must be base64");
/** Ciphertext and tag, a third more as text. */
const SEALED_LENGTH_MAX = Math.ceil((ITEM_BYTES_MAX + 16) / 3) * 4;

export const SealedItem = z.strictObject({
  ...header,
  nonce: Base64.max(64).meta({ description: "12 bytes" }),
  sealed: Base64.max(SEALED_LENGTH_MAX).meta({ description: "AES-256-GCM of the body: ciphertext and tag" }),
}).meta({ id: "FederationSealedItem" });
export type SealedItem = z.infer<typeof SealedItem>;

export const PlainItem = z.strictObject({ ...header, body: ItemBody }).meta({ id: "FederationPlainItem" });
export type PlainItem = z.infer<typeof PlainItem>;

/** All that crosses the border of a region. */
export const ProjectedItem = z.strictObject({
  factId: Id,
  hash: ItemHash.meta({ description: "A keyed hash: it shows that the fact changed, and nothing about what it says" }),
  region: z.string().min(1).max(64),
}).meta({ id: "FederationProjectedItem" });
export type ProjectedItem = z.infer<typeof ProjectedItem>;

/** The addressee: a peer, or a key that asks for itself. */
export const Addressee = z.union([InstanceId, z.string().regex(/^key:[A-Za-z0-9-]{1,64}$/)]).meta({
  id: "FederationAddressee",
});

export const SEALED_ALG = "Ed25519+A256GCM";

export const Envelope = z.strictObject({
  v: z.literal(1),
  from: InstanceId,
  to: Addressee,
  workspace: Id.meta({ description: "The id at the instance that serves" }),
  region: z.string().min(1).max(64).nullable(),
  issuedAt: Timestamp,
  keyId: z.string().regex(/^[0-9a-f]{16}$/).optional().meta({ description: "The key that signed" }),
  alg: z.literal(SEALED_ALG).optional(),
  cursor: z.string().min(1).max(1_000).nullable().meta({
    description:
      "What to ask for next as `since`; the same as was asked with at the end. Null where ids were asked for",
  }),
  items: z.union([
    z.array(SealedItem).max(PAGE_ITEMS_MAX),
    z.array(PlainItem).max(PAGE_ITEMS_MAX),
    z.array(ProjectedItem).max(PAGE_ITEMS_MAX),
  ]),
  signature: Base64.max(128).optional().meta({
    description: "Ed25519 over the SHA-256 of the canonical JSON of `items`",
  }),
}).meta({ id: "FederationEnvelope" });
export type Envelope = z.infer<typeof Envelope>;

/** Members that every knowledge unit shares; those of its type stand beside them. */
export const SharedMembers = z.looseObject({
  state: z.string().min(1).max(50),
  sensitivity: Sensitivity,
  confidence: Share,
  tags: Tags,
  metadata: Metadata,
  validFrom: Timestamp.nullable(),
  validTo: Timestamp.nullable(),
  occurredAt: Timestamp.nullable(),
  expiresAt: Timestamp.nullable(),
  derivedFrom: z.array(z.string()).max(LINKS_MAX),
  entities: z.array(z.string()).max(ENTITIES_MAX),
}).refine((unit) => unit.validFrom === null || unit.validTo === null || unit.validFrom <= unit.validTo, {
  message: "must not be before validFrom",
  path: ["validTo"],
});
export type SharedMembers = z.infer<typeof SharedMembers>;
export const SHARED_MEMBERS: ReadonlySet<string> = new Set(Object.keys(SharedMembers.shape));

/** Query parameters of every request between instances: which workspace of the instance that serves. */
const Workspace = Id.optional().meta({ description: "Default: the workspace of the key. Another one is not found" });

export const ListFederationItemsQuery = z.strictObject({
  workspace: Workspace,
  since: z.string().min(1).max(1_000).optional().meta({
    description: "`cursor` of the page before; default: from the start",
  }),
  limit: wholeNumber(1, PAGE_ITEMS_MAX).default(PAGE_ITEMS_DEFAULT),
  ids: commaList(Id, IDS_MAX).optional().meta({
    description: `Instead of \`since\`: these items, of whatever origin, with commas between them; up to ${IDS_MAX}`,
  }),
  atMost: wholeNumber(1, VERSION_MAX).optional().meta({
    description: "With `ids`: the highest version under which they are told; a reader comes up to a high one in steps",
  }),
}).refine((query) => query.ids === undefined || query.since === undefined, {
  message: "cannot stand beside since",
  path: ["ids"],
}).refine((query) => query.atMost === undefined || query.ids !== undefined, { message: "needs ids", path: ["atMost"] });
export type ListFederationItemsQuery = z.infer<typeof ListFederationItemsQuery>;

/** Prefixes that can be asked for at once. */
const PREFIXES_MAX = 500;

export const FederationDigestQuery = z.strictObject({
  workspace: Workspace,
  side: z.enum(["served", "held"]).default("served").meta({
    description: "`served`: what this instance offers you. `held`: what it has of you; for peers only",
  }),
  prefix: commaList(z.string().regex(/^[0-9a-f]{0,4}$/, "must be 0 to 4 hex digits"), PREFIXES_MAX).default([""]).meta({
    description:
      `Nodes by the first digits of their keys, with commas between them; four digits list the entries. Up to ${PREFIXES_MAX}. Default: the root`,
  }),
  depth: wholeNumber(1, 2).default(1).meta({ description: "How many levels deeper the children stand" }),
});
export type FederationDigestQuery = z.infer<typeof FederationDigestQuery>;

const NodeHead = { prefix: z.string(), count: z.int().min(0), digest: ItemHash };
const DigestNode = z.strictObject({
  ...NodeHead,
  children: z.array(z.strictObject(NodeHead)).meta({ description: "Empty ones are left out" }),
});
const DigestBucket = z.strictObject({
  prefix: z.string(),
  items: z.array(
    z.strictObject({ id: Id, instance: InstanceId, type: WireType, version: ItemVersion, hash: ItemHash }),
  ),
});
export const FederationDigest = z.strictObject({
  v: z.literal(1),
  from: InstanceId,
  to: Addressee,
  workspace: Id,
  side: z.enum(["served", "held"]),
  epoch: Id.meta({ description: "Another one after a restore: positions of the old one mean nothing" }),
  seq: z.int().min(0),
  total: z.int().min(0),
  nodes: z.array(z.union([DigestNode, DigestBucket])).meta({ description: "In the order of the request" }),
}).meta({ id: "FederationDigest" });
export type FederationDigest = z.infer<typeof FederationDigest>;

export const RemoteFact = z.strictObject({
  peer: InstanceId,
  factId: Id,
  hash: ItemHash,
  region: z.string(),
  seenAt: Timestamp,
}).meta({ id: "RemoteFact", description: "A fact of another region, known by its id and a keyed hash alone" });
export type RemoteFact = z.infer<typeof RemoteFact>;
export const RemoteFactPage = pageOf(RemoteFact).meta({ id: "RemoteFactPage" });

export const ListRemoteFactsQuery = z.strictObject({
  limit: wholeNumber(1, 200).default(50).meta({ description: "Page size" }),
  cursor: z.string().min(1).max(1_000).optional().meta({ description: "`nextCursor` of the previous page" }),
  peer: InstanceId.optional().meta({ description: "Facts that this peer told" }),
});
export type ListRemoteFactsQuery = z.infer<typeof ListRemoteFactsQuery>;
