/**
 * Secrets that are stored for other parties, such as the keys of peers. They are sealed under `SVC_SECRETS_KEY`; with
 * the embedded database a key in its folder can take its place.
 */
import type { Deps } from "../../context.ts";
import { openText, sealText } from "../../crypto/sealed_text.ts";
import { ServiceError } from "../../errors.ts";

/**
 * Seals a secret. `context` is authenticated with it and names the one place where it is stored.
 * @throws ServiceError `unavailable` if there is no `SVC_SECRETS_KEY`
 */
export function sealSecret({ secretsKeys }: Pick<Deps, "secretsKeys">, secret: string, context: string): string {
  const [key] = secretsKeys;
  if (key !== undefined) return sealText(secret, key, context);
  throw new ServiceError("unavailable", "Cannot store a secret: SVC_SECRETS_KEY is not set");
}

/**
 * Opens a secret that was sealed for the same context, under the present key or the previous one.
 * @throws ServiceError `unavailable` if neither key opens it
 */
export function openSecret({ secretsKeys }: Pick<Deps, "secretsKeys">, sealed: string, context: string): string {
  for (const key of secretsKeys) {
    const secret = openText(sealed, key, context);
    if (secret !== undefined) return secret;
  }
  throw new ServiceError("unavailable", "Cannot open a stored secret: SVC_SECRETS_KEY is not the one that sealed it");
}
