/**
 * Peers are other instances with which a workspace exchanges knowledge. This file has the members of their entries, in
 * the configuration and over HTTP.
 */
import { z } from "zod";
import { Id, Sensitivity } from "./common.ts";
import { REGIONS } from "./regions.ts";

export const InstanceId = z.string().regex(/^instance:[a-z0-9][a-z0-9.:-]{0,252}$/, "must be instance:<host>").meta({
  id: "InstanceId",
  description: "The name of an instance: `instance:<host>`",
  examples: ["instance:b.example"],
});

/**
 * The base URL of an instance: `https`, host, port and path alone, without a slash at the end, so that a path can be
 * appended.
 */
export const InstanceEndpoint = z.string().max(2_000).refine(
  isEndpoint,
  "must be an https URL in its standard form, without credentials, query, fragment and slash at the end",
).meta({ format: "uri", examples: ["https://b.example"] });

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "") return false;
  // It must be what the URL standard's serialiser writes, because both sides put this text into tokens.
  return text === url.href.replace(/\/$/, "") && !/[?#]/.test(text) && !text.endsWith("/");
}

/** Base64 of 32 bytes. The last two bits of the last character carry no data and must be zero. */
const BYTES_32 = "[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=";

export const CertificatePin = z.string().regex(
  new RegExp(`^sha256/${BYTES_32}$`),
  "must be sha256/<base64 of 32 bytes>",
)
  .meta({
    description: "`sha256/<base64>`: the SHA-256 of a certificate's SPKI",
    examples: ["sha256/MG79lf3rKlNk29Hg26rKjk9nAKieH3kFRBkkJ5Ss/DA="],
  });
/** A key for AES-256-GCM. */
export const SymmetricKey = z.string().regex(new RegExp(`^${BYTES_32}$`), "must be base64 of 32 bytes");
/** Checks the form alone; `readPublicKey` checks whether it is an Ed25519 key that may be used. */
export const PublicKeyPem = z.string().max(1_000).regex(
  /^\s*-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*$/,
  "must be a public key in PEM",
);

export const PEER_DIRECTIONS = ["bidirectional", "push"] as const;
export const PeerDirection = z.enum(PEER_DIRECTIONS).meta({
  id: "PeerDirection",
  description: "`push`: this instance pushes, the peer only receives",
});
export type PeerDirection = z.infer<typeof PeerDirection>;

export const CONFLICT_RESOLUTIONS = ["theirs_wins", "ours_wins", "consensus", "manual"] as const;
export const ConflictResolution = z.enum(CONFLICT_RESOLUTIONS).meta({ id: "ConflictResolution" });
export type ConflictResolution = z.infer<typeof ConflictResolution>;

export const PEER_STATES = ["DISCOVERED", "HANDSHAKE", "ACTIVE", "DEGRADED"] as const;
export type PeerState = (typeof PEER_STATES)[number];

export const PEER_SOURCES = ["config", "stored", "srv"] as const;
export type PeerSource = (typeof PEER_SOURCES)[number];

/** The members of a peer's entry, in the configuration and in the body of a request. */
export const PEER_MEMBERS = {
  id: InstanceId,
  endpoint: InstanceEndpoint,
  /** The pin of its server's certificate, which may be self-signed. */
  certPin: CertificatePin.optional(),
  /** The pin of its next certificate. Both pins are accepted for 72 hours, then this one alone. */
  certPinNext: CertificatePin.optional(),
  /** The pin of the certificate that it presents as a client, if that differs from its server's. */
  clientCertPin: CertificatePin.optional(),
  direction: PeerDirection.default("bidirectional"),
  region: z.enum(REGIONS).optional(),
  /** The highest sensitivity that the peer may read. */
  maxSensitivity: Sensitivity.default("internal"),
  conflictResolution: ConflictResolution.default("manual"),
  /** The weight of its vote, 0 to 100; without one it has no vote. */
  trustWeight: z.number().int().min(0).max(100).optional(),
  /** The Ed25519 key that verifies its tokens and pages. */
  signingPublicKey: PublicKeyPem.optional(),
  signingPublicKeyNext: PublicKeyPem.optional(),
  /** The key that opens the items that it sealed. */
  symmetricKey: SymmetricKey.optional(),
  symmetricKeyNext: SymmetricKey.optional(),
  /** The key that seals the items served to this peer; default: `SVC_FEDERATION_SYMMETRIC_KEY`. */
  sealKey: SymmetricKey.optional(),
  /** The API key that this instance presents to the peer. */
  apiKey: z.string().regex(/^svc_live_[0-9A-Za-z]{61}$/, "must be an API key").optional(),
} as const;

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
/** The workspace's id if it is the same on both sides, else `<id here>=<id there>`. */
const WorkspacePair = z.string().regex(new RegExp(`^${UUID}(=${UUID})?$`), "must be a workspace id, or <here>=<there>")
  .transform((text) => {
    const [here = "", there = here] = text.split("=");
    return { here, there };
  });

/** The most peers of one workspace, which is the most that the configuration may name; and of all workspaces together. */
export const PEERS_PER_WORKSPACE_MAX = 32;
export const PEERS_PER_SERVICE_MAX = 256;

/** A peer as the configuration names it. */
export const ConfiguredPeerEntry = z.strictObject({
  ...PEER_MEMBERS,
  workspaces: z.array(WorkspacePair).min(1).max(1_000),
});
export type ConfiguredPeerEntry = z.output<typeof ConfiguredPeerEntry>;

/**
 * The query of an operation between instances: the workspace's id at the instance that is asked. A caller without an
 * API key must give it.
 */
export const PeerQuery = z.strictObject({ workspace: Id.optional() });

/** Members of an entry that need another member: a next key or pin needs a present one. */
export const NEXT_OF = {
  certPinNext: "certPin",
  signingPublicKeyNext: "signingPublicKey",
  symmetricKeyNext: "symmetricKey",
} as const;

/** How long both the present and the next key or pin are accepted; after that the next one alone is. */
export const OVERLAP_MS = 72 * 3_600_000;

/** The secrets of an entry. Each key has 32 bytes. */
export interface PeerSecrets {
  readonly symmetricKey: Uint8Array | undefined;
  readonly symmetricKeyNext: Uint8Array | undefined;
  readonly sealKey: Uint8Array | undefined;
  readonly apiKey: string | undefined;
}
