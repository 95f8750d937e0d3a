/** The texts and the operations, each at its limits, whose halts of the event loop `halts.ts` measures. */

/** Makes the `n`-th text of a kind, of that many UTF-16 units. */
export type MakeText = (length: number, n: number) => string;

const PROSE =
  "Ada moved to Lisbon in March because her sister Nora lives there. We agreed to use Postgres for billing instead of " +
  "MySQL. My favourite colour is green, and I never drink coffee after four. The deploy failed again yesterday, so Tom " +
  "will look at it on Friday. ";

/** Pseudo-random numbers from 0 to 1, the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed * 2_654_435_761 >>> 0 || 1;
  return () => (state = (state * 1_103_515_245 + 12_345) >>> 0) / 2 ** 32;
}

/** A text of random characters of an alphabet; with `word`, a space after that many. */
function randomOf(characters: readonly string[], word = 0): MakeText {
  return (length, n) => {
    const next = numbers(n + 1);
    let text = "";
    for (let i = 1; text.length < length; i++) {
      text += characters[Math.floor(next() * characters.length)] + (word > 0 && i % word === 0 ? " " : "");
    }
    return text.slice(0, length).toWellFormed().replaceAll("\ufffd", " ");
  };
}

function range(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, i) => String.fromCodePoint(from + i));
}

function repeated(piece: string): MakeText {
  return (length, n) => `${n} `.concat(piece.repeat(Math.ceil(length / piece.length))).slice(0, length);
}

export const TEXTS: Readonly<Record<string, MakeText>> = {
  prose: (length, n) => repeated(PROSE.slice(n % 60) + `This is note ${n}. `)(length, n),
  digits: randomOf(range(0x30, 0x3a)),
  ones: repeated("1 "),
  CJK: randomOf(range(0x4e00, 0x9000)),
  Hangul: randomOf(range(0xac00, 0xd000), 4),
  Arabic: randomOf(range(0x627, 0x64a), 6),
  words: randomOf(range(0x61, 0x7b), 6),
  // A character that stands for eighteen.
  ligatures: repeated("\ufdfa"),
  emoji: randomOf(["😀", "🎉", "👩‍👩‍👧", "❤️", "🔥"]),
  space: (length, n) => `a${" \t".repeat(length / 2 - 8)}${n}`,
  word: (length, n) => `${n}${"a".repeat(length)}`.slice(0, length),
};

/** A text of a kind with at most that many bytes in UTF-8. */
function textOf(make: MakeText, bytes: number, n: number): string {
  const text = make(bytes, n);
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}

/** What a case needs: calls of the service, the kind of text, and what earlier cases left. */
export interface Stage {
  readonly call: (method: string, path: string, body?: unknown) => Promise<Json>;
  /** A request whose body and reply are text; `elsewhere`: to another workspace. */
  readonly raw: (method: string, path: string, body: string, type: string, elsewhere?: boolean) => Promise<string>;
  readonly rpc: (name: string, argument: unknown) => Promise<Json>;
  readonly text: (bytes: number, n: number) => string;
  readonly left: Record<string, string>;
}

// deno-lint-ignore no-explicit-any
type Json = any;

export interface Case {
  readonly name: string;
  /** What comes before and is not measured. */
  readonly before?: (stage: Stage) => Promise<void>;
  readonly run: (stage: Stage) => Promise<unknown>;
}

const TURNS = 250;
const TURN_BYTES = 4_000;
const ITEMS = 500;
const STATEMENT_BYTES = 16_384;

function each<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n));
}

async function openSession({ call, text, left }: Stage): Promise<void> {
  left.session = (await call("POST", "/v1/session", {})).id;
  left.turns = JSON.stringify(each(TURNS, (n) => ({ role: "user", content: text(TURN_BYTES, n) })));
}

/** Opens a session with that many turns of a length. */
async function openLong({ call, text, left }: Stage, turns: number, bytes: number): Promise<void> {
  left.session = (await call("POST", "/v1/session", {})).id;
  for (let from = 0; from < turns; from += ITEMS) {
    const made = each(Math.min(ITEMS, turns - from), (n) => ({ role: "user", content: text(bytes, from + n) }));
    await call("POST", `/v1/session/${left.session}/turns`, { turns: made });
  }
}

const TINY_TURNS = 100_000;
const LONG_TURNS = 240;

/** In order: a case may use what those before it left. */
export const CASES: readonly Case[] = [
  {
    name: `${TURNS} turns of ${TURN_BYTES} bytes`,
    before: openSession,
    run: ({ call, left }) => call("POST", `/v1/session/${left.session}/turns`, { turns: JSON.parse(left.turns!) }),
  },
  {
    name: "their context",
    run: ({ call, left }) => call("GET", `/v1/session/${left.session}/context?maxTokens=4000`),
  },
  { name: "their collapse", run: ({ call, left }) => call("POST", `/v1/session/${left.session}/collapse`, {}) },
  {
    name: "a turn of 64 KiB, its context and collapse",
    async run({ call, text }) {
      const { id } = await call("POST", "/v1/session", {});
      await call("POST", `/v1/session/${id}/turns`, { role: "user", content: text(65_536, 1) });
      await call("GET", `/v1/session/${id}/context?maxTokens=1000`);
      await call("POST", `/v1/session/${id}/collapse`, {});
    },
  },
  {
    name: `context of 200,000 tokens of ${LONG_TURNS} turns of 16 KiB`,
    before: (stage) => openLong(stage, LONG_TURNS, STATEMENT_BYTES),
    run: ({ call, left }) => call("GET", `/v1/session/${left.session}/context?maxTokens=200000`),
  },
  {
    name: `context of 1,000 tokens of ${LONG_TURNS} turns of 16 KiB`,
    run: ({ call, left }) => call("GET", `/v1/session/${left.session}/context?maxTokens=1000`),
  },
  {
    name: `collapse of ${LONG_TURNS} turns of 16 KiB`,
    run: ({ call, left }) => call("POST", `/v1/session/${left.session}/collapse`, {}),
  },
  {
    name: `context of ${TINY_TURNS} tiny turns`,
    before: (stage) => openLong(stage, TINY_TURNS, 12),
    run: ({ call, left }) => call("GET", `/v1/session/${left.session}/context?maxTokens=200000`),
  },
  {
    name: `collapse of ${TINY_TURNS} tiny turns`,
    run: ({ call, left }) => call("POST", `/v1/session/${left.session}/collapse`, {}),
  },
  {
    name: `${ITEMS} facts of 1,900 bytes`,
    run: ({ call, text }) =>
      call("POST", "/v1/memory/facts/batch", { facts: each(ITEMS, (n) => ({ statement: text(1_900, n) })) }),
  },
  {
    name: "export",
    async run({ raw, left }) {
      left.file = await raw("POST", "/v1/memory/admin/export", "{}", "application/json");
    },
  },
  {
    name: "import of it, elsewhere",
    run: ({ raw, left }) => raw("POST", "/v1/memory/admin/import", left.file!, "application/x-ndjson", true),
  },
  {
    name: `${ITEMS} facts of 16 KiB`,
    run: ({ call, text }) =>
      call("POST", "/v1/memory/facts/batch", { facts: each(ITEMS, (n) => ({ statement: text(STATEMENT_BYTES, n) })) }),
  },
  {
    name: "the same again, a little changed",
    run: ({ call, text }) =>
      call("POST", "/v1/memory/facts/batch", {
        facts: each(ITEMS, (n) => ({ statement: text(STATEMENT_BYTES - 8, n) + " again" })),
      }),
  },
  {
    name: `${ITEMS} decisions of 16 KiB`,
    run: ({ call, text }) =>
      call("POST", "/v1/memory/decisions/batch", {
        decisions: each(ITEMS, (n) => ({ title: `Plan ${n}`, decision: text(STATEMENT_BYTES, n) })),
      }),
  },
  {
    name: `${ITEMS} episodes of 16 KiB`,
    run: ({ call, text }) =>
      call("POST", "/v1/memory/episodes/batch", {
        episodes: each(ITEMS, (n) => ({
          ...{ title: `Day ${n}`, summary: text(STATEMENT_BYTES, n), kind: "conversation" },
          ...{ startedAt: "2026-01-01T00:00:00Z", endedAt: "2026-01-01T01:00:00Z" },
        })),
      }),
  },
  {
    name: "recall, 4,096 characters",
    run: ({ call, text }) =>
      call("POST", "/v1/memory/recall", { query: text(16_384, 3).slice(0, 4_096).trim() || "a", limit: 100 }),
  },
  {
    name: "50 recalls of 4,096 characters",
    run: ({ call, text }) =>
      call("POST", "/v1/memory/recall/batch", {
        queries: each(50, (n) => ({ query: text(16_384, n).slice(0, 4_096).trim() || "a", limit: 100 })),
      }),
  },
  { name: "MCP remember, 16 KiB", run: ({ rpc, text }) => rpc("remember", { statement: text(16_000, 9) }) },
  {
    name: "consolidation",
    async run({ call }) {
      let { id, state } = await call("POST", "/v1/memory/admin/consolidate", { force: true });
      while (state !== "completed" && state !== "failed") {
        await new Promise((resolve) => setTimeout(resolve, 200));
        ({ id, state } = await call("GET", `/v1/memory/admin/jobs/${id}`));
      }
    },
  },
];

/** The texts of a kind for a stage. */
export function textsOf(kind: string): Stage["text"] {
  const make = TEXTS[kind]!;
  return (bytes, n) => textOf(make, bytes, n).trim() || "a";
}
