/** The rate limit of keys: a token bucket for each key. */
import type { Deps, VerifiedKey } from "../../context.ts";
import { ServiceError } from "../../errors.ts";
import type { BucketState } from "../../kv/key_value.ts";
import type { RateLimitSetting } from "../../kv/rate_limit.ts";
import { ownerName, requestLoadOf } from "./request_load.ts";

export interface TakeOptions {
  /** How many tokens the request takes; default: 1. A request never takes more tokens than the key's burst. */
  readonly cost?: number | undefined;
  /** Called with the key's limit and the state of its bucket after the request. */
  readonly onTaken?: ((limit: RateLimitSetting, state: BucketState) => void) | undefined;
}

/**
 * Counts a request against its key's rate limit.
 * @throws ServiceError `rate_limited` with `retry-after` when too few tokens are left, or when the key or its workspace has
 *   used up its share of database time
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
