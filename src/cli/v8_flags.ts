/**
 * The V8 flags that the service needs, for `deno run --v8-flags=…`. `deno task start` and the Dockerfile repeat them.
 *
 * A request leaves some 300 KB of garbage, and each collection of V8's young generation stops the process for a
 * millisecond or two. With the default of 32 MiB, that would delay one request in a hundred.
 */
export const V8_FLAGS = "--max-semi-space-size=64";
