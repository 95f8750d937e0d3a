/** Makes sure that each token and each nonce is accepted once, by all processes together. */
import type { Deps } from "../../../context.ts";
import { sha256 } from "../../../crypto/hash.ts";
import { claimJti } from "../../../db/queries/federation_replay.ts";
import { ServiceError } from "../../../errors.ts";

/**
 * A clock that steps back could make an expired token valid again, so used ones are remembered for this many seconds
 * more.
 */
const MARGIN = 600;

/**
 * Claims something that an issuer may use once; false if it was used before. Redis stores the claim if there is one,
 * else Postgres: the memory of one process would prove nothing.
 * @param secondsLeft for how many seconds it would still be accepted
 * @throws ServiceError `unavailable` if the store does not answer, because then nothing proves that it is new
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
      { cause },
    );
  }
}
