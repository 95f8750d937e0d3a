/** Clients that publish themselves: the service reads their document as it reads what strangers name. */
import assert from "node:assert/strict";
import { createCertificateMaker } from "../_certificates.ts";
import { startService } from "../_service.ts";
import { logIn, PAGE } from "../http/_console.ts";
import { waitFor } from "../_wait.ts";
import { send } from "../mcp/_client.ts";
import { ask, codeOf, exchange, OAUTH_ENV, REDIRECT } from "./_oauth.ts";

const REQUEST = "/console/api/oauth/request";

/** A publisher on loopback. It answers by path. */
async function startPublisher(env: Record<string, string> = {}) {
  await using stack = new AsyncDisposableStack();
  const maker = stack.use(await createCertificateMaker());
  const { cert, key } = await maker.make({ names: "IP:127.0.0.1" });
  const answers = new Map<string, () => Response | Promise<Response>>();
  const asked: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, cert, key, onListen() {} }, ({ url }) => {
    const { pathname } = new URL(url);
    asked.push(pathname);
    return answers.get(pathname)?.() ?? new Response("not here", { status: 404 });
  });
  stack.defer(() => server.shutdown());
  const { port } = server.addr;
  const service = stack.use(
    await startService({
      env: { ...OAUTH_ENV, SVC_OUTBOUND_PORTS: String(port), SVC_FEDERATION_CA_FILE: maker.authorityFile, ...env },
    }),
  );
  const owned = stack.move();
  const origin = `https://127.0.0.1:${port}`;
  return { origin, port, answers, asked, service, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

Deno.test("T77 a client that publishes itself is shown with its host, and let in under its address", async () => {
  await using publisher = await startPublisher();
  const { service, origin, answers, asked } = publisher;
  const id = `${origin}/client.json`;
  answers.set(
    "/client.json",
    () =>
      Response.json({ client_id: id, client_name: "Published\u202e agent", redirect_uris: [REDIRECT], logo_uri: "x" }),
  );
  const request = ask(id);
  assert.equal((await service.get(`/oauth/authorize?${request.query}`, { key: null })).status, 302);
  assert.deepEqual(asked, [], "nobody who has not logged in makes the service fetch anything");
  const person = await logIn(service);
  const { body } = await person.send("POST", REQUEST, { query: request.query });
  assert.deepEqual([body.client, body.publisher], ["Published agent", new URL(origin).host]);
  const { body: tokens } = await exchange(service, request, await codeOf(person, request));
  assert.equal((await send(service, "tools/list", {}, { key: tokens.access_token })).status, 200);
  assert.deepEqual(asked, ["/client.json"], "the document is kept for some minutes");
});

Deno.test("T77 a document that is another's, too large, not JSON, elsewhere or slow to be trusted is refused", async () => {
  await using publisher = await startPublisher();
  const { service, origin, answers } = publisher;
  const person = await logIn(service);
  const tried = async (id: string) => {
    const { status, body } = await person.send("POST", REQUEST, { query: ask(id).query });
    return status === 400 ? body.message : status;
  };
  const document = (path: string, more: object = {}) => ({
    client_id: origin + path,
    client_name: "Agent",
    redirect_uris: [REDIRECT],
    ...more,
  });
  const bad: Record<string, () => Response> = {
    "/other": () => Response.json(document("/client.json")),
    "/none": () => Response.json({ redirect_uris: [REDIRECT] }),
    "/uris": () => Response.json(document("/uris", { redirect_uris: ["javascript:alert(1)"] })),
    "/large": () => Response.json(document("/large", { client_uri: "x".repeat(20_000) })),
    "/html": () => new Response(JSON.stringify(document("/html")), { headers: { "content-type": "text/html" } }),
    "/broken": () => new Response("{", { headers: { "content-type": "application/json" } }),
    "/moved": () => new Response(null, { status: 302, headers: { location: `${origin}/good` } }),
    "/error": () => new Response("no", { status: 500 }),
  };
  answers.set("/good", () => Response.json(document("/good")));
  for (const [path, answer] of Object.entries(bad)) {
    answers.set(path, answer);
    assert.equal(typeof await tried(origin + path), "string", path);
  }
  assert.equal(await tried(`${origin}/good`), 200);
  for (const id of [origin, `${origin}/`, `${origin}/good?x=1`, `${origin}/good#x`, `${origin}/a/../good`]) {
    assert.equal(typeof await tried(id), "string", id);
  }
  assert.equal(typeof await tried(`${origin.replace("https", "http")}/good`), "string");
});

Deno.test("T77 who leaves while the document of a client is fetched spoils it for nobody who waits for it, too", async () => {
  await using publisher = await startPublisher();
  const { service, origin, answers, asked } = publisher;
  const id = `${origin}/client.json`, open = Promise.withResolvers<void>();
  answers.set("/client.json", async () => {
    await open.promise;
    return Response.json({ client_id: id, client_name: "Agent", redirect_uris: [REDIRECT] });
  });
  const [one, other] = [await logIn(service), await logIn(service)];
  const leaving = new AbortController();
  const left = service.service.fetch(
    new Request(`http://svc.test${REQUEST}`, {
      method: "POST",
      headers: { ...PAGE, "x-svc-console": one.proof, cookie: one.cookie, "content-type": "application/json" },
      body: JSON.stringify({ query: ask(id).query }),
      signal: leaving.signal,
    }),
  );
  await waitFor("the document is asked for", () => Promise.resolve(asked.length === 1));
  const stays = other.send("POST", REQUEST, { query: ask(id).query });
  leaving.abort();
  open.resolve();
  await left.catch(() => {});
  assert.equal((await stays).status, 200);
  assert.equal((await other.send("POST", REQUEST, { query: ask(id).query })).status, 200);
  assert.equal(asked.length, 1);
});

Deno.test("T77 T69 the document of a client leads the service to no private address and no other port", async () => {
  await using publisher = await startPublisher({ SVC_OUTBOUND_ALLOW_CIDRS: "" });
  const { service, origin, port, asked } = publisher;
  const person = await logIn(service);
  for (
    const id of [
      `${origin}/client.json`,
      `https://localhost:${port}/client.json`,
      `https://[::1]:${port}/client.json`,
      `https://169.254.169.254/latest/meta-data`,
      `https://10.0.0.1/client.json`,
      `https://0x7f.1:${port}/client.json`,
      `https://127.0.0.1:22/client.json`,
      `https://user@127.0.0.1:${port}/client.json`,
    ]
  ) {
    const { status } = await person.send("POST", REQUEST, { query: ask(id).query });
    assert.equal(status, 400, id);
  }
  assert.deepEqual(asked, []);
});
