/**
 * What the service's engine is started with: `deno serve --v8-flags=…`, and the workers of `svc serve`. The Dockerfile names the same.
 *
 * A request leaves some 300 KB of garbage, and each collection of the young generation stops the process for a
 * millisecond or two. With the engine's own 32 MiB that would meet one request in a hundred.
 */
export const V8_FLAGS = "--max-semi-space-size=64";
