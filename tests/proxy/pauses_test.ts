/** Streams whose callers pause for as long as the service allows, and a process that ends in the middle. */
import assert from "node:assert/strict";
import { waitFor } from "../_wait.ts";
import { limitsOf } from "../../src/rpc/rpc.ts";
import { RPCS } from "../../src/rpc/methods/mod.ts";
import { until } from "../fault/_process.ts";
import { message, RawHttp2 } from "./_http2.ts";
import { BEHIND, ProcessesBehind, ServicesBehind } from "./_world.ts";

/** Ten minutes of the caller's are five seconds here, in which the proxy's other limits are over many times. */
const HURRY = 120;

Deno.test({
  ...BEHIND,
  name: "streams in both directions outlast a pause of ten minutes at the proxy, with its limits in scale",
  async fn() {
    const pauses = RPCS.filter(({ kind }) => kind === "bidi_streaming").map((rpc) => limitsOf(rpc).pauseMs!);
    const pauseMs = Math.max(...pauses) / HURRY;
    await using world = await ServicesBehind.start(1, { hurry: HURRY });
    using connection = await RawHttp2.open({ port: world.proxy.port, authority: world.authority });
    const stream = await connection.request({
      ...{ ":method": "POST", ":scheme": "https", ":path": "/svc.v1.SvcService/Session", ":authority": "svc" },
      ...{ "content-type": "application/connect+json", authorization: `Bearer ${world.services[0]!.key}` },
    }, { hasBody: true });
    await connection.data(stream, message({ start: { title: "A long talk" } }));
    const first = await waitFor("the session", () => connection.received || undefined);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    assert.equal(connection.hasEnded(stream), false);
    await connection.data(stream, message({ turn: { role: "user", content: "Where were we?" } }), { isLast: true });
    await waitFor("an answer", () => connection.received > first);
    await waitFor("the end", () => connection.hasEnded(stream));
    assert.match(connection.bodyOf(stream)!, /Where were we\?/);
  },
});

Deno.test("every stream in both directions has at the proxy what the service gives it", async () => {
  const text = await Deno.readTextFile(new URL("../../deploy/haproxy.cfg", import.meta.url));
  const [, duplex] = text.split("\nbackend duplex\n");
  const seconds = Number(/^ *timeout server (\d+)s$/m.exec(duplex!)?.[1]);
  for (const rpc of RPCS) {
    if (rpc.kind === "bidi_streaming") assert.ok(seconds > limitsOf(rpc).pauseMs! / 1_000, rpc.method.name);
  }
});

for (const processes of [2, 4]) {
  Deno.test({
    ...BEHIND,
    name: `a process of ${processes} that is killed: its keys are served by others at once, and by it again later`,
    async fn() {
      await using world = await ProcessesBehind.start(processes);
      const { stage } = world;
      const requests = async () => {
        const texts = await Promise.all(stage.nodes.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
        return texts.map((text) => Number(/^svc_requests_total\{[^}]*whoami[^}]*\} (\d+)/m.exec(text)?.[1] ?? 0));
      };
      const placeOf = async (key: string) => {
        const before = await requests();
        assert.equal((await world.curl("/v1/whoami", { key })).status, 200);
        const after = await requests();
        return after.findIndex((count, i) => count > before[i]!);
      };
      const { key } = stage.tenants[0]!;
      const place = await placeOf(key);
      for (let n = 0; n < 3; n++) assert.equal(await placeOf(key), place, "a key stays where it is");

      await stage.nodes[place]!.kill();
      for (let n = 0; n < 20; n++) {
        for (const tenant of stage.tenants) {
          const body = JSON.stringify({ statement: `${tenant.mark} holds ${n} of ${processes}.` });
          const args = ["--header", "content-type: application/json", "--data", body];
          const { status } = await world.curl("/v1/memory/facts", { key: tenant.key, args });
          assert.ok([200, 201].includes(status), `${status} for ${tenant.mark}, ${n}`);
        }
      }
      await stage.restart(place);
      await until("the process has its keys back", async () => await placeOf(key) === place);
    },
  });
}
