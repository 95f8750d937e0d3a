/** The messages by which two instances prove their identities to each other, and by which an invited instance joins. */
import { z } from "zod";
import { Id, Timestamp } from "./common.ts";
import { CertificatePin, InstanceEndpoint, InstanceId, PeerDirection, PublicKeyPem } from "./federation_peer.ts";
import { REGIONS } from "./regions.ts";

/** Optional features that an instance supports. A name that this build does not know is stored and ignored. */
const Capabilities = z.array(
  z.string().regex(/^[a-z0-9-]{1,40}$/, "must be a name of lower-case letters, digits and -"),
).max(32);
const Region = z.string().min(1).max(64).nullable();
const KeyId = z.string().regex(/^[0-9a-f]{16}$/, "must be 16 hex digits").optional().meta({
  description: "Left out, with the signature, by an instance without a key",
});
/** A SHA-256 in base64url, without padding. */
const Digest = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "must be a SHA-256 in base64url");
const Signature = z.string().regex(/^[A-Za-z0-9_-]{86}$/, "must be an Ed25519 signature in base64url").meta({
  description: "Ed25519, over `svc-fed-handshake-v1`, a line break and the canonical JSON of the other members",
});

const PARTIES = {
  v: z.literal(1),
  from: InstanceId,
  to: InstanceId,
  workspace: Id.meta({ description: "The workspace's id at the instance that is called" }),
};

export const Hello = z.strictObject({
  ...PARTIES,
  type: z.literal("hello"),
  nonce: z.string().regex(/^[A-Za-z0-9_-]{22,86}$/, "must be 16 to 64 bytes in base64url"),
  sentAt: Timestamp,
  region: Region,
  direction: PeerDirection,
  capabilities: Capabilities,
}).meta({ id: "HandshakeHello" });
export type Hello = z.infer<typeof Hello>;

export const Challenge = z.strictObject({
  ...PARTIES,
  type: z.literal("challenge"),
  hello: Digest.meta({ description: "SHA-256 of the hello as it was sent" }),
  nonce: Digest,
  expiresAt: Timestamp,
  region: Region,
  direction: PeerDirection,
  capabilities: Capabilities,
  time: Timestamp,
  youAre: z.strictObject({ address: z.string().nullable(), certificatePin: z.string().nullable() }).meta({
    description: "The address and the client certificate that the hello came with",
  }),
  keyId: KeyId,
  signature: Signature.optional(),
}).meta({ id: "HandshakeChallenge" });
export type Challenge = z.infer<typeof Challenge>;

export const Answer = z.strictObject({
  ...PARTIES,
  type: z.literal("answer"),
  nonce: Digest,
  expiresAt: Timestamp,
  hello: Digest,
  challenge: Digest.meta({ description: "SHA-256 of the challenge as it was received" }),
  keyId: KeyId,
  signature: Signature.optional(),
}).meta({ id: "HandshakeAnswer" });
export type Answer = z.infer<typeof Answer>;

export const Welcome = z.strictObject({
  ...PARTIES,
  type: z.literal("welcome"),
  state: z.enum(["HANDSHAKE", "ACTIVE", "DEGRADED"]),
  direction: PeerDirection,
}).meta({ id: "HandshakeWelcome" });
export type Welcome = z.infer<typeof Welcome>;

/** The invited instance sends this, with the API key of the invitation and a token signed by `signingPublicKey`. */
export const Join = z.strictObject({
  v: z.literal(1),
  type: z.literal("join"),
  invite: Id,
  from: InstanceId,
  endpoint: InstanceEndpoint,
  workspace: Id.meta({ description: "The workspace's id at the instance that joins" }),
  region: z.enum(REGIONS).nullable(),
  signingPublicKey: PublicKeyPem,
  certPin: CertificatePin,
  clientCertPin: CertificatePin.optional(),
  apiKey: z.string().regex(/^svc_live_[0-9A-Za-z]{61}$/, "must be an API key"),
  proof: Digest.meta({
    description: "HMAC-SHA-256 with the secret of the invitation over the canonical JSON of the other members",
  }),
}).meta({ id: "HandshakeJoin" });
export type Join = z.infer<typeof Join>;

export const Joined = z.strictObject({
  v: z.literal(1),
  type: z.literal("joined"),
  peer: InstanceId,
  state: z.literal("HANDSHAKE"),
}).meta({ id: "HandshakeJoined" });
export type Joined = z.infer<typeof Joined>;

export const HandshakeBody = z.discriminatedUnion("type", [Hello, Answer, Join]).meta({ id: "HandshakeBody" });
export type HandshakeBody = z.infer<typeof HandshakeBody>;
export const HandshakeReply = z.discriminatedUnion("type", [Challenge, Welcome, Joined]).meta({
  id: "HandshakeReply",
  description: "The next message of the handshake",
});
export type HandshakeReply = z.infer<typeof HandshakeReply>;
