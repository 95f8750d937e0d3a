/** Peers over HTTP: the resource, and the bodies that add and approve one. */
import { z } from "zod";
import { Id, ListQuery, pageOf, Sensitivity, Timestamp } from "./common.ts";
import {
  ConfiguredPeerEntry,
  ConflictResolution,
  InstanceEndpoint,
  InstanceId,
  PEER_MEMBERS,
  PEER_SOURCES,
  PEER_STATES,
  PeerDirection,
} from "./federation_peer.ts";

export const Peer = z.strictObject({
  id: InstanceId,
  uid: Id.meta({ description: "Its id in the change feed and in the audit log" }),
  version: z.int().min(1).meta({
    description:
      "Increases by one with each change of its entry, such as its approval. It stays as it is when the peer's state changes. Send it as `If-Match`",
  }),
  endpoint: InstanceEndpoint,
  state: z.enum(PEER_STATES),
  stale: z.boolean().meta({ description: "No exchange has succeeded for 24 hours" }),
  approved: z.boolean(),
  source: z.enum(PEER_SOURCES).meta({ description: "Where its entry comes from: the configuration, a person or DNS" }),
  direction: PeerDirection,
  workspaces: z.array(z.string()).meta({ description: "The workspace, or `<id here>=<id there>`" }),
  region: z.string().nullable().meta({
    description: "That of its entry, else the one that it told in a handshake. Null: neither is known",
  }),
  maxSensitivity: Sensitivity,
  conflictResolution: ConflictResolution,
  converges: z.boolean().nullable().meta({
    description:
      "Whether both sides come to show the same, by their policies, for `manual` and `consensus` once people have " +
      "settled what is contested. Null: the peer has not told its policy in a handshake",
  }),
  trustWeight: z.int().nullable(),
  signed: z.boolean().meta({ description: "Whether its entry has a key that verifies what it sends" }),
  sealed: z.boolean().nullable().meta({
    description:
      "Whether this instance accepts only sealed and signed pages from it. Null: `SVC_SECRETS_KEY` does not open the secrets of its entry",
  }),
  warnings: z.array(z.string()).meta({
    description: "What is missing for more trust, such as keys. The exchange goes on without it",
  }),
  keyIds: z.array(z.string()).meta({ description: "Ids of the keys that verify its signatures now" }),
  certificate: z.strictObject({
    pin: z.string(),
    matches: z.boolean().nullable().meta({ description: "Whether its key is a pinned one; null: no key is pinned" }),
    expiresAt: Timestamp,
    seenAt: Timestamp,
  }).nullable(),
  contactAt: Timestamp.nullable(),
  successAt: Timestamp.nullable(),
  levelAt: Timestamp.nullable().meta({ description: "When both sides last had the same items" }),
  lagSeconds: z.number().nullable(),
  skewMs: z.int().nullable().meta({ description: "By how many milliseconds its clock is ahead of this instance's" }),
  failures: z.int(),
  nextAttemptAt: Timestamp.nullable(),
  lastError: z.strictObject({ code: z.string(), message: z.string(), at: Timestamp }).nullable(),
  counts: z.record(z.string(), z.number()),
  reconciliation: z.strictObject({ at: Timestamp, equal: z.boolean(), differences: z.number() }).nullable(),
  erasuresPending: z.int().meta({ description: "How many notices of erasure it has not acknowledged" }),
  found: z.strictObject({ seen: Timestamp, priority: z.int(), weight: z.int() }).nullable().meta({
    description: "What DNS says about a discovered peer; null for any other",
  }),
}).meta({ id: "Peer", description: "A peer and its state" });
export type Peer = z.infer<typeof Peer>;

export const ListPeersQuery = ListQuery.extend({
  order: z.enum(["asc", "desc"]).default("asc").meta({ description: "By `id`" }),
});
export type ListPeersQuery = z.infer<typeof ListPeersQuery>;
export const PeerList = pageOf(Peer).meta({ id: "PeerList" });

export const PeerParams = z.strictObject({ id: InstanceId });

/** The members of a configured entry. The peer is added to the caller's workspace. */
export const AddPeerBody = ConfiguredPeerEntry.extend({
  workspaces: ConfiguredPeerEntry.shape.workspaces.max(1).optional().meta({
    description: "The workspace of the key, or `<its id here>=<its id there>`; default: the same id on both sides",
  }),
  inboundKeyId: Id.optional().meta({
    description:
      "Id of the API key that was issued to the peer. From now on the key works only together with the peer's token",
  }),
}).meta({ id: "AddPeerBody" });
export type AddPeerBody = z.output<typeof AddPeerBody>;

/** What the approver sets in a peer's entry. A member that is left out keeps its value. */
export const ApprovePeerBody = z.strictObject({
  certPin: PEER_MEMBERS.certPin,
  signingPublicKey: PEER_MEMBERS.signingPublicKey,
  symmetricKey: PEER_MEMBERS.symmetricKey,
  apiKey: PEER_MEMBERS.apiKey,
  direction: PeerDirection.optional(),
  maxSensitivity: Sensitivity.optional(),
  conflictResolution: ConflictResolution.optional(),
  trustWeight: PEER_MEMBERS.trustWeight,
  region: PEER_MEMBERS.region,
  remoteWorkspaceId: Id.optional().meta({ description: "The id of the workspace at the peer" }),
}).meta({ id: "ApprovePeerBody" });
export type ApprovePeerBody = z.output<typeof ApprovePeerBody>;

export const RemovedPeer = z.strictObject({ id: InstanceId, removed: z.literal(true) }).meta({
  id: "RemovedPeer",
  description: "The peer that was removed",
});
