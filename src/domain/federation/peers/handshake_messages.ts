/**
 * Makes and checks the messages of a handshake. Pure: `greet.ts` and `handshake.ts` send and store.
 *
 * The called side keeps no state between challenge and answer. Its nonce holds a MAC over who may answer which hello,
 * and until when.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { canonicalJson } from "../../../crypto/canonical_json.ts";
import { type SigningKey, verifySignature } from "../../../crypto/ed25519.ts";
import { sha256 } from "../../../crypto/hash.ts";
import type { Answer, Challenge, Hello } from "../../../schema/federation_handshake.ts";
import type { ConflictResolution, PeerDirection } from "../../../schema/federation_peer.ts";
import { policyCapability } from "./convergence.ts";
import { PeerFault } from "./peer_fault.ts";

/** The optional features that this build supports. */
export const CAPABILITIES = ["digest-1", "plain-1", "push-1", "reply-token"] as const;
export type Capability = (typeof CAPABILITIES)[number];
/** The most that the clocks of two peers may differ, in milliseconds. */
const SKEW_MS_MAX = 30_000;

const CHALLENGE_MS = 60_000;
const SIGNED_AS = "svc-fed-handshake-v1\n";
const NONCE_HALF = 16;

/** A public key with which a peer may sign: the one in its entry, or during the overlap the next one. */
export interface PeerKey {
  readonly keyId: string;
  readonly publicKey: Uint8Array;
}

/** The sender, the receiver and the workspace of a message. */
export interface Parties {
  readonly from: string;
  readonly to: string;
  /** The workspace's id at the called side. */
  readonly workspace: string;
}

/** A side's statement about itself. */
export interface Introduction {
  readonly region: string | null;
  readonly direction: PeerDirection;
  /** How it settles contradictions with the other side. */
  readonly conflictResolution: ConflictResolution;
  /** Whether it signs its replies to the other side: it has a key, and knows the other side's. */
  readonly provesReplies: boolean;
}

/** The members of a message in which a side introduces itself. */
function introduce({ region, direction, conflictResolution, provesReplies }: Introduction) {
  const capabilities = CAPABILITIES.filter((name) => provesReplies || name !== "reply-token");
  return { region, direction, capabilities: [...capabilities, policyCapability(conflictResolution)] };
}

/** Encodes bytes as base64url without padding. */
export function toBase64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** The bytes of a message as they are sent. */
export function toBytes(message: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(canonicalJson(message));
}

/** The digest by which one message names another: base64url SHA-256 of the bytes that were sent. */
export function digestOf(bytes: Uint8Array): string {
  return toBase64url(sha256(bytes));
}

/** Makes the first message of a handshake. */
export function makeHello(parties: Parties, said: Introduction, now: Date): Hello {
  return {
    v: 1,
    type: "hello",
    ...parties,
    nonce: toBase64url(randomBytes(NONCE_HALF)),
    sentAt: now.toISOString(),
    ...introduce(said),
  };
}

/** What a challenge is made from. */
export interface ChallengeInput {
  /** The parties of the challenge: `from` is the called side. */
  readonly parties: Parties;
  readonly said: Introduction;
  /** The digest of the hello as it arrived. */
  readonly hello: string;
  readonly youAre: Challenge["youAre"];
  readonly now: Date;
  /** The deployment's secret for handshakes, 32 bytes; all its processes have the same. */
  readonly secret: Uint8Array;
  /** Undefined: this instance has no key, and the challenge is not signed. */
  readonly key: SigningKey | undefined;
}

/** Makes the reply to a hello. */
export function makeChallenge(
  { parties, said, hello, youAre, now, secret, key }: ChallengeInput,
): Challenge {
  const expiresAt = new Date(now.getTime() + CHALLENGE_MS).toISOString();
  const random = randomBytes(NONCE_HALF);
  const nonce = toBase64url(Buffer.concat([random, markOf(secret, random, { ...parties, hello, expiresAt })]));
  return sign({
    v: 1,
    type: "challenge",
    ...parties,
    hello,
    nonce,
    expiresAt,
    ...introduce(said),
    time: now.toISOString(),
    youAre,
  }, key);
}

/**
 * Checks the reply to our hello. Of a peer whose key is not known no signature is asked. Returns by how many milliseconds the
 * peer's clock is ahead of ours.
 * @param between when the hello was sent and when the challenge was received, by our clock
 * @throws PeerFault `handshake_failed`, `federation_verify_failed`
 */
export function checkChallenge(
  challenge: Challenge,
  { parties, hello, keys, between }: {
    /** The parties of the hello: `from` is this side. */
    readonly parties: Parties;
    /** The digest of the hello as it was sent. */
    readonly hello: string;
    readonly keys: readonly PeerKey[];
    readonly between: readonly [Date, Date];
  },
): number {
  const { from, to, workspace } = challenge;
  if (from !== parties.to || to !== parties.from || workspace !== parties.workspace || challenge.hello !== hello) {
    throw new PeerFault("handshake_failed", "The peer's challenge is not for our hello");
  }
  if (keys.length > 0 && !isSigned(challenge, keys)) {
    throw new PeerFault("federation_verify_failed", "The peer's challenge is not signed by the key in its entry");
  }
  const [sent, received] = between.map((time) => time.getTime());
  return Math.round(Date.parse(challenge.time) - (sent + received) / 2);
}

/**
 * The fault of a peer whose clock is more than 30 s off; undefined for any other. Its times could not tell which
 * version is newer.
 */
export function clockFault(skewMs: number): PeerFault | undefined {
  if (Math.abs(skewMs) <= SKEW_MS_MAX) return undefined;
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  return new PeerFault("clock", `The clocks are ${seconds} s apart: set the one that is wrong`);
}

/**
 * Makes the answer to a challenge.
 * @param raw the challenge as it was received
 * @param key undefined: this instance has none, and the answer is not signed
 */
export function makeAnswer(challenge: Challenge, raw: Uint8Array, key: SigningKey | undefined): Answer {
  const { from, to, workspace, nonce, expiresAt, hello } = challenge;
  return sign(
    { v: 1, type: "answer", from: to, to: from, workspace, nonce, expiresAt, hello, challenge: digestOf(raw) },
    key,
  );
}

/**
 * Whether an answer is signed by the peer, if its key is known, and answers a challenge of this deployment that has not
 * expired.
 */
export function isGoodAnswer(
  answer: Answer,
  { keys, secret, now }: { readonly keys: readonly PeerKey[]; readonly secret: Uint8Array; readonly now: Date },
): boolean {
  const { from, to, workspace, hello, expiresAt } = answer;
  const nonce = Uint8Array.fromBase64(answer.nonce, { alphabet: "base64url" });
  const [random, mark] = [nonce.slice(0, NONCE_HALF), nonce.slice(NONCE_HALF)];
  const ours = markOf(secret, random, { from: to, to: from, workspace, hello, expiresAt });
  return timingSafeEqual(ours, mark) && Date.parse(expiresAt) >= now.getTime() &&
    (keys.length === 0 || isSigned(answer, keys));
}

function markOf(
  secret: Uint8Array,
  random: Uint8Array,
  bound: Parties & { hello: string; expiresAt: string },
): Uint8Array {
  const { from, to, workspace, hello, expiresAt } = bound;
  const text = canonicalJson({ from, to, workspace, hello, expiresAt });
  return createHmac("sha256", secret).update(random).update(text).digest().subarray(0, NONCE_HALF);
}

function sign<T extends object>(message: T, key: SigningKey | undefined): T & { keyId?: string; signature?: string } {
  if (key === undefined) return message;
  const named = { ...message, keyId: key.keyId };
  return { ...named, signature: toBase64url(key.sign(signedBytes(named))) };
}

function isSigned({ signature, ...rest }: Challenge | Answer, keys: readonly PeerKey[]): boolean {
  const key = keys.find(({ keyId }) => keyId === rest.keyId);
  if (key === undefined || signature === undefined) return false;
  return verifySignature(Uint8Array.fromBase64(signature, { alphabet: "base64url" }), signedBytes(rest), key.publicKey);
}

function signedBytes(message: object): Uint8Array {
  return new TextEncoder().encode(SIGNED_AS + canonicalJson(message));
}
