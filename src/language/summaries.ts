/**
 * Extractive summaries and titles: the conversation's own sentences, chosen by salience, in their order.
 *
 * Salience is SumBasic's: a sentence is worth the mean share of its words in the whole, and the words of a chosen
 * sentence count less from then on, so that the next one says something else. A sentence that the extraction rules
 * would keep counts up to three times as much. Pure; takes time in proportion to the length of the text.
 */
import { type ConversationTurn, speakerLabel, speakerName } from "./conversation.ts";
import { proposeByRules } from "./extraction.ts";
import { doAll, type Pieces } from "./pieces.ts";
import { splitSentences } from "./sentences.ts";
import type { Proposal } from "./statement_writer.ts";
import { listContentStems, listWords, stemWord } from "./tokenise.ts";
import { FORBIDS, forbidsAll } from "./noteworthy.ts";

export interface SummaryOptions {
  /** Length of the summary in UTF-16 units; default 1,200. */
  readonly charsMax?: number;
  /** Default 8. */
  readonly sentencesMax?: number;
}

/** Stems of praise and filler words, which are frequent in any conversation and say nothing about this one. */
const EMPTY_STEMS: ReadonlySet<string> = new Set(
  listContentStems(
    "great awesome amazing cool nice good glad happy sound look love like thing lot way know think feel want make take " +
      "going good super pretty sure time day thanks kind word guess mean hear see say tell come keep much many one two " +
      "always never inspiring important special excited gonna",
    "prose",
  ),
);

interface Sentence {
  readonly label: string;
  readonly text: string;
  /** Numbers of its stems, each once. */
  readonly stems: readonly number[];
  readonly weight: number;
}

/** Sentences that are looked at between two steps. */
const STEP = 256;

/** The sentences of a conversation, read and weighed once for summaries of any length. */
export class SummarySource {
  readonly #sentences: Sentence[] = [];
  readonly #stems = new Map<string, number>();
  /** How many sentences hold each stem. */
  readonly #counts: number[] = [];
  #total = 0;

  /**
   * Reads a conversation, a sentence a piece.
   * @param proposals what the rules propose of it, in order
   */
  static *read(turns: readonly ConversationTurn[], proposals: readonly Proposal[]): Pieces<SummarySource> {
    const source = new SummarySource();
    let next = 0;
    for (const turn of turns) {
      const from = next;
      while (next < proposals.length && proposals[next]!.messageId === turn.messageId) next++;
      yield* source.#readTurn(turn, proposals.slice(from, next));
    }
    return source;
  }

  *#readTurn(turn: ConversationTurn, kept: readonly Proposal[]): Pieces<void> {
    if (turn.role === "system" || turn.role === "user" && forbidsAll(turn.content)) return;
    const label = speakerLabel(turn);
    const name = new Set(listContentStems(speakerName(turn) ?? "", "prose"));
    let next = 0;
    for (const { start, end } of splitSentences(turn.content)) {
      yield;
      const text = turn.content.slice(start, end);
      if (turn.role === "user" && FORBIDS.test(text)) continue;
      const stems = [...new Set(listContentStems(text, "prose"))].filter((stem) =>
        !EMPTY_STEMS.has(stem) && !name.has(stem)
      );
      while (next < kept.length && kept[next]!.start! < start) next++;
      const worth = next < kept.length && kept[next]!.start! < end ? kept[next]!.confidence : 0;
      const weight = (1 + 2 * worth) * (text.endsWith("?") ? 0.2 : 1) * (stems.length < 3 ? 0.2 : 1);
      this.#sentences.push({
        label,
        text,
        stems: stems.map((stem) => this.#count(stem)),
        weight: turn.role === "tool" ? weight / 2 : weight,
      });
      this.#total += stems.length;
    }
  }

  #count(stem: string): number {
    let number = this.#stems.get(stem);
    if (number === undefined) this.#stems.set(stem, number = this.#counts.push(0) - 1);
    this.#counts[number]!++;
    return number;
  }

  /**
   * The most informative sentences with their speakers, one line for each change of speaker; empty when nobody said a
   * word.
   */
  *summarise(options: SummaryOptions = {}): Pieces<string> {
    const charsMax = options.charsMax ?? 1_200;
    const sentences = this.#sentences;
    const shares = Float64Array.from(this.#counts, (count) => count / this.#total);
    const chosen = new Set<number>();
    let chars = 0;
    for (let round = 0; round < (options.sentencesMax ?? 8); round++) {
      const best = yield* findBest(sentences, shares, chosen, charsMax - chars);
      if (best === null) break;
      chosen.add(best);
      chars += lengthOf(sentences[best]!);
      for (const stem of sentences[best]!.stems) shares[stem]! **= 2;
    }
    if (chosen.size === 0 && sentences.length > 0) return cut(render([sentences[0]!]), charsMax);
    return render([...chosen].sort((a, b) => a - b).map((place) => sentences[place]!));
  }
}

/** The summary of a conversation; see `SummarySource`. */
export function summariseTurns(turns: readonly ConversationTurn[], options: SummaryOptions = {}): string {
  return doAll(doAll(SummarySource.read(turns, proposeByRules(turns))).summarise(options));
}

function* findBest(
  sentences: readonly Sentence[],
  shares: Float64Array,
  chosen: ReadonlySet<number>,
  room: number,
): Pieces<number | null> {
  let best: number | null = null;
  let bestScore = 0;
  for (const [i, sentence] of sentences.entries()) {
    if (i % STEP === 0) yield;
    if (chosen.has(i) || sentence.stems.length === 0 || lengthOf(sentence) > room) continue;
    let sum = 0;
    for (const stem of sentence.stems) sum += shares[stem]!;
    const score = sentence.weight * sum / sentence.stems.length;
    if (score > bestScore) [best, bestScore] = [i, score];
  }
  return best;
}

interface Topic {
  readonly word: string;
  turns: number;
}
/** Topics of a title. */
const TOPICS_MAX = 4;

/** Makes a title of the speakers and their main topics: "Caroline, Melanie: pottery, camping, adoption". */
export function titleTurns(turns: readonly ConversationTurn[], charsMax = 120): string {
  return doAll(makeTitle(turns, charsMax));
}

/** The same, a turn a piece. */
export function* makeTitle(turns: readonly ConversationTurn[], charsMax: number): Pieces<string> {
  const speakers = new Set<string>();
  const names = new Set<string>();
  for (const turn of turns) {
    yield;
    if (turn.role !== "system") speakers.add(speakerLabel(turn));
    for (const stem of listContentStems(speakerName(turn) ?? "", "prose")) names.add(stem);
  }
  const counts = new Map<string, Topic>();
  for (const turn of turns) {
    yield;
    for (
      const [stem, word] of new Map(
        listWords(turn.content, "prose").map((word) => [stemWord(word, "prose"), word] as const),
      )
    ) {
      if (listContentStems(word, "prose").length === 0 || EMPTY_STEMS.has(stem) || names.has(stem)) continue;
      if (word.length < 4 || word.length > 24) continue;
      const seen = counts.get(stem);
      if (seen) seen.turns += 1;
      else counts.set(stem, { word, turns: 1 });
    }
  }
  const topics = yield* pickTopics(counts.values());
  const title = [[...speakers].slice(0, 4).join(", "), topics.join(", ")].filter((part) => part !== "").join(": ");
  return title === "" ? "Conversation" : cut(title, charsMax);
}

/** The main topics. Longer words say more; the first form that was used stands for its stem. */
function* pickTopics(topics: Iterable<Topic>): Pieces<string[]> {
  const best: { readonly word: string; readonly score: number }[] = [];
  let looked = 0;
  for (const { word, turns } of topics) {
    if (looked++ % STEP === 0) yield;
    const score = turns * Math.sqrt(word.length);
    if (best.length === TOPICS_MAX && score < best.at(-1)!.score) continue;
    best.push({ word, score });
    best.sort((a, b) => b.score - a.score || (a.word < b.word ? -1 : 1));
    best.length = Math.min(best.length, TOPICS_MAX);
  }
  return best.map(({ word }) => word);
}

/** The length with the speaker's name and the separators, so that a chosen set never exceeds the bound. */
function lengthOf({ text, label }: Sentence): number {
  return text.length + label.length + 3;
}

function render(sentences: readonly Sentence[]): string {
  const lines: string[] = [];
  let last = "";
  for (const { label, text } of sentences) {
    if (label === last) lines.push(`${lines.pop()} ${text}`);
    else lines.push(`${label}: ${text}`);
    last = label;
  }
  return lines.join("\n").toWellFormed().replaceAll("\0", "");
}

function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : text.slice(0, charsMax - 1).toWellFormed().replace(/\ufffd$/, "") + "…";
}
