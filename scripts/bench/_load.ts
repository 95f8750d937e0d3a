/** Loads a made-up corpus into a service over HTTP, like callers: one session each, its turns and facts in batches. */
import { Progress } from "./_bench.ts";
import type { CorpusSession, CorpusTurn } from "./_corpus.ts";
import { encodeRequest, HttpConnection } from "./_http.ts";
import type { Access } from "./_service.ts";

export interface Loaded {
  /** Turns spread over the corpus, for queries. */
  readonly sample: readonly CorpusTurn[];
  readonly turns: number;
  readonly facts: number;
  readonly lastSessionId: string;
  readonly seconds: number;
}

/** Facts of several sessions are sent together. */
const FACT_BATCH = 200;

/** Adds sessions to a workspace; returns `sampleSize` of their turns, spread over all. */
export async function loadOverHttp(
  target: { readonly url: string },
  access: Access,
  sessions: Iterable<CorpusSession>,
  units: number,
  sampleSize: number,
): Promise<Loaded> {
  using client = await Client.open(target.url, access.key);
  const progress = new Progress("Storing units", units);
  const started = performance.now();
  const sampler = new Sampler(units, sampleSize);
  let turns = 0, facts = 0, lastSessionId = "";
  let statements: string[] = [];
  const flush = async () => {
    if (statements.length === 0) return;
    const batch = statements.map((statement) => ({ statement }));
    await client.post("/v1/memory/facts/batch", { facts: batch });
    facts += statements.length;
    progress.add(statements.length);
    statements = [];
  };
  for (const session of sessions) {
    const { id } = await client.post("/v1/session", { startedAt: session.startedAt }) as { id: string };
    lastSessionId = id;
    await client.post(`/v1/session/${id}/turns`, { turns: session.turns.map((turn) => ({ role: "user", ...turn })) });
    turns += session.turns.length;
    progress.add(session.turns.length);
    sampler.offer(session.turns);
    statements.push(...session.facts);
    if (statements.length >= FACT_BATCH) await flush();
  }
  await flush();
  progress.end();
  return { sample: sampler.taken, turns, facts, lastSessionId, seconds: (performance.now() - started) / 1_000 };
}

/** Takes every n-th turn. */
export class Sampler {
  readonly taken: CorpusTurn[] = [];
  readonly #every: number;
  readonly #size: number;
  #seen = 0;

  constructor(units: number, size: number) {
    // About four fifths of the units are turns; the sample takes rather too many than too few.
    this.#every = Math.max(1, Math.floor(units * 0.75 / size));
    this.#size = size;
  }

  offer(turns: readonly CorpusTurn[]): void {
    for (const turn of turns) {
      if (this.#seen++ % this.#every === 0 && this.taken.length < this.#size) this.taken.push(turn);
    }
  }
}

/** JSON over one kept-alive connection with a key. */
export class Client implements Disposable {
  readonly #url: string;
  readonly #key: string;
  readonly #connection: HttpConnection;

  private constructor(url: string, key: string, connection: HttpConnection) {
    this.#url = url;
    this.#key = key;
    this.#connection = connection;
  }

  static async open(url: string, key: string): Promise<Client> {
    return new Client(url, key, await HttpConnection.open(url));
  }

  /** @throws Error for an unsuccessful reply. */
  async post(path: string, body: unknown): Promise<unknown> {
    const { status, body: bytes } = await this.#connection.send(
      encodeRequest(this.#url, "POST", path, { key: this.#key, body }),
    );
    const text = new TextDecoder().decode(bytes);
    if (status >= 300) throw new Error(`Cannot POST ${path}: ${status} ${text.slice(0, 1_000)}`);
    return JSON.parse(text);
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }
}
