/** The key-value port on Redis over its REST interface, shared by all processes. */
import { Redis } from "@upstash/redis";
import { ServiceError } from "../errors.ts";
import {
  type BucketOptions,
  type BucketState,
  type Counter,
  describeBucket,
  type IncrementOptions,
  type KeyValue,
  type SetOptions,
} from "./key_value.ts";

export interface RedisKeyValueOptions {
  readonly url: string;
  readonly token: string;
  readonly clock?: () => Date;
  /** Every call ends by then. Default 300. */
  readonly timeoutMs?: number;
  /** Stands before every key. Default `svc:`. */
  readonly keyPrefix?: string;
}

/** KEYS[1]; ARGV: by, ttl in seconds. The time to live is set once, by whoever makes the counter. */
const INCREMENT = `
local value = redis.call('INCRBY', KEYS[1], ARGV[1])
local ttl = redis.call('PTTL', KEYS[1])
if ttl < 0 then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
  ttl = ARGV[2] * 1000
end
return {value, ttl}`;

/**
 * KEYS[1]; ARGV: capacity, refill per second, cost, now in milliseconds. A process whose clock is behind refills nothing
 * until it has caught up, so no difference between clocks makes tokens.
 */
const TAKE_TOKENS = `
local capacity, refill, cost, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local state = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(state[1]) or capacity, tonumber(state[2]) or now
if now > at then
  tokens = tokens + (now - at) / 1000 * refill
  at = now
end
tokens = math.min(capacity, tokens)
local allowed = 0
if tokens + 1e-9 >= cost then
  tokens = math.max(0, tokens - cost)
  allowed = 1
end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.9f', tokens), 'at', string.format('%.0f', at))
redis.call('PEXPIRE', KEYS[1], math.ceil((capacity - tokens) / refill * 1000) + 1000)
return {allowed, string.format('%.9f', tokens)}`;

export class RedisKeyValue implements KeyValue {
  readonly #redis: Redis;
  readonly #clock: () => Date;
  readonly #prefix: string;
  readonly #stopping = new AbortController();

  constructor({ url, token, clock = () => new Date(), timeoutMs = 300, keyPrefix = "svc:" }: RedisKeyValueOptions) {
    this.#clock = clock;
    this.#prefix = keyPrefix;
    this.#redis = new Redis({
      url,
      token,
      // The client's own retries take seconds, and without a signal it waits for ever. Only with a signal in the form of
      // a function does it throw when the time is up; otherwise it answers as if Redis had.
      retry: false,
      signal: () => AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(timeoutMs)]),
      // A stored text "true" comes back as the text; REST fronts that ignore the encoding header are understood too.
      automaticDeserialization: false,
      responseEncoding: false,
      // One failing command must not take its neighbours along.
      enableAutoPipelining: false,
      enableTelemetry: false,
    });
  }

  async get(key: string): Promise<string | undefined> {
    const reply = await this.#call("get", (redis) => redis.get<unknown>(this.#prefix + key));
    if (reply === null) return undefined;
    return typeof reply === "string" ? reply : refuseReply("get");
  }

  async set(key: string, value: string, { ttlSeconds, onlyIfAbsent = false }: SetOptions): Promise<boolean> {
    const options = onlyIfAbsent ? { ex: ttlSeconds, nx: true } as const : { ex: ttlSeconds } as const;
    const reply = await this.#call("set", (redis) => redis.set(this.#prefix + key, value, options));
    if (reply === "OK") return true;
    return reply === null && onlyIfAbsent ? false : refuseReply("set");
  }

  async delete(key: string): Promise<boolean> {
    const reply = await this.#call("delete", (redis) => redis.del(this.#prefix + key));
    return typeof reply === "number" ? reply > 0 : refuseReply("delete");
  }

  async increment(key: string, { ttlSeconds, by = 1 }: IncrementOptions): Promise<Counter> {
    const reply = await this.#eval("increment", INCREMENT, key, [by, ttlSeconds]);
    return { value: reply[0], ttlSeconds: Math.ceil(reply[1] / 1_000) };
  }

  async takeTokens(key: string, options: BucketOptions): Promise<BucketState> {
    const { capacity, refillPerSecond, cost = 1 } = options;
    const args = [capacity, refillPerSecond, cost, this.#clock().getTime()];
    const [allowed, tokens] = await this.#eval("take tokens", TAKE_TOKENS, key, args);
    return describeBucket(tokens, allowed === 1, options);
  }

  async ping(): Promise<void> {
    const reply = await this.#call("ping", (redis) => redis.ping());
    if (reply !== "PONG") refuseReply("ping");
  }

  /** Ends the calls that are running. */
  [Symbol.dispose](): void {
    this.#stopping.abort();
  }

  async #eval(name: string, script: string, key: string, args: number[]): Promise<[number, number]> {
    const texts = args.map(String);
    const reply = await this.#call(name, (redis) => redis.eval<string[], unknown>(script, [this.#prefix + key], texts));
    if (!Array.isArray(reply) || reply.length !== 2) return refuseReply(name);
    const [first, second] = reply.map(Number);
    return Number.isFinite(first) && Number.isFinite(second) ? [first, second] : refuseReply(name);
  }

  async #call<T>(name: string, run: (redis: Redis) => Promise<T>): Promise<T> {
    try {
      return await run(this.#redis);
    } catch (error) {
      // The client's message repeats the whole command, with keys and values that do not belong into a log.
      const reason = error instanceof Error ? `${error.name}: ${error.message.split(", command was")[0]}` : "unknown";
      throw unavailable(name, new Error(reason));
    }
  }
}

function unavailable(name: string, cause?: Error): ServiceError {
  const headers = { "retry-after": "1" };
  return new ServiceError("unavailable", `Cannot ${name}: the key-value store does not answer`, { cause, headers });
}

/** A front that answers 200 with something else is as good as down. */
function refuseReply(name: string): never {
  throw unavailable(name, new Error("unexpected reply"));
}
