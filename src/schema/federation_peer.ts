/** Peers: other instances that a workspace exchanges knowledge with. The members of their entries, in configuration and over HTTP. */
import { z } from "zod";
import { Id, Sensitivity } from "./common.ts";
import { REGIONS } from "./regions.ts";

export const InstanceId = z.string().regex(/^instance:[a-z0-9][a-z0-9.:-]{0,252}$/, "must be instance:<host>").meta({
  id: "InstanceId",
  description: "The name of an instance: `instance:<host>`",
  examples: ["instance:b.example"],
});

/**
 * Where an instance is called: `https` and nothing but host, port and path, without a slash at the end; so that a path can
 * be set behind it.
 */
export const InstanceEndpoint = z.string().max(2_000).refine(
  isEndpoint,
  "must be an https URL in its standard form, without credentials, query, fragment and slash at the end",
).meta({ format: "uri", examples: ["https://b.example"] });

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "") return false;
  // As the URL standard writes it, so that both sides of a token write the same.
  return text === url.href.replace(/\/$/, "") && !/[?#]/.test(text) && !text.endsWith("/");
}

/** The last character of 32 bytes in base64 holds two bits of nothing, which are zero. */
const BYTES_32 = "[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=";

export const CertificatePin = z.string().regex(
  new RegExp(`^sha256/${BYTES_32}$`),
  "must be sha256/<base64 of 32 bytes>",
)
  .meta({
    description: "`sha256/<base64>`: the SHA-256 of a certificate's SPKI",
    examples: ["sha256/MG79lf3rKlNk29Hg26rKjk9nAKieH3kFRBkkJ5Ss/DA="],
  });
/** A key of AES-256-GCM. */
export const SymmetricKey = z.string().regex(new RegExp(`^${BYTES_32}$`), "must be base64 of 32 bytes");
/** Which point the key is, and whether it is one that signs, is looked at where keys are read. */
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

/** What an entry says of a peer, wherever it stands: in the configuration, in a body, in an invitation. */
export const PEER_MEMBERS = {
  id: InstanceId,
  endpoint: InstanceEndpoint,
  /** Of its server's certificate; a self-signed one will do. */
  certPin: CertificatePin.optional(),
  /** Of the certificate that comes next: both are good for 72 hours. */
  certPinNext: CertificatePin.optional(),
  /** Of the certificate that it presents as a client, where that is another one. */
  clientCertPin: CertificatePin.optional(),
  direction: PeerDirection.default("bidirectional"),
  region: z.enum(REGIONS).optional(),
  /** The most sensitive that it gets. */
  maxSensitivity: Sensitivity.default("internal"),
  conflictResolution: ConflictResolution.default("manual"),
  /** 0 to 100; without one it has no vote. */
  trustWeight: z.number().int().min(0).max(100).optional(),
  /** Ed25519: verifies its tokens and its pages. */
  signingPublicKey: PublicKeyPem.optional(),
  signingPublicKeyNext: PublicKeyPem.optional(),
  /** Opens what it sealed. */
  symmetricKey: SymmetricKey.optional(),
  symmetricKeyNext: SymmetricKey.optional(),
  /** Seals what this peer is served; default: `SVC_FEDERATION_SYMMETRIC_KEY`. */
  sealKey: SymmetricKey.optional(),
  /** What this instance presents there. */
  apiKey: z.string().regex(/^svc_live_[0-9A-Za-z]{61}$/, "must be an API key").optional(),
} as const;

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
/** An id that the workspace has on both sides, or `<id here>=<id there>`. */
const WorkspacePair = z.string().regex(new RegExp(`^${UUID}(=${UUID})?$`), "must be a workspace id, or <here>=<there>")
  .transform((text) => {
    const [here = "", there = here] = text.split("=");
    return { here, there };
  });

/** Peers that one workspace may have; and all workspaces together, where one that several have counts once. */
export const PEERS_PER_WORKSPACE_MAX = 32;
export const PEERS_PER_SERVICE_MAX = 256;

/** An entry of the configuration. */
export const ConfiguredPeerEntry = z.strictObject({
  ...PEER_MEMBERS,
  workspaces: z.array(WorkspacePair).min(1).max(1_000),
});
export type ConfiguredPeerEntry = z.output<typeof ConfiguredPeerEntry>;

/**
 * What the query of an operation between instances names: the workspace, as the instance that is asked calls it. A caller
 * without an API key has to name it there.
 */
export const PeerQuery = z.strictObject({ workspace: Id.optional() });

/** Members of an entry that mean nothing without another one. */
export const NEXT_OF = {
  certPinNext: "certPin",
  signingPublicKeyNext: "signingPublicKey",
  symmetricKeyNext: "symmetricKey",
} as const;

/** For how long both a key or pin and the one that comes next are good; then only the next. */
export const OVERLAP_MS = 72 * 3_600_000;

/** The secrets of an entry; 32 bytes each but for the API key. */
export interface PeerSecrets {
  readonly symmetricKey: Uint8Array | undefined;
  readonly symmetricKeyNext: Uint8Array | undefined;
  readonly sealKey: Uint8Array | undefined;
  readonly apiKey: string | undefined;
}
