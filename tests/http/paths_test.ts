/** Paths that a router and a proxy could read differently: T58. */
import assert from "node:assert/strict";
import { pathOf } from "../../src/http/app.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";

/** Ways to write a path that somebody could take for another; `path` begins with a slash. */
const TRICKS: readonly ((path: string) => string)[] = [
  (path) => `/${path}`,
  (path) => path.replaceAll("/", "//"),
  (path) => `${path}/`,
  (path) => `${path};a=b`,
  (path) => `${path}%2f`,
  (path) => path.replace(/\/([^/]+)$/, "%2f$1"),
  (path) => path.replace(/\/([^/]+)$/, "%5c$1"),
  (path) => `/v1/docs/%2e%2e/..${path}`,
  (path) => `/health/%2e%2e${path}`,
  (path) => `/v1/./docs/..;${path}`,
  (path) => path.toUpperCase(),
  (path) => path.replace(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => `${path}%00`,
  (path) => `${path}?/../../health`,
  (path) => `${path}/../${path.split("/").at(-1)}`,
];

/** Sends a request byte for byte on a connection of its own, and returns the status. */
async function send(port: number, head: string): Promise<number> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(`${head}Host: svc\r\nConnection: close\r\n\r\n`));
  return Number(/^HTTP\/1\.1 (\d+) /.exec(await new Response(connection.readable).text())?.[1]);
}

Deno.test({
  ...POSTGRES,
  name: "T58 however its path is written, no operation is reached around its guard",
  async fn() {
    await using service = await startService();
    const port = Number(new URL(service.listen().url).port);
    const weak = await service.createKey({ scopes: [] });
    const guarded = ENDPOINTS.filter((one) => one.scope !== "public");
    for (const endpoint of guarded) {
      const path = pathOf(endpoint).replaceAll(/\{\w+\}/g, "01890000-0000-7000-8000-000000000000");
      const method = endpoint.route.method.toUpperCase();
      // With a key that may do nothing or without a key; if any key may call the operation, without a key.
      const isWeak = endpoint.bearer === "key" && endpoint.scope !== "any" && path.length % 2 === 0;
      const bearer = isWeak ? `Authorization: Bearer ${weak}\r\n` : "";
      await Promise.all(TRICKS.map(async (trick) => {
        const status = await send(port, `${method} ${trick(path)} HTTP/1.1\r\n${bearer}`);
        assert.ok([400, bearer === "" ? 401 : 403, 404, 405].includes(status), `${method} ${trick(path)}: ${status}`);
      }));
    }
  },
});
