/** The route of a request comes from its target, whatever its `Host` says. docs/reference/guarantees.md T20. */
import assert from "node:assert/strict";
import { waitFor } from "../_wait.ts";
import { RawHttp2 } from "./_http2.ts";
import { BEHIND, ServicesBehind } from "./_world.ts";

const TARGETS = ["/v1/whoami", "/svc.v1.SvcService/GetHealth?encoding=json&message=%7B%7D", "/mcp"];
/** Each of these, before one of the targets, makes a URL of another path or none. */
const NO_HOSTS = [
  ...["x/v1/admin/workspaces?z=", "x/healthz#", "x/healthz?", "x?y", "x#", "x\\healthz?", "/healthz#"],
  ...["x:99999", "x:-1", "x:80:80", "x:http", "x:8 0", ":", "[::1", "::1", "[zz]", "1.2.3.999", "xn--a"],
  ...["a b", "x, y", "user@x", "user:word@x", "x%2fhealthz", "http://x"],
];
/** MCP is called past the proxy by names that the service knows. */
const OWN_NAMES = "x x.example.com a_b.internal";
const HOSTS = ["x", "x:1", "x.example.com:65535", "localhost", "127.0.0.1:8787", "[::1]:80", "a_b.internal", "X"];

async function overHttp1(world: ServicesBehind, way: Way, lines: string): Promise<string> {
  const at = {
    hostname: "127.0.0.1",
    port: way === "direct" ? Number(new URL(world.directUrl).port) : world.proxy.port,
  };
  using connection = way === "direct"
    ? await Deno.connect(at)
    : await Deno.connectTls({ ...at, caCerts: [world.authority], alpnProtocols: ["http/1.1"] });
  await connection.write(new TextEncoder().encode(`${lines}Connection: close\r\n\r\n`));
  let reply = "";
  for await (const part of connection.readable.pipeThrough(new TextDecoderStream())) reply += part;
  return reply;
}

/** The body of the reply; undefined when the stream or the connection is ended without one. */
async function overHttp2(world: ServicesBehind, way: Way, head: Record<string, string>): Promise<string | undefined> {
  using connection = await RawHttp2.open(
    way === "direct"
      ? { port: Number(new URL(world.directUrl).port) }
      : { port: world.proxy.port, authority: world.authority },
  );
  const scheme = way === "direct" ? "http" : "https";
  await connection.request({ ":method": "GET", ":scheme": scheme, ...head });
  await waitFor("an end", () => !connection.isOpen || connection.hasEnded(1));
  return connection.bodyOf(1);
}

type Way = "direct" | "through the proxy";

Deno.test({
  ...BEHIND,
  name: "T20 the route comes from the target and never from a Host that carries a path; what is no host is 400",
  async fn(t) {
    await using world = await ServicesBehind.start(1, { env: { SVC_HOSTS: OWN_NAMES } });
    for (const way of ["direct", "through the proxy"] as const) {
      await t.step(`over HTTP/1.1, ${way}`, async () => {
        const statusOf = async (lines: string) => {
          const reply = await overHttp1(world, way, lines);
          return [Number(/^HTTP\/1\.1 (\d+)/.exec(reply)?.[1]), /application\/problem\+json/.test(reply)] as const;
        };
        for (const target of TARGETS) {
          for (const host of ["", ...NO_HOSTS]) {
            assert.deepEqual(await statusOf(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n`), [400, true], host + target);
          }
          for (const host of HOSTS) {
            const [status] = await statusOf(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n`);
            assert.equal(status, 401, host + target);
          }
          // Another host is one all the same. MCP alone refuses it past the proxy, by its own route and before the key.
          const [status] = await statusOf(`GET ${target} HTTP/1.1\r\nHost: other.example\r\n`);
          assert.equal(status, target === "/mcp" && way === "direct" ? 403 : 401, `other.example ${target}`);
        }
        for (
          const [target, hosts, ...statuses] of [
            ["/v1/whoami", ["x", "y"], 400],
            ["/v1/whoami", ["x/healthz#", "x/healthz#"], 400],
            // The target names the host, and what the header says does not count, or contradicts it.
            ["http://x/v1/whoami", ["x"], 401],
            ["http://x/v1/whoami", ["y"], 400, 401],
            ["http://x/v1/whoami", ["y/healthz#"], 400],
            ["http://user@x/v1/whoami", ["x"], 400],
            ["http://x:99999/v1/whoami", ["x:99999"], 400],
            ["http://x", ["x"], 404],
            ["//healthz", ["x"], 404],
          ] as const
        ) {
          const lines = [`GET ${target} HTTP/1.1\r\n`, ...hosts.map((host) => `Host: ${host}\r\n`)].join("");
          const [status] = await statusOf(lines);
          assert.ok((statuses as readonly number[]).includes(status), `${status} for ${lines}`);
        }
      });
      await t.step(`over HTTP/2, ${way}`, async () => {
        const statusOf = async (head: Record<string, string>) => {
          const body = await overHttp2(world, way, { ":path": "/v1/whoami", ...head });
          return body === undefined ? undefined : JSON.parse(body).status;
        };
        for (const host of NO_HOSTS) {
          // A library may end the stream at such a name, and the proxy makes a longer path of some.
          const status = await statusOf({ ":authority": host });
          assert.ok([undefined, 400, 404].includes(status), `${status} for ${host}`);
          assert.equal(await statusOf({ host }), 400, host);
        }
        for (const host of HOSTS) {
          for (const head of [{ ":authority": host }, { host }, { ":authority": host, host }]) {
            assert.equal(await statusOf(head as Record<string, string>), 401, JSON.stringify(head));
          }
        }
      });
    }
  },
});
