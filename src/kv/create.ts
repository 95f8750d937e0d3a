/** Chooses the key-value store of this process. */
import type { KeyValue } from "./key_value.ts";
import { MemoryKeyValue } from "./memory.ts";
import { type OutageOptions, RedisKeyValue } from "./redis.ts";

export interface KeyValueConfig {
  readonly restUrl: string | undefined;
  readonly restToken: string | undefined;
}

/** Uses Redis if its REST URL and token are configured, otherwise this process's memory. */
export function createKeyValue(
  { restUrl, restToken }: KeyValueConfig,
  options: { readonly clock?: () => Date } & OutageOptions = {},
): KeyValue {
  if (restUrl === undefined || restToken === undefined) return new MemoryKeyValue(options);
  return new RedisKeyValue({ url: restUrl, token: restToken, ...options });
}
