/** Signs webhooks as the Standard Webhooks specification (1.0.0) says. */
import { createHmac, randomBytes } from "node:crypto";
import type { SigningKey } from "./ed25519.ts";

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** Makes a new secret: `whsec_` and the base64 of 32 random bytes. */
export function generateWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** The instance's public key in the form that receivers expect: `whpk_` and base64. */
export function webhookPublicKey({ publicKey }: Pick<SigningKey, "publicKey">): string {
  return `whpk_${publicKey.toBase64()}`;
}

/** What a signature covers. */
export interface Signed {
  /** The id of the message; it holds no full stop. */
  readonly id: string;
  /** When this attempt is made, in seconds since 1970. */
  readonly timestamp: number;
  /** The body, byte for byte as it is sent. */
  readonly body: Uint8Array;
}

/**
 * Makes the headers of a message: one signature for each secret, in order, and one by the instance's key if there is
 * one.
 */
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
