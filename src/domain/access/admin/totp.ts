/** Sets up and checks one-time codes of admins; each code counts once. docs/reference/guarantees.md T21. */
import type { Deps } from "../../../context.ts";
import { openText, sealText } from "../../../crypto/sealed_text.ts";
import { generateTotpSecret, matchTotp } from "../../../crypto/totp.ts";
import * as admins from "../../../db/queries/admins.ts";
import { ServiceError } from "../../../errors.ts";
import { systemTx } from "./authenticate.ts";

/** Makes a new secret, and its stored form: sealed under SVC_ADMIN_TOTP_KEY, bound to its admin. */
export function createTotpSecret(deps: Deps, adminId: string): { readonly secret: string; readonly sealed: string } {
  const secret = generateTotpSecret();
  return { secret, sealed: sealText(secret, requireKey(deps), contextOf(adminId)) };
}

/**
 * Accepts a code once. It runs before the operation's transaction, so that its records stay even if the operation
 * fails. Codes of one admin are checked one after another. It refuses a correct code that was used already, but does
 * not count it as a failure, because the sender has not guessed.
 * @throws ServiceError `totp_invalid`; `rate_limited` after five wrong codes within 15 minutes, even for a correct one;
 * `unavailable` when the secret cannot be opened.
 */
export async function requireTotp(deps: Deps, adminId: string, code: string): Promise<void> {
  const key = requireKey(deps);
  // Thrown only after the transaction, so that its counts are committed.
  const refusal = await systemTx(deps, async (tx) => {
    const totp = await admins.lockTotp(tx, adminId);
    if (totp === undefined) return invalid("the admin has none set up");
    if (totp.waitSeconds !== null) return tooMany(totp.waitSeconds);
    const secret = openText(totp.sealed, key, contextOf(adminId));
    if (secret === undefined) return unopened();
    const step = matchTotp(secret, code, deps.clock());
    if (step === undefined) {
      await admins.countWrongTotp(tx, adminId);
      return invalid("it is wrong, too old or used");
    }
    if (totp.lastStep !== null && step <= totp.lastStep) return invalid("it is wrong, too old or used");
    await admins.acceptTotpStep(tx, adminId, step);
  });
  if (refusal !== undefined) throw refusal;
}

function tooMany(waitSeconds: number): ServiceError {
  return new ServiceError("rate_limited", "Cannot check the one-time code: too many attempts have failed", {
    headers: { "retry-after": String(waitSeconds) },
  });
}

function unopened(): ServiceError {
  return new ServiceError(
    "unavailable",
    "Cannot check the one-time code: SVC_ADMIN_TOTP_KEY is not the one with which it was enrolled",
  );
}

function requireKey({ config }: Deps): string {
  const { totpKey } = config.admin;
  if (totpKey !== undefined) return totpKey;
  throw new ServiceError("unavailable", "Cannot use one-time codes: SVC_ADMIN_TOTP_KEY is not set");
}

function contextOf(adminId: string): string {
  return `svc_admin.totp ${adminId}`;
}

function invalid(why: string): ServiceError {
  return new ServiceError("totp_invalid", `Cannot accept the one-time code: ${why}`, {
    headers: { "www-authenticate": "Bearer" },
  });
}
