/** What a key may ask for in a time. */
import type { Deps, VerifiedKey } from "../../context.ts";
import { ServiceError } from "../../errors.ts";
import type { BucketState } from "../../kv/key_value.ts";
import type { RateLimitSetting } from "../../kv/rate_limit.ts";
import { ownerName, requestLoadOf } from "./request_load.ts";

export interface TakeOptions {
  /** Tokens; default: 1. What costs more than the key's burst takes all of it. */
  readonly cost?: number | undefined;
  /** Told about the limit and what is left of it. */
  readonly onTaken?: ((limit: RateLimitSetting, state: BucketState) => void) | undefined;
}

/**
 * Takes a request from a key's rate.
 * @throws ServiceError `rate_limited` with `retry-after` when too little is left, or the key or its workspace has used up
 *   its time of the database
 */
export async function takeRequest(
  deps: Deps,
  key: Pick<VerifiedKey, "actor" | "workspaceId" | "rateLimit">,
  { cost = 1, onTaken }: TakeOptions = {},
): Promise<void> {
  requestLoadOf(deps).requireDatabaseTime(key);
  const limit = key.rateLimit ?? deps.config.rateLimit;
  if (limit.perMinute === 0) return;
  const state = await deps.rateLimit.take(ownerName(key), limit, Math.min(cost, limit.burst));
  onTaken?.(limit, state);
  if (state.isAllowed) return;
  throw new ServiceError("rate_limited", "Cannot accept the request: the key's rate limit is used up", {
    headers: { "retry-after": String(state.retryAfterSeconds) },
  });
}
