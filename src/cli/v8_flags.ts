/**
 * The V8 flags that the service needs, for `deno serve --v8-flags=…`. The Dockerfile repeats them.
 *
 * A request leaves some 300 KB of garbage, and each collection of V8's young generation stops the process for a
 * millisecond or two. With the default of 32 MiB, that would delay one request in a hundred.
 */
export const V8_FLAGS = "--max-semi-space-size=64";
