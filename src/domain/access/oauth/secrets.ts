/** The secrets of the authorization server: codes and refresh tokens. Only their hashes are stored. */
import { randomBytes } from "node:crypto";

export type SecretKind = "code" | "refresh" | "device";

/** 32 random bytes, so nobody guesses one. */
const FORM = /^svc_oauth_(?:code|refresh|device)_[\w-]{43}$/;

export function newSecret(kind: SecretKind): string {
  return `svc_oauth_${kind}_${randomBytes(32).toString("base64url")}`;
}

/** Whether a text may be such a secret; anything else is refused before the database is asked. */
export function isSecret(text: string, kind: SecretKind): boolean {
  return FORM.test(text) && text.startsWith(`svc_oauth_${kind}_`);
}
