/**
 * What a service shows for questions about statements that it has linked: the data that `newer.ts` fits the model of their
 * order on. A service of its own is told the statements; their links and vectors are read from its database.
 */
import postgres from "postgres";
import {
  halfOf,
  readCompatible,
  readFurtherCompatible,
  readFurtherUpdates,
  readToldCompatible,
  readToldUpdates,
  readUpdates,
} from "../../tests/_updates.ts";
import { SentenceEncoder } from "../../src/providers/sentence_encoder/sentence_encoder.ts";
import { seemsEnglish } from "../../src/retrieval/mod.ts";
import { note } from "../bench/_bench.ts";
import { type Ask, clientOf, type Json, type NewerPair, readNewerSet, tellPairs } from "../bench/_newer_set.ts";
import { type Access, type BenchService, startBenchService } from "../bench/_service.ts";

/** A fact or a turn as the service stores it. */
export interface StoredText {
  readonly id: string;
  readonly type: "fact" | "turn";
  readonly text: string;
  /** The subject and the predicate of a fact. */
  readonly tripleKey?: string | null;
  readonly docNo: number;
  /** When it began to hold, or was said, in ms. */
  readonly at: number;
  readonly trust: number;
  readonly status: string;
  readonly stale: boolean;
  readonly citations: readonly { readonly sessionId?: string; readonly messageId?: string }[];
  readonly sessionId?: string;
  readonly messageId?: string;
}

/** A result before newer statements are put above older ones. */
export interface Ranked {
  readonly id: string;
  readonly score: number;
  readonly outdatedBy?: string;
  readonly contested: boolean;
}

/** A question, and what it finds. */
export interface Page {
  readonly id: string;
  readonly kind: NewerPair["kind"];
  /** `plain`: a pair of plain statements that has the workspace to itself. */
  readonly told: NewerPair["told"] | "plain";
  readonly isForeign: boolean;
  readonly question: string;
  readonly right: "older" | "newer";
  /** The stored facts and turns of each side. */
  readonly older: readonly string[];
  readonly newer: readonly string[];
  /** What a reply offers, and the ten best if nothing is cut. */
  readonly cut: readonly Ranked[];
  readonly all: readonly Ranked[];
  /** The cosine of each text with the question; empty: the encoder cannot read it. */
  readonly near: Readonly<Record<string, number>>;
}

/** The texts of one workspace, the links between them, and its questions. */
export interface Lot {
  readonly texts: readonly StoredText[];
  readonly links: readonly {
    readonly older: string;
    readonly newer: string;
    readonly strength: number;
    readonly words: number;
  }[];
  readonly pages: readonly Page[];
}

const LOT = 25;
/** Of the plain pairs, each so many-th is told: they are many. */
const PLAIN_STEP = 3;
const PARAPHRASES = new URL("../../tests/data/paraphrases/paraphrases.psv", import.meta.url);
/** Newer statements are not put above older ones if a request names a window. */
const WINDOW = { from: "1970-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z" };
const DAY_MS = 86_400_000;

/** A workspace that is told statements and asked about them. */
class Store {
  readonly ask: Ask;
  #texts: StoredText[] = [];
  #links: Lot["links"] = [];
  #vectors = new Map<string, readonly number[]>();

  constructor(
    readonly sql: postgres.Sql,
    readonly encoder: SentenceEncoder,
    { url }: BenchService,
    readonly access: Access,
  ) {
    this.ask = clientOf(url, access.key);
  }

  async fact(statement: string, occurredAt?: string): Promise<string> {
    const { id } = await this.ask("POST", "/v1/memory/facts", { statement, attribution: "user_stated", occurredAt });
    return id;
  }

  /** Reads what is stored, once all of it has its vector. */
  async read(): Promise<void> {
    const { sql, access: { workspaceId: ws } } = this;
    for (;;) {
      const [row] = await sql<[{ n: number }]>`
        select count(*)::int as n from embedding_pending where workspace_id = ${ws}`;
      if (row.n === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const stored = await sql<(StoredText & { readonly vector: string | null })[]>`
      select t.*, e.vector::text as vector from (
        select id, 'fact' as type, text, triple_key as "tripleKey", doc_no::float8 as "docNo", trust_score as trust, status, stale,
               coalesce(body -> 'citations', '[]') as citations, null::uuid as "sessionId", null::text as "messageId",
               (extract(epoch from coalesce(valid_from, occurred_at, recorded_at)) * 1000)::float8 as at
          from unit where workspace_id = ${ws} and type = 'fact'
        union all
        select id, 'turn', content, null, doc_no::float8, 100, 'active', false, '[]', session_id, message_id,
               (extract(epoch from occurred_at) * 1000)::float8 from turn where workspace_id = ${ws}) t
        left join embedding e on e.workspace_id = ${ws} and e.doc_no = t."docNo"`;
    this.#texts = stored.map(({ vector: _, ...text }) => text);
    this.#vectors = new Map(stored.flatMap(({ id, vector }) => vector === null ? [] : [[id, JSON.parse(vector)]]));
    this.#links = await sql<Lot["links"][number][]>`
      select coalesce(older_unit, older_turn) as older, coalesce(newer_unit, newer_turn) as newer,
             strength::text::float8 as strength, words::text::float8 as words
        from newer_link where workspace_id = ${ws} order by id`;
  }

  async page(asked: Omit<Page, "cut" | "all" | "near">, types?: readonly string[]): Promise<Page> {
    const rank = async (more: object): Promise<Ranked[]> => {
      const body = { query: asked.question, window: WINDOW, types, ...more };
      const { results } = await this.ask("POST", "/v1/memory/recall", body);
      return results.map(({ id, score, outdatedBy, contested }: Json) => ({ id, score, outdatedBy, contested }));
    };
    return {
      ...asked,
      cut: await rank({}),
      all: await rank({ minScore: 0 }),
      near: await this.#nearTo(asked.question),
    };
  }

  async #nearTo(question: string): Promise<Page["near"]> {
    if (!seemsEnglish(question)) return {};
    const [vector] = await this.encoder.embed([question], { purpose: "query" });
    return Object.fromEntries([...this.#vectors].map(([id, other]) => [id, cosine(vector!, other)]));
  }

  lot(pages: readonly Page[]): Lot {
    return { texts: this.#texts, links: this.#links, pages };
  }
}

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let product = 0, ofA = 0, ofB = 0;
  for (let i = 0; i < a.length; i++) {
    product += a[i]! * b[i]!;
    ofA += a[i]! ** 2;
    ofB += b[i]! ** 2;
  }
  return Math.round(1e4 * product / Math.sqrt(ofA * ofB)) / 1e4;
}

/** The pairs of a file in people's words, 25 to a workspace. */
async function* inPeoplesWords(file: string | URL, open: (name: string) => Promise<Store>): AsyncGenerator<Lot> {
  const pairs = await readNewerSet(file);
  for (const told of ["facts", "turns"] as const) {
    const own = pairs.filter((pair) => pair.told === told);
    for (let at = 0; at < own.length; at += LOT) {
      const some = own.slice(at, at + LOT), store = await open(`${told} ${at}`);
      const voices = await tellPairs(store.ask, some);
      await store.read();
      const pages: Page[] = [];
      for (const pair of some) {
        const [older, newer] = [voices.idsOf(pair, "older"), voices.idsOf(pair, "newer")];
        const { id, kind, question, right } = pair;
        pages.push(
          await store.page({ id, kind, told, isForeign: pair.language !== "en", question, right, older, newer }),
        );
      }
      yield store.lot(pages);
    }
  }
}

/** Statements that all stay true, in one workspace: what is linked to the right one must not go above it. */
async function* paraphrases(open: (name: string) => Promise<Store>): AsyncGenerator<Lot> {
  const [, ...lines] = (await Deno.readTextFile(PARAPHRASES)).trim().split("\n");
  const rows = lines.map((line) => line.split("|") as [string, string]).filter(([statement]) => statement !== "");
  const store = await open("paraphrases"), ids = new Map<string, string>();
  for (const [place, statement] of [...new Set(rows.map(([statement]) => statement))].entries()) {
    // Days in no order of the table.
    const day = new Date(Date.UTC(2025, 0, 1) + (place * 37) % 300 * DAY_MS).toISOString();
    ids.set(statement, await store.fact(statement, day));
  }
  await store.read();
  const pages: Page[] = [];
  for (const [statement, question] of rows) {
    const asked = {
      id: question,
      kind: "compatible",
      told: "facts",
      isForeign: false,
      right: "older",
      newer: [],
    } as const;
    pages.push(await store.page({ ...asked, question, older: [ids.get(statement)!] }));
  }
  yield store.lot(pages);
}

/** A pair of plain statements with a question. */
export type PlainPair = Pick<Page, "id" | "kind" | "right" | "question"> & {
  readonly older: string;
  readonly newer: string;
};

/** Words of a question that stands for a statement: its beginning, because what it says of its subject mostly ends it. */
const OPENING = 0.6;

/** The beginning of a statement, as somebody asks who looks for what completes it. */
function openingOf(statement: string): string {
  const words = statement.split(" ");
  return words.slice(0, Math.ceil(OPENING * words.length)).join(" ");
}

/**
 * Plain pairs, none of the half that is measured alone. Those without a question are asked for by the beginning of the older
 * statement: of an update the newer one answers it, of a compatible pair the older one.
 */
export async function readPlainPairs(): Promise<PlainPair[]> {
  const isTuning = ({ id }: { readonly id: string }) => halfOf(id) === "tuning";
  const asked = [...(await readUpdates()).filter(isTuning), ...await readFurtherUpdates()];
  const compatible = [
    ...(await readCompatible()).filter(isTuning),
    ...await readToldCompatible(),
    ...await readFurtherCompatible(),
  ];
  const ask = (right: Page["right"]) => ({ id, older, newer }: { id: string; older: string; newer: string }) => {
    const kind = right === "newer" ? "update" as const : "compatible" as const;
    return { id, older, newer, question: openingOf(older), right, kind };
  };
  return [
    ...asked.map((pair) => ({ ...pair, kind: "update" as const, right: "newer" as const })),
    ...(await readToldUpdates()).map(ask("newer")),
    ...compatible.map(ask("older")),
  ].filter((_, place) => place % PLAIN_STEP === 0);
}

/** Plain pairs, of which each has the workspace to itself. */
async function* plainPairs(store: Store): AsyncGenerator<Lot> {
  for (const pair of await readPlainPairs()) {
    const older = [await store.fact(pair.older)], newer = [await store.fact(pair.newer)];
    await store.read();
    yield store.lot([await store.page({ ...pair, told: "plain", isForeign: false, older, newer }, ["fact"])]);
    for (const id of [...older, ...newer]) await store.ask("POST", `/v1/facts/${id}/forget`, { mode: "erase" });
  }
}

/** Tells a service all statements and asks all questions. @param file the pairs in people's words */
export async function collectPages(file: string | URL): Promise<Record<"people" | "paraphrases" | "plain", Lot[]>> {
  await using service = await startBenchService({ database: "postgres" });
  const sql = postgres(service.superuserUrl!, { max: 1, onnotice: () => {} });
  const encoder = new SentenceEncoder({ dimension: 256, mode: "on" });
  const open = async (name: string) => {
    note(name);
    return new Store(sql, encoder, service, await service.addWorkspace(name));
  };
  try {
    return {
      people: await Array.fromAsync(inPeoplesWords(file, open)),
      paraphrases: await Array.fromAsync(paraphrases(open)),
      plain: await Array.fromAsync(plainPairs(new Store(sql, encoder, service, service.access))),
    };
  } finally {
    await sql.end({ timeout: 5 });
  }
}
