/**
 * The key-value port on Redis over its REST interface, shared by all processes.
 *
 * While Redis is away nobody waits for it: after a few failures in a row every call is refused immediately, and now and
 * then one of them sends a probe without waiting for it.
 */
import { Redis } from "@upstash/redis";
import { type CallOutcome, CircuitBreaker } from "../circuit_breaker.ts";
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

export interface OutageOptions {
  /** Called once when Redis no longer answers. */
  readonly onDown?: (error: unknown) => void;
  /** Called once when Redis takes writes again. */
  readonly onUp?: (downMs: number) => void;
}

export interface RedisKeyValueOptions extends OutageOptions {
  readonly url: string;
  readonly token: string;
  readonly clock?: () => Date;
  /** The deadline of every call, in milliseconds. Default 300. */
  readonly timeoutMs?: number;
  /** The beginning of every key. Default `svc:`. */
  readonly keyPrefix?: string;
}

/** KEYS[1]; ARGV: by, ttl in seconds. The creator of the counter sets its time to live once. */
const INCREMENT = `
local value = redis.call('INCRBY', KEYS[1], ARGV[1])
local ttl = redis.call('PTTL', KEYS[1])
if ttl < 0 then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
  ttl = ARGV[2] * 1000
end
return {value, ttl}`;

/**
 * KEYS[1]; ARGV: capacity, refill per second, cost, now in milliseconds. A process whose clock is behind refills
 * nothing until it has caught up, so clock differences create no tokens.
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

/** Three in a row, so that one lost call does not separate a process from the shared counts. */
const FAILURES_MAX = 3;
const PROBE_MS = 250;
/** Also the longest time until it is noticed that Redis is back. */
const PROBE_MS_MAX = 2_000;
const PROBE_TTL_SECONDS = 60;

export class RedisKeyValue implements KeyValue {
  readonly #redis: Redis;
  readonly #clock: () => Date;
  readonly #prefix: string;
  readonly #stopping = new AbortController();
  readonly #breaker = new CircuitBreaker({
    failuresMax: FAILURES_MAX,
    cooldownMs: PROBE_MS,
    cooldownMsMax: PROBE_MS_MAX,
  });
  readonly #outage: OutageOptions;
  /** When Redis was found to be away. */
  #downSince: number | undefined;

  constructor(options: RedisKeyValueOptions) {
    const { url, token, clock = () => new Date(), timeoutMs = 300, keyPrefix = "svc:" } = options;
    this.#clock = clock;
    this.#prefix = keyPrefix;
    this.#outage = options;
    this.#redis = new Redis({
      url,
      token,
      // The client's own retries take seconds, and without a signal it waits for ever. It throws at the deadline only
      // if the signal is a function; otherwise it answers as if Redis had.
      retry: false,
      signal: () => AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(timeoutMs)]),
      // A stored text "true" comes back as text; REST fronts that ignore the encoding header also work.
      automaticDeserialization: false,
      responseEncoding: false,
      // One failing command must not fail others.
      enableAutoPipelining: false,
      enableTelemetry: false,
    });
  }

  async get(key: string): Promise<string | undefined> {
    return await this.#call("get", async (redis) => {
      const reply = await redis.get<unknown>(this.#prefix + key);
      if (reply === null) return undefined;
      return typeof reply === "string" ? reply : refuseReply();
    });
  }

  async set(key: string, value: string, { ttlSeconds, onlyIfAbsent = false }: SetOptions): Promise<boolean> {
    const options = onlyIfAbsent ? { ex: ttlSeconds, nx: true } as const : { ex: ttlSeconds } as const;
    return await this.#call("set", async (redis) => {
      const reply = await redis.set(this.#prefix + key, value, options);
      if (reply === "OK") return true;
      return reply === null && onlyIfAbsent ? false : refuseReply();
    });
  }

  async delete(key: string): Promise<boolean> {
    return await this.#call("delete", async (redis) => {
      const reply = await redis.del(this.#prefix + key);
      return typeof reply === "number" ? reply > 0 : refuseReply();
    });
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

  /** Also asks while Redis is known to be away; an answer ends that. A Redis that takes no writes counts as away. */
  async ping(): Promise<void> {
    await this.#probe(this.#breaker.enter() ?? ((outcome) => outcome.kind === "ok" && this.#breaker.close()));
  }

  /** Ends the running calls. */
  [Symbol.dispose](): void {
    this.#stopping.abort();
  }

  async #eval(name: string, script: string, key: string, args: number[]): Promise<[number, number]> {
    const texts = args.map(String);
    return await this.#call(name, async (redis) => {
      const reply = await redis.eval<string[], unknown>(script, [this.#prefix + key], texts);
      if (!Array.isArray(reply) || reply.length !== 2) return refuseReply();
      const [first, second] = reply.map(Number);
      return Number.isFinite(first) && Number.isFinite(second) ? [first, second] : refuseReply();
    });
  }

  async #call<T>(name: string, run: (redis: Redis) => Promise<T>): Promise<T> {
    const isAway = !this.#breaker.closed;
    const leave = this.#breaker.enter();
    if (leave !== null && !isAway) return await this.#send(name, run, leave);
    if (leave !== null) this.#probe(leave).catch(() => {});
    throw unavailable(name, new Error("it has not answered since a moment ago"));
  }

  async #probe(leave: Leave): Promise<void> {
    await this.#send("ping", async (redis) => {
      if (await redis.set(`${this.#prefix}probe`, "1", { ex: PROBE_TTL_SECONDS }) !== "OK") refuseReply();
    }, leave);
  }

  async #send<T>(name: string, run: (redis: Redis) => Promise<T>, leave: Leave): Promise<T> {
    try {
      const reply = await run(this.#redis);
      leave({ kind: "ok" });
      this.#tellUp();
      return reply;
    } catch (error) {
      // The client's message repeats the whole command, with keys and values that do not belong in a log.
      const reason = error instanceof Error ? `${error.name}: ${error.message.split(", command was")[0]}` : "unknown";
      const cause = new Error(reason);
      leave({ kind: this.#stopping.signal.aborted ? "unknown" : "failed" });
      this.#tellDown(cause);
      throw unavailable(name, cause);
    }
  }

  #tellDown(error: Error): void {
    if (this.#breaker.closed || this.#downSince !== undefined) return;
    this.#downSince = performance.now();
    this.#outage.onDown?.(error);
  }

  #tellUp(): void {
    if (this.#downSince === undefined) return;
    const downMs = Math.round(performance.now() - this.#downSince);
    this.#downSince = undefined;
    this.#outage.onUp?.(downMs);
  }
}

/** The function that `CircuitBreaker.enter` returns. */
type Leave = (outcome: CallOutcome) => void;

function unavailable(name: string, cause?: Error): ServiceError {
  return new ServiceError("unavailable", `Cannot ${name}: the key-value store does not answer`, { cause });
}

/** A front that answers 200 with something else counts as down. */
function refuseReply(): never {
  throw new Error("unexpected reply");
}
