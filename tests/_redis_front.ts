/** The REST front of Redis for tests, as a process of its own: it prints its port and serves until it is killed. */
import { createApp } from "@humanwhocodes/upstash-redis-server";

const [redisUrl, token] = Deno.args;
const app = createApp({ redisUrl, token });
Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(port) }, app.fetch);
