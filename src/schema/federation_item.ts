/**
 * The wire format of the exchange: items, their bodies, and the envelope that carries a page of items. Other instances
 * send all of this, so the schemas refuse unknown members, and a reader believes only what the signature and the hash
 * cover.
 */
import { z } from "zod";
import {
  commaList,
  Id,
  JsonObject,
  ListQuery,
  Metadata,
  pageOf,
  SealedTags,
  Sensitivity,
  Share,
  Timestamp,
  wholeNumber,
} from "./common.ts";
import { InstanceId } from "./federation_peer.ts";
import { LINKS_MAX, UNIT_TYPES, type UnitType } from "./unit.ts";

/**
 * The types of items that instances exchange. Sessions, turns, tasks, events, reviews, reasoning and playbooks stay.
 */
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
  description: "The type of an item; with `:deleted` at the end the item was erased",
});

/** Splits a wire type into the type of the item and whether the item was erased. */
export function readWireType(type: WireType): { readonly type: ItemType; readonly isDeleted: boolean } {
  const isDeleted = type.endsWith(DELETED);
  return { type: (isDeleted ? type.slice(0, -DELETED.length) : type) as ItemType, isDeleted };
}

/** The wire type of an item. */
export function toWireType(type: ItemType, isDeleted: boolean): WireType {
  return isDeleted ? `${type}${DELETED}` : type;
}

const INSTANCE = /^instance:[a-z0-9][a-z0-9.:-]{0,252}$/;

/** Whether a text is the id of an instance. The origin that an imported foreign file names is not one. */
export function isInstanceId(text: string): boolean {
  return INSTANCE.test(text);
}

const REFERENCE =
  /^(instance:[a-z0-9][a-z0-9.:-]{0,252})\/([0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})$/;

/** The name of an item, the same on all instances: the instance where it began, and its id there. */
export interface ItemName {
  readonly instance: string;
  readonly id: string;
}

/** Writes the reference by which one item names another: `instance:a.example/0199…`. */
export function writeReference({ instance, id }: ItemName): string {
  return `${instance}/${id}`;
}

/** Reads the item that a reference names; undefined for a text that is no reference. */
export function readReference(text: string): ItemName | undefined {
  const match = REFERENCE.exec(text);
  return match === null ? undefined : { instance: match[1]!, id: match[2]! };
}

/** The most entities that one item may name, and the most writers that the `seen` of one version may name. */
const ENTITIES_MAX = 1_000;
export const WRITERS_MAX = 256;
/** The most bytes that the canonical JSON of a body may have. */
export const ITEM_BYTES_MAX = 262_144;
export const PAGE_ITEMS_MAX = 500;
export const PAGE_ITEMS_DEFAULT = 200;
/** The most bytes of all bodies of a page together, and of a whole page as it is sent. */
export const PAGE_BODIES_BYTES_MAX = 4_194_304;
export const PAGE_BYTES_MAX = 8_388_608;
/** The most ids that one request may ask for. */
export const IDS_MAX = 200;
/** A receiver refuses a version that exceeds the item's highest known version by more than this. */
export const VERSION_JUMP_MAX = 100;
/** The highest version number: the largest value of the database's column. */
export const VERSION_MAX = 2_147_483_647;

export const ItemVersion = z.int().min(1).max(VERSION_MAX);
export const ItemHash = z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex");
const Seen = z.record(InstanceId, ItemVersion).refine(
  (seen) => Object.keys(seen).length <= WRITERS_MAX,
  `must name at most ${WRITERS_MAX} writers`,
);
const Origin = z.strictObject({ instance: InstanceId, id: Id });

/** The body of a version of an item: everything that the version says. */
export const ItemBody = z.strictObject({
  v: z.literal(1),
  origin: Origin.meta({ description: "Where the item began, and its id there" }),
  writer: InstanceId.meta({ description: "The instance that published this version" }),
  version: ItemVersion,
  updatedAt: Timestamp,
  seen: Seen.meta({ description: "For each other writer: its latest version that this version's writer knew" }),
  affirms: z.enum(["kept", "taken"]).nullable().meta({
    description:
      "`kept` or `taken`: by policy the writer kept its own content, or took another's. Null: somebody wrote it",
  }),
  unit: JsonObject.meta({ id: "FederationUnit", type: "object", additionalProperties: true }).nullable().meta({
    description: "The content, in the members of the item's type. Null: the item was erased or withdrawn",
  }),
  withdrawn: z.literal(true).optional().meta({ description: "The writer no longer offers the item to this peer" }),
}).refine((body) => body.withdrawn === undefined || body.unit === null, {
  message: "must be null when the item is withdrawn",
  path: ["unit"],
}).meta({ id: "FederationItemBody" });
export type ItemBody = z.infer<typeof ItemBody>;

/** The members of an item that can be read without a key. */
const header = { id: Id, type: WireType, version: ItemVersion, hash: ItemHash };

/** Base64 in either alphabet, padded or not. */
const Base64 = z.string().regex(/^[A-Za-z0-9+/_-]*={0,2}$/, "must be base64");
/** The most characters of `sealed`: ciphertext and tag in base64. */
const SEALED_LENGTH_MAX = Math.ceil((ITEM_BYTES_MAX + 16) / 3) * 4;

export const SealedItem = z.strictObject({
  ...header,
  nonce: Base64.max(64).meta({ description: "12 bytes" }),
  sealed: Base64.max(SEALED_LENGTH_MAX).meta({ description: "AES-256-GCM of the body: ciphertext and tag" }),
}).meta({ id: "FederationSealedItem" });
export type SealedItem = z.infer<typeof SealedItem>;

export const PlainItem = z.strictObject({ ...header, body: ItemBody }).meta({ id: "FederationPlainItem" });
export type PlainItem = z.infer<typeof PlainItem>;

/** The only form in which items are sent to another region. */
export const ProjectedItem = z.strictObject({
  factId: Id,
  hash: ItemHash.meta({ description: "A keyed hash: it shows that the fact changed, and nothing of its content" }),
  region: z.string().min(1).max(64),
}).meta({ id: "FederationProjectedItem" });
export type ProjectedItem = z.infer<typeof ProjectedItem>;

/** The receiver of a page: a peer, or the holder of an API key that belongs to no peer. */
export const Addressee = z.union([InstanceId, z.string().regex(/^key:[A-Za-z0-9-]{1,64}$/, "must be key:<id>")]).meta({
  id: "FederationAddressee",
});

export const SEALED_ALG = "Ed25519+A256GCM";

export const Envelope = z.strictObject({
  v: z.literal(1),
  from: InstanceId,
  to: Addressee,
  workspace: Id.meta({ description: "The workspace's id at the instance that serves" }),
  region: z.string().min(1).max(64).nullable(),
  issuedAt: Timestamp,
  keyId: z.string().regex(/^[0-9a-f]{16}$/, "must be 16 hex digits").optional().meta({
    description: "The key that signed",
  }),
  alg: z.literal(SEALED_ALG).optional(),
  cursor: z.string().min(1).max(1_000).nullable().meta({
    description:
      "The `since` of the next request. At the end it equals the `since` of this one. Null when `ids` were asked for",
  }),
  items: z.union([
    z.array(SealedItem).max(PAGE_ITEMS_MAX),
    z.array(PlainItem).max(PAGE_ITEMS_MAX),
    z.array(ProjectedItem).max(PAGE_ITEMS_MAX),
  ]),
  signature: Base64.max(128).optional().meta({
    description: "Ed25519 over the SHA-256 of the canonical JSON of `items`",
  }),
}).meta({ id: "FederationEnvelope", description: "Items for the peer, sealed for it" });
export type Envelope = z.infer<typeof Envelope>;

/** The members that the shared forms of all types of units have; the members of the type stand beside them. */
export const SharedMembers = z.looseObject({
  state: z.string().min(1).max(50),
  sensitivity: Sensitivity,
  confidence: Share,
  tags: SealedTags,
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

/** The query parameter that names the workspace, by its id at the instance that serves. */
const Workspace = Id.optional().meta({ description: "Default: the workspace of the key. Any other id answers 404" });

export const ListFederationItemsQuery = z.strictObject({
  workspace: Workspace,
  since: z.string().min(1).max(1_000).optional().meta({
    description: "`cursor` of the page before; default: from the start",
  }),
  limit: wholeNumber(1, PAGE_ITEMS_MAX).default(PAGE_ITEMS_DEFAULT),
  ids: commaList(Id, IDS_MAX).optional().meta({
    description:
      `Instead of \`since\`: the items with these ids, whatever their origin, separated by commas; up to ${IDS_MAX}`,
  }),
  atMost: wholeNumber(1, VERSION_MAX).optional().meta({
    description:
      "With `ids`: the highest version number under which they are served; a reader reaches a higher one in steps",
  }),
  form: z.literal("plain").optional().meta({
    description:
      "Sent by a peer that has no keys to open sealed items. It has no effect if both keys of the peer, or a key for sealing what it gets, are configured here",
  }),
}).refine((query) => query.ids === undefined || query.since === undefined, {
  message: "cannot be combined with since",
  path: ["ids"],
}).refine((query) => query.atMost === undefined || query.ids !== undefined, { message: "needs ids", path: ["atMost"] });
export type ListFederationItemsQuery = z.infer<typeof ListFederationItemsQuery>;

/** The most prefixes that one request may ask for. */
const PREFIXES_MAX = 500;

export const FederationDigestQuery = z.strictObject({
  workspace: Workspace,
  side: z.enum(["served", "held"]).default("served").meta({
    description: "`served`: the items that this instance offers you. `held`: your items that it holds; for peers only",
  }),
  prefix: commaList(z.string().regex(/^[0-9a-f]{0,4}$/, "must be 0 to 4 hex digits"), PREFIXES_MAX).default([""]).meta({
    description:
      `The nodes to return, by the first hex digits of the items' keys, separated by commas; four digits list the entries themselves. Up to ${PREFIXES_MAX}. Default: the root`,
  }),
  depth: wholeNumber(1, 2).default(1).meta({ description: "How many levels below its node the children are" }),
});
export type FederationDigestQuery = z.infer<typeof FederationDigestQuery>;

const NodeHead = { prefix: z.string(), count: z.int().min(0), digest: ItemHash };
const DigestNode = z.strictObject({
  ...NodeHead,
  children: z.array(z.strictObject(NodeHead)).meta({ description: "Empty children are left out" }),
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
  epoch: Id.meta({ description: "Names this record of publications; a position of another epoch is not valid" }),
  seq: z.int().min(0),
  total: z.int().min(0),
  nodes: z.array(z.union([DigestNode, DigestBucket])).meta({ description: "In the order of the request" }),
}).meta({ id: "FederationDigest", description: "What this instance holds, as hashes to compare" });
export type FederationDigest = z.infer<typeof FederationDigest>;

export const RemoteFact = z.strictObject({
  peer: InstanceId,
  factId: Id,
  hash: ItemHash,
  region: z.string(),
  seenAt: Timestamp,
}).meta({
  id: "RemoteFact",
  description: "A fact that another region holds. Its id and a keyed hash are known here, nothing else",
});
export type RemoteFact = z.infer<typeof RemoteFact>;
export const RemoteFactPage = pageOf(RemoteFact).meta({ id: "RemoteFactPage" });

export const ListRemoteFactsQuery = ListQuery.extend({
  order: z.enum(["asc", "desc"]).default("asc").meta({ description: "By `peer` and `factId`" }),
  peer: InstanceId.optional().meta({ description: "Only facts that this peer sent" }),
});
export type ListRemoteFactsQuery = z.infer<typeof ListRemoteFactsQuery>;
