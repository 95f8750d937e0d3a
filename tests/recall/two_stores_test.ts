/** Whichever store answers a recall, the results, their order, their scores and the reasons are the same. */
import assert from "node:assert/strict";
import { readCollapseSet } from "../../scripts/bench/_collapse_set.ts";
import { readCaseStores, readChatter, readParaphraseStores } from "../../scripts/train/precision_data.ts";
import { createContext, type OperationContext } from "../../src/context.ts";
import { hotTierOf } from "../../src/domain/recall/hot/tier.ts";
import { explainWith, toQueryVector } from "../../src/domain/recall/recall.ts";
import { ExplainRecallBody, type ExplainRecallReply } from "../../src/schema/recall.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { readChatUpdates, readCompatible, readFurtherUpdates, readUpdates } from "../_updates.ts";
import { waitFor } from "../_wait.ts";
import { scrape, valueOf } from "../http/_metrics.ts";
import { addSession, addUnits, turn } from "./_memory.ts";
import { LANGUAGES, readPairs } from "./_languages.ts";

/** Facts of one request, and facts that are written without one. */
const BATCH = 100;

/** What a file of `tests/data` tells a workspace, and what it asks. */
interface Told {
  /** Statements that are compared with each other when they are written. */
  readonly compared: readonly string[];
  readonly statements: readonly string[];
  readonly sessions: readonly (readonly Record<string, unknown>[])[];
  readonly questions: readonly string[];
}

const NOTHING: Told = { compared: [], statements: [], sessions: [], questions: [] };

async function readData(): Promise<Told[]> {
  const { fitted, held } = readParaphraseStores();
  const stores = [...readCaseStores(), fitted, { ...held, facts: {} }];
  const languages = (await Promise.all(LANGUAGES.map(readPairs))).flat();
  const updates = [...await readUpdates(), ...await readFurtherUpdates()];
  const chats = await readChatUpdates();
  const conversations = await readCollapseSet();
  return [
    {
      ...NOTHING,
      statements: stores.flatMap(({ facts }) => Object.values(facts ?? {})),
      sessions: stores.flatMap(({ sessions = [] }) =>
        sessions.map(({ at, turns }) =>
          turns.map(([, name, text]) => turn(name, text, { occurredAt: new Date(at).toISOString() }))
        )
      ),
      questions: stores.flatMap(({ cases }) => cases.map(({ query }) => query)),
    },
    {
      ...NOTHING,
      statements: languages.map(({ fact }) => fact),
      questions: languages.flatMap(({ question, short }) => [question, short]),
    },
    {
      ...NOTHING,
      compared: updates.flatMap(({ older, newer }) => [older, newer]),
      statements: (await readCompatible()).flatMap(({ older, newer }) => [older, newer]),
      questions: updates.map(({ question }) => question),
    },
    {
      ...NOTHING,
      sessions: chats.map(({ older, newer }) => [turn("Ada", older), turn("Ada", newer)]),
      questions: chats.map(({ question }) => question),
    },
    {
      ...NOTHING,
      sessions: conversations.map(({ turns }) =>
        turns.map(({ role, name, content, occurredAt }) => ({ role, ...(name && { name }), content, occurredAt }))
      ),
      questions: conversations.flatMap(({ turns }) => turns.slice(0, 2).map(({ content }) => content.slice(0, 500))),
    },
    { ...NOTHING, questions: readChatter() },
  ];
}

async function tell(service: TestService, { compared, statements, sessions }: Told): Promise<void> {
  for (let at = 0; at < compared.length; at += BATCH) {
    const facts = compared.slice(at, at + BATCH).map((statement) => ({ statement }));
    const { status, body } = await service.post("/v1/memory/facts/batch", { facts });
    assert.ok(status < 300, JSON.stringify(body));
  }
  for (let at = 0; at < statements.length; at += BATCH) {
    await addUnits(service.operator(), statements.slice(at, at + BATCH).map((text) => ({ text })));
  }
  for (const turns of sessions) await addSession(service, turns);
}

/** What a reply says, without times and identifiers of the reply. */
function toContent({ usage, tiers, traceId: _, trace, ...reply }: ExplainRecallReply) {
  const { roundTrips: __, ...traced } = trace!;
  return { ...reply, tokens: usage.tokens, tiers: tiers.map(({ durationMs: _, ...tier }) => tier), trace: traced };
}

function contextOf(service: TestService): OperationContext {
  const operator = service.operator();
  return createContext(service.deps, operator, operator);
}

Deno.test({
  ...POSTGRES,
  name: "memory and the database find, order, score and explain alike what tests/data asks",
  async fn() {
    await using service = await startService({
      env: { SVC_SENTENCE_ENCODER: "table", SVC_HOT_UNITS_MAX: "50000" },
    });
    const data = await readData();
    for (const told of data) await tell(service, told);
    const ctx = contextOf(service);
    await waitFor("the workspace in memory", () => hotTierOf(service.deps).findComplete(ctx));
    const questions = [...new Set(data.flatMap((told) => told.questions))];
    assert.ok(questions.length > 1_000, `${questions.length} questions`);
    for (const query of questions) {
      const body = ExplainRecallBody.parse({ query, include: ["trace"] });
      const [vector] = await service.deps.embeddings.embed([query], { purpose: "query" });
      const known = toQueryVector(ctx, vector!, "table");
      const database = await explainWith(ctx, body, known, "database");
      assert.deepEqual(toContent(await explainWith(ctx, body, known)), toContent(database), query);
    }
    const inMemory = valueOf(await scrape(service), "svc_recall_sources_total", { source: "memory" });
    assert.ok(inMemory > 0.9 * questions.length, `${inMemory} of ${questions.length} were ranked in memory`);
  },
});
