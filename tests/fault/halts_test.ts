/** Texts that break programs, with the sentence encoder on: what is said of each, what is kept, and who waits for it. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { waitFor } from "../_wait.ts";
import { type Answer, send, ServiceProcess } from "./_process.ts";
import { Stage } from "./_stage.ts";

/**
 * The most CPU time of the service's thread between two looks at it, in milliseconds: no piece of work takes 100, but on a
 * busy machine a look may come late, after two of them.
 */
const HALT_CPU_MAX_MS = 200;

const TWELVE = "The cat sleeps. Die Katze schläft. Le chat dort. El gato duerme. Il gatto dorme. O gato dorme. " +
  "Кот спит. Η γάτα κοιμάται. القطة نائمة. החתול ישן. 猫が寝ている。 고양이가 잔다. ";

/** Texts by name, each within the limits of a turn. */
const ODD: Readonly<Record<string, string>> = {
  "one letter": "a",
  "10,000 emoji": "😀".repeat(10_000),
  "families of emoji": "👩‍👩‍👧‍👦❤️‍🔥".repeat(1_200),
  "right to left": "אני גר בתל אביב כי אחותי גרה שם. ".repeat(900) + "أعيش في لشبونة منذ مارس. ".repeat(200),
  "marks of direction": "\u202eabc\u202c \u2067שלום\u2069 ".repeat(2_000),
  "mixed scripts": "Ada の猫 Мурка שלום 42 ".repeat(1_500),
  "twelve languages": TWELVE.repeat(150),
  "ligatures of eighteen letters": "\ufdfa".repeat(21_000),
  "marks on one letter": "e" + "\u0301".repeat(30_000),
  "no space": "a".repeat(65_536),
  "nothing but space between": `a${" \t".repeat(30_000)}b`,
  "numbers": "1 ".repeat(32_000),
  "brackets": "[({<".repeat(15_000),
  "quotes": `"'“‘`.repeat(7_000),
  "newlines": "a\n".repeat(32_000),
};

/** Bodies that JSON may hold and no text may. */
const UNPAIRED = [String.raw`"\ud83d"`, String.raw`"x\ude00y"`, String.raw`"\ude00\ud83d"`];

interface Halts {
  /** The longest since the last look. */
  longest(): Promise<number>;
}

function watch(file: string): Halts {
  let from = 0;
  return {
    async longest() {
      // Its lines come in blocks: the one that is written now ends what has been done before.
      const now = Date.now();
      const lines = await waitFor("the halts until now", async () => {
        const all = (await Deno.readTextFile(file)).trim().split("\n").map((line) => line.split(" ").map(Number));
        return all.at(-1)![0] > now ? all : undefined;
      });
      const cpu = lines.filter(([at]) => at >= from && at <= now).map(([, , cpuMs]) => cpuMs);
      from = now;
      return Math.max(0, ...cpu);
    },
  };
}

Deno.test({
  ...POSTGRES,
  ignore: POSTGRES.ignore || Deno.build.os !== "linux",
  name: "texts that break programs are kept or refused with a reason, and nobody else waits for them",
  async fn(t) {
    await using stage = await Stage.open({ nodes: 1 });
    const [{ key }] = stage.tenants;
    const file = await Deno.makeTempFile({ prefix: "svc-halts-" });
    stage.stack.defer(() => Deno.remove(file));
    const env = { ...stage.env, SVC_SENTENCE_ENCODER: "on", BENCH_LAG_FILE: file };
    const node = await ServiceProcess.start(env, { program: "scripts/bench/_lag.ts" });
    stage.nodes.push(node);
    const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
      send(node.url, key, method, path, body);
    const say = async (turns: readonly string[]) => {
      const { body: { id } } = await call("POST", "/session", {});
      const body = { turns: turns.map((content) => ({ role: "user", content })) };
      return { id, reply: await call("POST", `/session/${id}/turns`, body) };
    };
    // The engine translates each rule when it first meets a text of its alphabet, which is no matter of the text's length.
    for (const text of [TWELVE, "I moved to Lisbon in March because my sister lives there. My dog is called Rex."]) {
      const { id } = await say([text]);
      await call("POST", `/session/${id}/collapse`, {});
      await call("POST", "/memory/recall", { query: text });
    }
    const halts = watch(file);
    await halts.longest();

    for (const [name, text] of Object.entries(ODD)) {
      await t.step(
        `${name}: a turn, its context, its collapse, a question in full, hot and explained, and a fact`,
        async () => {
          const { id, reply } = await say([text]);
          equal(reply.status, 201, JSON.stringify(reply.body).slice(0, 500));
          const turns = await call("GET", `/session/${id}/turns`);
          ok(turns.body.data[0].content === text, "the text is kept as it was");
          equal((await call("GET", `/session/${id}/context?maxTokens=1000`)).status, 200);
          equal((await call("POST", `/session/${id}/collapse`, {})).status, 200);
          const query = text.slice(0, 4_000).toWellFormed().replaceAll("\ufffd", "");
          for (const path of ["/memory/recall", "/memory/recall/hot", "/memory/recall/explain"]) {
            equal((await call("POST", path, { query })).status, 200, path);
          }
          const fact = await call("POST", "/memory/facts", { statement: query });
          ok([200, 201].includes(fact.status), JSON.stringify(fact.body).slice(0, 500));
          const halt = await halts.longest();
          ok(halt < HALT_CPU_MAX_MS, `the service stood still for ${halt} ms of CPU`);
        },
      );
    }

    const { id: first } = await say(["Hello."]);
    await t.step("what is too long is refused with the limit, and the next request is served", async () => {
      for (
        const [path, body] of [
          ["/memory/recall", { query: "Where is it? ".repeat(1_540) }],
          ["/memory/recall/hot", { query: "why ".repeat(5_000) }],
          ["/memory/facts", { statement: "word ".repeat(200_000) }],
          ["/memory/facts", { statement: "😀".repeat(10_000) }],
          ["/session", { title: "x".repeat(1_000_000) }],
          [`/session/${first}/turns`, { role: "user", content: "One more word. ".repeat(70_000) }],
          [`/session/${first}/turns`, { role: "user", content: "😀".repeat(250_000) }],
        ] as const
      ) {
        const { status, body: refusal } = await call("POST", path, body);
        ok([413, 422].includes(status), `${path}: ${status}`);
        match(refusal.message, /\d/, "it names the limit");
        equal((await call("GET", "/whoami")).status, 200);
      }
    });

    await t.step("an unpaired surrogate is refused wherever a text stands", async () => {
      for (const text of UNPAIRED) {
        for (
          const [path, body] of [
            ["/memory/facts", `{"statement": ${text}}`],
            ["/memory/recall", `{"query": ${text}}`],
            ["/memory/recall/hot", `{"query": ${text}}`],
            [`/session/${first}/turns`, `{"role": "user", "content": ${text}}`],
            ["/session", `{"title": ${text}}`],
          ]
        ) {
          const { status, body: refusal } = await call("POST", path, body);
          deepEqual([status, refusal.code], [422, "validation_failed"], `${path} ${text}`);
        }
      }
    });

    await t.step("all of them in one batch, while their vectors are made", async () => {
      const { reply } = await say(Object.values(ODD).map((text) => text.slice(0, 8_000).toWellFormed()));
      equal(reply.status, 201, JSON.stringify(reply.body).slice(0, 500));
      await waitFor("the vectors", async () => {
        equal(await node.status("/healthz"), 200);
        return (await call("GET", "/memory/health")).body.embeddingBacklog === 0;
      });
      const halt = await halts.longest();
      ok(halt < HALT_CPU_MAX_MS, `the service stood still for ${halt} ms of CPU`);
    });
  },
});
