/** An orderly stop with RPC streams of each kind open. docs/reference/guarantees.md F13. */
import assert from "node:assert/strict";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { startProcess } from "../_process.ts";
import { startService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { clientOf, errorOf, next } from "./_client.ts";

Deno.test({
  ...POSTGRES,
  name: "F13 SIGTERM ends RPC streams with the reason that it stops, and an ingest with its summary: exit 0",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const database = stack.use(await createDatabase());
    const started = stack.use(
      await startProcess({ DATABASE_URL: database.requestUrl, SVC_RATE_LIMIT_PER_MINUTE: "0" }),
    );
    await started.listening();
    const key = await waitFor("the first key", () => /svc_live_\w{61}/.exec(started.output())?.[0]);
    const client = clientOf({ key }, { fetch, baseUrl: started.url });
    const over = Promise.withResolvers<void>();
    const from = async function* <T>(...messages: T[]) {
      yield* messages;
      await over.promise;
    };
    const watch = client.watchMemory({})[Symbol.asyncIterator]();
    assert.ok((await next(watch)).cursor);
    const session = client.session(from({ message: { case: "start", value: {} } as const }))[Symbol.asyncIterator]();
    assert.equal((await next(session)).response.case, "session");
    const maker = stack.use(await startService({ database, realHashCost: true }));
    const federating = clientOf({ key: await maker.createKey({ scopes: ["federation"] }) }, {
      fetch,
      baseUrl: started.url,
    });
    const pull = { id: "1", message: { case: "pull", value: {} } } as const;
    const sync = federating.federationSync(from(pull))[Symbol.asyncIterator]();
    assert.equal((await next(sync)).message.case, "page");
    // One batch, which is seen once it is committed, and the beginning of another.
    const fact = (statement: string) => ({ item: { case: "fact", value: { statement } } } as const);
    const items = [...Array<object>(199).fill({}), fact("Ada keeps a dog."), fact("Ada is late.")];
    const ingest = client.ingestBatch(from(...items));
    const headers = { authorization: `Bearer ${key}` };
    await waitFor("the first batch", async () => {
      return (await (await fetch(`${started.url}/v1/memory/facts`, { headers })).json()).data.length === 1;
    });
    const drain = async (stream: AsyncIterator<unknown>) => {
      while (!(await stream.next()).done);
    };
    const ends = [errorOf(drain(watch)), errorOf(drain(session)), errorOf(drain(sync))];
    started.kill("SIGTERM");
    for (const end of ends) {
      assert.deepEqual([(await end).code, (await end).detail?.code], ["Unavailable", "unavailable"]);
    }
    const { settled, ended } = await ingest;
    assert.deepEqual([settled, ended?.code], [200, "unavailable"]);
    over.resolve();
    assert.equal(await started.exitCode, 0, started.output());
    assert.match(started.output(), /"event":"server\.stopped"[^\n]*"drained":true/);
  },
});
