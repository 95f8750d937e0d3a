/**
 * Made-up conversations and facts for measurements: the same seed gives the same texts everywhere.
 *
 * Content words follow Zipf's law over a vocabulary that is larger than any English speaker's, 45 % of the words are
 * stop words, a text has 10 to 40 words, and a session keeps to a few topics. So the lengths of the postings resemble
 * those of real talk: some words occur in a tenth of all texts, most in a handful.
 */

export interface CorpusTurn {
  readonly name: string;
  readonly content: string;
  readonly occurredAt: string;
}

export interface CorpusSession {
  readonly startedAt: string;
  readonly turns: readonly CorpusTurn[];
  /** Statements about the conversation; each has the words of a turn. */
  readonly facts: readonly string[];
}

const VOCABULARY = 60_000;
const SPEAKERS = 4_000;
const ZIPF_EXPONENT = 1.05;
/** Flattens the head, as removing the stop words does: the first word occurs in about a tenth of all texts. */
const ZIPF_SHIFT = 20;
const STOP_SHARE = 0.45;
const TOPIC_SHARE = 0.35;
/** One fact for every four turns. */
const TURNS_PER_FACT = 4;
const FIRST_DAY_MS = Date.UTC(2023, 0, 1);
const DAYS = 1_000;
const STOP_WORDS = "the a and of to in is it that was for on with as at by this we you they he she be have from not are"
  .split(" ");
const ONSETS = "b br c ch d dr f fl g gr h j k l m n p pl qu r s sh st t tr v w z".split(" ");
const NUCLEI = "a e i o u ai ea oo ou".split(" ");
const CODAS = ["", "", "l", "m", "n", "nd", "r", "rk", "s", "t", "x"];

/** Mulberry32: small, fast, and good enough for texts. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ state >>> 15, state | 1);
    t ^= t + Math.imul(t ^ t >>> 7, t | 61);
    return ((t ^ t >>> 14) >>> 0) / 2 ** 32;
  };
}

export class Corpus {
  readonly #random: () => number;
  readonly #words: readonly string[];
  readonly #cumulative: Float64Array;
  readonly #seed: number;

  constructor(seed = 1) {
    this.#seed = seed;
    this.#random = createRandom(seed);
    this.#words = makeWords(VOCABULARY);
    this.#cumulative = new Float64Array(VOCABULARY);
    let sum = 0;
    for (let rank = 0; rank < VOCABULARY; rank++) this.#cumulative[rank] = sum += (rank + ZIPF_SHIFT) ** -ZIPF_EXPONENT;
    for (let rank = 0; rank < VOCABULARY; rank++) this.#cumulative[rank]! /= sum;
  }

  /** The word of a rank, 0 the most frequent. */
  word(rank: number): string {
    return this.#words[rank]!;
  }

  /** Yields sessions with their facts until `units` turns and facts are given. */
  *sessions(units: number): Generator<CorpusSession> {
    for (let left = units; left > 0;) {
      const session = this.#session(left);
      left -= session.turns.length + session.facts.length;
      yield session;
    }
  }

  #session(unitsMax: number): CorpusSession {
    const speakers = [this.#speaker(), this.#speaker()];
    const topic = Array.from({ length: 12 }, () => this.#rank());
    const startedMs = FIRST_DAY_MS + Math.floor(this.#random() * DAYS * 24 * 60) * 60_000;
    const wanted = 20 + Math.floor(this.#random() * 41);
    const turns: CorpusTurn[] = [], facts: string[] = [];
    while (turns.length < wanted && turns.length + facts.length < unitsMax) {
      const content = this.#text(topic);
      turns.push({
        name: speakers[turns.length % 2]!,
        content,
        occurredAt: new Date(startedMs + turns.length * 20_000).toISOString(),
      });
      if (turns.length % TURNS_PER_FACT === 0 && turns.length + facts.length < unitsMax) {
        facts.push(`${speakers[turns.length % 2]} ${this.#text(topic)}`);
      }
    }
    return { startedAt: new Date(startedMs).toISOString(), turns, facts };
  }

  #text(topic: readonly number[]): string {
    const words: string[] = [];
    const length = 10 + Math.floor(this.#random() * 31);
    for (let i = 0; i < length; i++) {
      const stop = this.#random() < STOP_SHARE;
      if (stop) words.push(STOP_WORDS[Math.floor(this.#random() * STOP_WORDS.length)]!);
      else if (this.#random() < TOPIC_SHARE) words.push(this.word(topic[Math.floor(this.#random() * topic.length)]!));
      else words.push(this.word(this.#rank()));
    }
    const text = words.join(" ");
    return text[0]!.toUpperCase() + text.slice(1) + (this.#random() < 0.2 ? "?" : ".");
  }

  #speaker(): string {
    return speakerName(Math.floor(this.#random() * SPEAKERS));
  }

  #rank(): number {
    const u = this.#random();
    let low = 0, high = VOCABULARY - 1;
    while (low < high) {
      const middle = low + high >> 1;
      if (this.#cumulative[middle]! < u) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Queries of some classes about given turns; as many of each class as there are turns. */
  queries(turns: readonly CorpusTurn[]): Record<QueryClass, string[]> {
    const random = createRandom(this.#seed + 1);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    const from = (turn: CorpusTurn, count: number) => {
      const words = turn.content.toLowerCase().replace(/[.?]$/, "").split(" ").filter((w) => !STOP_WORDS.includes(w));
      return Array.from({ length: Math.min(count, words.length) }, () => words.splice(random() * words.length, 1)[0]!);
    };
    return {
      question: turns.map((turn) => `what was it about the ${from(turn, 4).join(" and ")} that we have?`),
      named: turns.map((turn) => `When did ${turn.name} talk about ${from(turn, 3).join(" ")}?`),
      dated: turns.map((turn) => `${from(turn, 3).join(" ")} in ${monthOf(turn)}`),
      long: turns.map((turn) => from(turn, 16).join(" ")),
      frequent: turns.map(() => Array.from({ length: 5 }, () => this.word(Math.floor(random() * 30))).join(" ")),
      rare: turns.map(() =>
        Array.from({ length: 3 }, () => this.word(4_000 + Math.floor(random() * 16_000))).join(" ")
      ),
      misspelt: turns.map((turn) => `${from(turn, 3).join(" ")} ${misspell(pick(from(turn, 1)))}`),
    };
  }
}

export const QUERY_CLASSES = ["question", "named", "dated", "long", "frequent", "rare", "misspelt"] as const;
export type QueryClass = (typeof QUERY_CLASSES)[number];

function monthOf({ occurredAt }: CorpusTurn): string {
  return new Date(occurredAt).toLocaleString("en", { month: "long", year: "numeric", timeZone: "UTC" });
}

function misspell(word = "unknown"): string {
  return word.slice(0, 2) + "y" + word.slice(3) + "q";
}

function speakerName(index: number): string {
  const name = syllable(index * 7 + 3) + syllable(Math.floor(index / 97) + 11) + "a";
  return name[0]!.toUpperCase() + name.slice(1);
}

function syllable(n: number): string {
  const onset = ONSETS[n % ONSETS.length]!;
  const rest = Math.floor(n / ONSETS.length);
  return onset + NUCLEI[rest % NUCLEI.length] + CODAS[Math.floor(rest / NUCLEI.length) % CODAS.length];
}

/** Words of one to three syllables, each once; frequent ones tend to be short. */
function makeWords(count: number): string[] {
  const random = createRandom(7);
  const words = new Set<string>();
  const stops = new Set(STOP_WORDS);
  while (words.size < count) {
    const parts = 1 + Math.floor(random() * 3);
    const word = Array.from({ length: parts }, () => syllable(Math.floor(random() * 2_772))).join("");
    if (!stops.has(word)) words.add(word);
  }
  return [...words].map((word) => ({ word, place: word.length + 4 * random() })).sort((a, b) => a.place - b.place)
    .map(({ word }) => word);
}
