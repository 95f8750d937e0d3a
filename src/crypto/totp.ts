/** Time-based one-time codes (RFC 6238): six digits, SHA-1, steps of 30 seconds, as in every authenticator app. */
import { Secret, TOTP } from "otpauth";
import { equalSecrets } from "./hash.ts";

const STEP_MS = 30_000;
/** Steps before and after the present one whose codes count, for clocks that differ. */
const WINDOW = 1;
const SECRET_BYTES = 20;

/** A new secret: 160 random bits in base 32. */
export function generateTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The URI that authenticator apps read, mostly from a QR code. */
export function totpUri(secret: string, name: string): string {
  return totpOf(secret, name).toString();
}

/** The code at a time. */
export function totpCode(secret: string, at: Date): string {
  return totpOf(secret).generate({ timestamp: at.getTime() });
}

/** The step of a code: the present one or one beside it; undefined if it matches none of them. */
export function matchTotp(secret: string, code: string, now: Date): number | undefined {
  const present = Math.floor(now.getTime() / STEP_MS);
  const totp = totpOf(secret);
  let found: number | undefined;
  // All are compared, even after a match.
  for (let step = present - WINDOW; step <= present + WINDOW; step++) {
    if (equalSecrets(totp.generate({ timestamp: step * STEP_MS }), code)) found = step;
  }
  return found;
}

function totpOf(secret: string, label = ""): TOTP {
  const period = STEP_MS / 1_000;
  return new TOTP({ issuer: "svc", label, algorithm: "SHA1", digits: 6, period, secret: Secret.fromBase32(secret) });
}
