/** The keys of this instance: for its signatures, for pages to peers, and for stored secrets. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Config } from "./config.ts";
import { readSigningKey, type SigningKey } from "./crypto/ed25519.ts";
import { ServiceError } from "./errors.ts";
import { SymmetricKey } from "./schema/federation_peer.ts";
import { serveCryptoInitFailed } from "./telemetry/federation_events.ts";
import type { Log } from "./telemetry/log.ts";

/**
 * Reads the signing key. An unreadable key does not keep the service from starting; it then signs nothing.
 * @throws ServiceError `validation_failed` when the configuration requires one
 */
export function loadSigningKey({ signingKeyPem: pem, federation }: Config, log: Log): SigningKey | undefined {
  return loadKey("SVC_FEDERATION_PRIVATE_KEY", pem, federation.requireCrypto, log, (text) =>
    // Environments cannot always hold line breaks.
    readSigningKey(text.replaceAll("\\n", "\n")));
}

/** Does the same for the key that seals pages. */
export function loadSealKey({ federation }: Config, log: Log): Uint8Array | undefined {
  const { symmetricKey, requireCrypto } = federation;
  return loadKey("SVC_FEDERATION_SYMMETRIC_KEY", symmetricKey, requireCrypto, log, (text) => {
    const checked = SymmetricKey.safeParse(text);
    if (checked.success) return Uint8Array.fromBase64(checked.data);
    throw new ServiceError("validation_failed", "Cannot read the key: it is not base64 of 32 bytes");
  });
}

/**
 * The keys that seal stored secrets: the configured ones; for the embedded database, whose folder nobody else reads,
 * also the one in a file of that folder, which is created if none is configured.
 */
export function loadSecretsKeys({ secretsKey, secretsKeyPrevious, database }: Config): string[] {
  const configured = [secretsKey, secretsKeyPrevious].filter((key) => key !== undefined);
  if (database.url !== undefined) return configured;
  const file = join(database.dataDir, "secrets.key");
  try {
    return [...configured, Deno.readTextFileSync(file).trim()];
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  if (configured.length > 0) return configured;
  const made = randomBytes(32).toString("base64url");
  // Renamed when it is complete, so that a killed process leaves no half of a key.
  Deno.writeTextFileSync(`${file}.new`, `${made}\n`, { mode: 0o600 });
  Deno.renameSync(`${file}.new`, file);
  return [made];
}

function loadKey<K>(
  name: string,
  text: string | undefined,
  isRequired: boolean,
  log: Log,
  read: (text: string) => K,
): K | undefined {
  const refuse = (reason: string, cause?: unknown) =>
    new ServiceError("validation_failed", `Cannot start: ${name} ${reason}, and SVC_FEDERATION_REQUIRE_CRYPTO is on`, {
      cause,
    });
  if (text === undefined) {
    if (isRequired) throw refuse("is not set");
    return undefined;
  }
  try {
    return read(text);
  } catch (error) {
    if (isRequired) throw refuse("cannot be read", error);
    serveCryptoInitFailed(log, { error });
    return undefined;
  }
}
