/** Signatures of webhooks according to the Standard Webhooks specification, version 1.0.0. */
import { createHmac, randomBytes } from "node:crypto";
import type { SigningKey } from "./ed25519.ts";

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** Makes a secret: `whsec_` and the base64 of 32 random bytes. */
export function generateWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** The instance's public key in the form that receivers' libraries accept: `whpk_` and its base64. */
export function webhookPublicKey({ publicKey }: Pick<SigningKey, "publicKey">): string {
  return `whpk_${publicKey.toBase64()}`;
}

/** The parts of a message that the signature covers. */
export interface Signed {
  /** Holds no full stop. */
  readonly id: string;
  /** The time of the attempt, in seconds. */
  readonly timestamp: number;
  /** The bytes that are sent. */
  readonly body: Uint8Array;
}

/** Makes the headers of a message: a signature by each secret, in order, and one by the instance's key if it has one. */
export function webhookHeaders(
  { id, timestamp, body }: Signed,
  secrets: readonly string[],
  key: SigningKey | undefined,
): Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string> {
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const signatures = secrets.map((secret) => {
    const bytes = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
    return `v1,${createHmac("sha256", bytes).update(signed).digest("base64")}`;
  });
  if (key !== undefined) signatures.push(`v1a,${key.sign(signed).toBase64()}`);
  return { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": signatures.join(" ") };
}
