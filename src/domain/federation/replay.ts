/** Each token and each nonce counts once, in all processes together. */
import type { Deps } from "../../context.ts";
import { sha256 } from "../../crypto/hash.ts";
import { claimJti } from "../../db/queries/federation_replay.ts";
import { ServiceError } from "../../errors.ts";

/** Clocks that step back make a token fresh that was not any more: it is remembered for so much longer, in seconds. */
const MARGIN = 600;

/**
 * Claims what an issuer may use once; false when it was used before. Redis keeps it where there is one, else Postgres: what
 * one process alone remembers proves nothing.
 * @param secondsLeft until when it would be taken
 * @throws ServiceError `unavailable` when the store cannot answer: then nothing proves that it is new
 */
export async function claimOnce(deps: Deps, issuer: string, id: string, secondsLeft: number): Promise<boolean> {
  const hash = sha256(`${issuer}\0${id}`);
  const seconds = Math.max(1, Math.ceil(secondsLeft)) + MARGIN;
  try {
    if (deps.config.redis.restUrl === undefined) return await deps.db.system((sql) => claimJti(sql, hash, seconds));
    return await deps.kv.set(`fed:jti:${hash.toHex()}`, "1", { ttlSeconds: seconds, onlyIfAbsent: true });
  } catch (cause) {
    throw new ServiceError(
      "unavailable",
      "Cannot tell whether the federation token is new: the store does not answer",
      {
        cause,
        headers: { "retry-after": "1" },
      },
    );
  }
}
