/** Sessions by the caller's own name. */
import assert from "node:assert/strict";
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
