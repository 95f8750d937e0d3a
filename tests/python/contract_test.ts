/** Every operation of the service, by its example, through both clients of Python. */
import assert from "node:assert/strict";
import { ROUTES } from "../../clients/typescript/gen/operations.ts";
import { pathOf } from "../../src/http/app.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import type { Endpoint } from "../../src/http/route.ts";
import { bearerFor, createFixture, type Fixture } from "../_fixtures.ts";
import { makePeerKeys } from "../federation/_peer.ts";
import type { TestService } from "../_service.ts";
import { startAnyService } from "../sdk/_client.ts";
import { inputOf } from "../sdk/_examples.ts";
import { HAS_PYTHON, makeEnvironment, PROJECT, type PythonEnvironment } from "./_python.ts";

const IDS = Object.keys(ROUTES);

Deno.test({
  name: "every example is answered through the Python clients, which lose nothing, and once where it changes something",
  ignore: !HAS_PYTHON,
  async fn(t) {
    const { privatePem } = makePeerKeys();
    await using service = await startAnyService({ env: { SVC_FEDERATION_PRIVATE_KEY: privatePem } });
    await using environment = await makeEnvironment({ tools: "none" });
    await using front = startFront(service);
    await using callers = startCaller(environment);
    const endpoints = ENDPOINTS.filter(({ id }) => IDS.includes(id));
    const prepare = async (endpoint: Endpoint): Promise<Fixture> =>
      pathOf(endpoint).startsWith("/v1/") ? await createFixture(service, endpoint) : { params: {} };
    // Before the examples change anything; those of admins have one-time codes, which would be too old.
    const fixtures = new Map<Endpoint, Fixture>();
    for (const endpoint of endpoints) if (endpoint.bearer !== "admin") fixtures.set(endpoint, await prepare(endpoint));
    for (const [i, endpoint] of endpoints.entries()) {
      await t.step(endpoint.id, async () => {
        const fixture = fixtures.get(endpoint) ?? await prepare(endpoint);
        front.fixture = fixture;
        const isKept = endpoint.idempotency !== "none";
        const call = {
          id: endpoint.id,
          url: front.url,
          key: endpoint.scope === "public" ? null : bearerFor(service, endpoint, fixture),
          input: inputOf(endpoint, fixture),
          options: isKept ? { idempotencyKey: crypto.randomUUID() } : {},
        };
        front.seen.length = 0;
        const first = await callers.ask({ ...call, async: i % 2 === 1 });
        assert.deepEqual(comparable(first), comparable(front.seen[0]!.reply));
        if (!isKept) return;
        assert.deepEqual(await callers.ask({ ...call, async: i % 2 === 0 }), first);
        assert.deepEqual(front.seen.map(({ replayed }) => replayed), [false, true]);
      });
    }
  },
});

/** Python writes times with as many digits as there are. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(
    value,
    (_, one) => typeof one === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(one) ? new Date(one).toISOString() : one,
  );
  return JSON.parse(text);
}

interface Front extends AsyncDisposable {
  readonly url: string;
  /** What adds the proof of the sender to requests. */
  fixture: Fixture;
  readonly seen: { readonly reply: unknown; readonly replayed: boolean }[];
}

/** Hands requests on to the service, with the proof of their sender, and keeps the replies. */
function startFront(service: TestService): Front {
  const seen: { reply: unknown; replayed: boolean }[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const body = await request.text();
    const headers = new Headers(request.headers);
    headers.delete("accept-encoding");
    const proof = front.fixture.prove?.(request.method, pathname + search, body) ?? {};
    for (const [name, value] of Object.entries(proof)) headers.set(name, value);
    const { method } = request;
    const init = { method, headers, ...(body !== "" && { body }) };
    const reply = await service.service.fetch(new Request(`http://svc.test${pathname}${search}`, init));
    const text = await reply.text();
    const isJson = reply.headers.get("content-type")?.includes("json") === true && !text.includes("}\n{");
    seen.push({
      reply: isJson ? JSON.parse(text) : text,
      replayed: reply.headers.get("idempotency-replayed") === "true",
    });
    return new Response(text, { status: reply.status, headers: reply.headers });
  });
  const front: Front = {
    ...{ url: `http://127.0.0.1:${server.addr.port}`, fixture: { params: {} }, seen },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return front;
}

interface Caller extends AsyncDisposable {
  ask(call: Readonly<Record<string, unknown>>): Promise<unknown>;
}

function startCaller({ python }: PythonEnvironment): Caller {
  const args = [`${PROJECT}/tests/contract.py`];
  const child = new Deno.Command(python, { args, stdin: "piped", stdout: "piped" }).spawn();
  const input = child.stdin.getWriter();
  const lines = child.stdout.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  let rest = "";
  return {
    async ask(call) {
      await input.write(new TextEncoder().encode(JSON.stringify(call) + "\n"));
      while (!rest.includes("\n")) {
        const { value, done } = await lines.next();
        if (done) throw new Error("the caller has ended");
        rest += value;
      }
      const end = rest.indexOf("\n");
      const answer = JSON.parse(rest.slice(0, end));
      rest = rest.slice(end + 1);
      assert.ok(!("error" in answer), answer.error);
      return answer.reply;
    },
    async [Symbol.asyncDispose]() {
      await input.close();
      await lines.return?.();
      await child.status;
    },
  };
}
