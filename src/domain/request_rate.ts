/** What a key may ask for in a time. Decisions §1 "Rate limits". */
import type { Deps, VerifiedKey } from "../context.ts";
import { ServiceError } from "../errors.ts";
import type { BucketState } from "../kv/key_value.ts";
import type { RateLimitSetting } from "../kv/rate_limit.ts";

/**
 * Takes one request from a key's rate.
 * @param onTaken told about the limit and what is left of it
 * @throws ServiceError `rate_limited` with `retry-after` when nothing is left
 */
export async function takeRequest(
  deps: Deps,
  key: Pick<VerifiedKey, "actor" | "rateLimit">,
  onTaken?: (limit: RateLimitSetting, state: BucketState) => void,
): Promise<void> {
  const limit = key.rateLimit ?? deps.config.rateLimit;
  if (limit.perMinute === 0) return;
  const state = await deps.rateLimit.take(key.actor, limit);
  onTaken?.(limit, state);
  if (state.isAllowed) return;
  throw new ServiceError("rate_limited", "Cannot accept the request: the key's rate limit is used up", {
    headers: { "retry-after": String(state.retryAfterSeconds) },
  });
}
