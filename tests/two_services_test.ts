/** Two services in one process share nothing, even where all that they hold has the same ids. */
import assert from "node:assert/strict";
import { answerOnce } from "../src/domain/access/idempotency.ts";
import { bitsCacheOf } from "../src/domain/recall/database/candidates.ts";
import { createDatabase, POSTGRES } from "./_postgres.ts";
import { startService, type TestService } from "./_service.ts";
import { scrape, valueOf } from "./http/_metrics.ts";
import { addSession, turn } from "./recall/_memory.ts";

/** A service on a copy of a database, as the first workspace's key sees it. */
class Twin implements AsyncDisposable {
  constructor(readonly service: TestService, readonly workspaceId: string, readonly key: string) {}

  /** @throws Error when the reply is a refusal */
  // deno-lint-ignore no-explicit-any
  async call(method: string, path: string, body?: unknown): Promise<any> {
    const reply = method === "POST"
      ? await this.service.post(path, body, { key: this.key })
      : await this.service.call(method, path, { body, key: this.key });
    assert.ok(reply.status < 300, `${method} ${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  async texts(path: string, more: object = {}): Promise<string[]> {
    const { results } = await this.call("POST", path, { query: "Which drink is for breakfast?", ...more });
    return results.map((result: { text: string }) => result.text);
  }

  async counted(name: string): Promise<number> {
    const ctx = this.service.operator(this.workspaceId);
    const [row] = await ctx.tx((tx) =>
      tx.sql<{ value: number }[]>`
      select value::int as value from usage_counter where workspace_id = ${tx.workspaceId} and name = ${name}`
    );
    return row?.value ?? 0;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.service[Symbol.asyncDispose]();
  }
}

/** Two services on copies of one database: the same workspace, key, session and place in the feed. */
async function startTwins(): Promise<AsyncDisposable & { twins: [Twin, Twin]; sessionId: string }> {
  await using stack = new AsyncDisposableStack();
  const origin = stack.use(await createDatabase());
  const first = await startService({ database: origin });
  const { workspaceId, key } = first;
  const { sessionId } = await addSession(first, [turn("Ann", "Good morning.")]);
  await first.get(`/v1/session/${sessionId}`);
  await first[Symbol.asyncDispose]();
  const twins: Twin[] = [];
  for (const _ of ["one", "two"]) {
    const database = stack.use(await createDatabase({ copyOf: origin }));
    twins.push(stack.use(new Twin(await startService({ database }), workspaceId, key)));
  }
  const [one, two] = twins as [Twin, Twin];
  const owned = stack.move();
  return { twins: [one, two], sessionId, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

Deno.test({
  ...POSTGRES,
  name: "two services in one process share nothing: not what they store, count or keep in memory",
  async fn(t) {
    await using world = await startTwins();
    const { twins: [one, two], sessionId } = world;
    const drinks = ["Ann drinks tea for breakfast.", "Bob drinks coffee for breakfast."];
    const facts: { seq?: number; id: string }[] = [];

    await t.step("what a service keeps to write later is written when it stops", async () => {
      const [row] = await one.service.operator(one.workspaceId).tx((tx) =>
        tx.sql<{ n: number }[]>`
        select count(*)::int as n from svc_audit_log
         where workspace_id = ${tx.workspaceId} and event_type = 'read.getSession'`
      );
      assert.equal(row!.n, 1);
    });

    await t.step("facts, and the hot tier and the profile that know them at the same place in the feed", async () => {
      for (const [i, twin] of [one, two].entries()) {
        facts.push(await twin.call("POST", "/v1/memory/facts", { statement: drinks[i] }));
        assert.deepEqual(await twin.texts("/v1/memory/recall/hot"), [drinks[i]]);
        assert.deepEqual(await twin.texts("/v1/memory/recall"), [drinks[i]]);
        const { text } = await twin.call("GET", "/v1/self/profile");
        assert.deepEqual(drinks.map((drink) => text.includes(drink)), [i === 0, i === 1]);
      }
    });

    await t.step("the counts of use, and when they are written", async () => {
      for (const twin of [one, two]) await twin.service.step("usage", twin.workspaceId);
      const before = [await one.counted("recall"), await two.counted("recall")];
      for (let i = 0; i < 3; i++) await one.texts("/v1/memory/recall");
      for (const twin of [two, one]) await twin.service.step("usage", twin.workspaceId);
      assert.deepEqual([await one.counted("recall"), await two.counted("recall")], [before[0]! + 3, before[1]]);
    });

    await t.step("metrics", async () => {
      const labels = { method: "POST", endpoint: "/v1/memory/recall", status: "200" };
      const counts = [];
      for (const { service } of [one, two]) counts.push(valueOf(await scrape(service), "svc_requests_total", labels));
      assert.deepEqual(counts, [4, 1]);
    });

    await t.step("what texts say by themselves, by the number of their document", async () => {
      const more = "Eve drinks juice for breakfast on 5 May 2026.";
      await one.call("POST", "/v1/memory/facts", { statement: more });
      // Of a time that is named the database recalls, not the hot tier.
      assert.equal((await one.texts("/v1/memory/recall", { asOf: new Date().toISOString() })).length, 2);
      const [row] = await one.service.operator(one.workspaceId).tx((tx) =>
        tx.sql<{ docNo: number }[]>`
        select doc_no::int as "docNo" from unit where workspace_id = ${tx.workspaceId} and text = ${more}`
      );
      const isKnown = ({ service, workspaceId }: Twin) => bitsCacheOf(service.deps).open(workspaceId).has(row!.docNo);
      assert.deepEqual([isKnown(one), isKnown(two)], [true, false]);
    });

    await t.step("the words that a session has said", async () => {
      const say = async (twin: Twin, content: string) => {
        const { turns: [said] } = await twin.call("POST", `/v1/session/${sessionId}/turns`, {
          turns: [turn("Ann", content)],
        });
        return said.id;
      };
      await say(two, "Flamingos wade.");
      await say(one, "Penguins swim.");
      const id = await say(two, "See Flamingos wade in Faro.");
      const [row] = await two.service.operator(two.workspaceId).tx((tx) =>
        tx.sql<{ bits: number }[]>`
        select (features->>'bits')::bigint::int as bits from turn where workspace_id = ${tx.workspaceId} and id = ${id}`
      );
      assert.equal(row!.bits >>> 20 & 0xff, 2, "two of its words are new in this session");
      assert.equal(row!.bits >>> 28, 2, "and the number of its names is kept");
    });

    await t.step("requests under way: the same one is answered here while it runs there", async () => {
      const request = { operationId: "test", key: "k", fingerprint: ["f"] };
      const begun = Promise.withResolvers<void>();
      const end = Promise.withResolvers<void>();
      const answer = (twin: Twin, body: string, work: () => Promise<void>) =>
        answerOnce(twin.service.operator(twin.workspaceId), request, async () => {
          await work();
          return { status: 200, headers: {}, body };
        });
      const slow = answer(one, "one", () => {
        begun.resolve();
        return end.promise;
      });
      try {
        await begun.promise;
        const { reply } = await answer(two, "two", async () => {});
        assert.equal(reply.body, "two");
      } finally {
        end.resolve();
        assert.equal((await slow).reply.body, "one");
      }
    });
  },
});
