/** Sessions by the caller's own name. */
import assert from "node:assert/strict";
import { createClient } from "../../clients/typescript/mod.ts";
import { clientOf, startAnyService } from "./_client.ts";

Deno.test("a session is found or started by its name, once, however many ask at once; its turns arrive in order", async () => {
  await using service = await startAnyService();
  const svc = clientOf(service);
  const handles = Array.from({ length: 5 }, () => svc.session("chat-4711", { title: "Support call" }));
  const ids = await Promise.all(handles.flatMap((handle) => [handle.id(), handle.id()]));
  assert.equal(new Set(ids).size, 1);
  const [session] = handles;
  assert.equal((await session!.get()).title, "Support call");
  // More than the service takes at once.
  const turns = Array.from(
    { length: 501 },
    (_, i) => ({ role: "user" as const, content: `Line ${i}`, messageId: `m${i}` }),
  );
  await session!.add(turns);
  await session!.add(turns.slice(499));
  await svc.session({ id: ids[0]! }).add({ role: "assistant", content: "Noted." });
  const said = (await Array.fromAsync(session!.turns())).map(({ content }) => content);
  assert.deepEqual(said, [...turns.map(({ content }) => content), "Noted."]);
  const { turns: last } = await session!.context();
  assert.equal(last.at(-1)!.content, "Noted.");
});

Deno.test("a session that could not be started is asked for again; a name of nothing is refused", async () => {
  await using service = await startAnyService();
  let isDown = true;
  const svc = clientOf(service, { retries: 0 }, () => {
    if (isDown) throw new TypeError("no network");
  });
  const session = svc.session("later");
  await assert.rejects(session.add({ role: "user", content: "one" }), { code: "connection_failed" });
  isDown = false;
  await session.add({ role: "user", content: "one" });
  assert.equal((await session.get()).turnCount, 1);
  for (const name of ["", undefined, { id: "" }]) assert.throws(() => svc.session(name as string), TypeError);
});

Deno.test("a caller who gives up does not take the session from the others who wait for it", async () => {
  await using service = await startAnyService();
  const held = Promise.withResolvers<void>();
  const started: AbortSignal[] = [];
  const svc = createClient({
    url: "http://svc.test",
    key: service.key,
    retries: 0,
    timeoutMs: 120_000,
    fetch: async (input, init = {}) => {
      if (started.push(init.signal!) === 1) await Promise.race([held.promise, rejection(init.signal!)]);
      return await service.service.fetch(new Request(input, init));
    },
  });
  const session = svc.session("shared");
  const [first, third] = [new AbortController(), new AbortController()];
  const asked = [
    session.id({ signal: first.signal }),
    session.id(),
    session.id({ signal: third.signal }),
    session.id({ signal: new AbortController().signal }),
  ];
  third.abort(new Error("third"));
  await assert.rejects(asked[2]!, { message: "third" });
  first.abort(new Error("first"));
  await assert.rejects(asked[0]!, { message: "first" });
  assert.equal(await asked[1], await asked[3]);
  assert.equal(started.length, 2, "the others share one request");
  held.resolve();
});

Deno.test("a caller with little time does not shorten that of the others who wait for the session", async () => {
  await using service = await startAnyService();
  let asked = 0;
  const svc = createClient({
    url: "http://svc.test",
    key: service.key,
    retries: 0,
    timeoutMs: 120_000,
    fetch: async (input, init = {}) => {
      if (asked++ === 0) await rejection(init.signal!);
      return await service.service.fetch(new Request(input, init));
    },
  });
  const session = svc.session("shared");
  const [hurried, patient] = [session.id({ timeoutMs: 20 }), session.id()];
  await assert.rejects(hurried, { code: "timeout" });
  assert.equal(await patient, await session.id());
  assert.equal(asked, 2);
});

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}
