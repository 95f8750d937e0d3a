/**
 * Extractive summaries and titles: the conversation's own sentences, chosen by salience, in their order.
 *
 * Salience is SumBasic's: a sentence is worth the mean share of its words in the whole, and the words of a chosen
 * sentence count less from then on, so that the next one says something else. A sentence that the extraction rules
 * would keep counts up to three times as much. Pure; takes time in proportion to the length of the text.
 */
import { type ConversationTurn, speakerLabel, speakerName } from "./conversation.ts";
import { type Proposal, proposeByRules } from "./extraction.ts";
import { splitSentences } from "./sentences.ts";
import { listContentStems, listWords, stemWord } from "./words.ts";

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
  readonly turn: ConversationTurn;
  readonly text: string;
  readonly stems: readonly string[];
  readonly weight: number;
}

/** The most informative sentences with their speakers, one line for each change of speaker; empty when nobody said a word. */
export function summariseTurns(turns: readonly ConversationTurn[], options: SummaryOptions = {}): string {
  const charsMax = options.charsMax ?? 1_200;
  const kept = Map.groupBy(proposeByRules(turns), ({ messageId }) => messageId);
  const sentences = turns.flatMap((turn) => listSentences(turn, kept.get(turn.messageId) ?? []));
  const shares = countShares(sentences);
  const chosen = new Set<number>();
  let chars = 0;
  for (let round = 0; round < (options.sentencesMax ?? 8); round++) {
    const best = findBest(sentences, shares, chosen, charsMax - chars);
    if (best === null) break;
    chosen.add(best);
    chars += lengthOf(sentences[best]!);
    for (const stem of sentences[best]!.stems) shares.set(stem, shares.get(stem)! ** 2);
  }
  if (chosen.size === 0 && sentences.length > 0) return cut(render([sentences[0]!]), charsMax);
  return render(sentences.filter((_, i) => chosen.has(i)));
}

/** Makes a title of the speakers and their main topics: "Caroline, Melanie: pottery, camping, adoption". */
export function titleTurns(turns: readonly ConversationTurn[], charsMax = 120): string {
  const speakers = [...new Set(turns.filter((turn) => turn.role !== "system").map(speakerLabel))].slice(0, 4);
  const names = new Set(turns.flatMap((turn) => listContentStems(speakerName(turn) ?? "", "prose")));
  const counts = new Map<string, { word: string; turns: number }>();
  for (const turn of turns) {
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
  // Longer words say more; the first form that was used stands for its stem.
  const topics = [...counts.values()].map((topic) => ({ ...topic, score: topic.turns * Math.sqrt(topic.word.length) }))
    .sort((a, b) => b.score - a.score || (a.word < b.word ? -1 : 1)).slice(0, 4).map((topic) => topic.word);
  const title = [speakers.join(", "), topics.join(", ")].filter((part) => part !== "").join(": ");
  return title === "" ? "Conversation" : cut(title, charsMax);
}

function listSentences(turn: ConversationTurn, kept: readonly Proposal[]): Sentence[] {
  if (turn.role === "system") return [];
  const name = new Set(listContentStems(speakerName(turn) ?? "", "prose"));
  let next = 0;
  return splitSentences(turn.content).map(({ start, end }) => {
    const text = turn.content.slice(start, end);
    const stems = [...new Set(listContentStems(text, "prose"))].filter((stem) =>
      !EMPTY_STEMS.has(stem) && !name.has(stem)
    );
    while (next < kept.length && kept[next]!.start! < start) next++;
    const worth = next < kept.length && kept[next]!.start! < end ? kept[next]!.confidence : 0;
    const weight = (1 + 2 * worth) * (text.endsWith("?") ? 0.2 : 1) * (stems.length < 3 ? 0.2 : 1);
    return { turn, text, stems, weight: turn.role === "tool" ? weight / 2 : weight };
  });
}

function countShares(sentences: readonly Sentence[]): Map<string, number> {
  const counts = new Map<string, number>();
  let total = 0;
  for (const { stems } of sentences) {
    for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
    total += stems.length;
  }
  return new Map([...counts].map(([stem, count]) => [stem, count / total]));
}

function findBest(
  sentences: readonly Sentence[],
  shares: ReadonlyMap<string, number>,
  chosen: ReadonlySet<number>,
  room: number,
): number | null {
  let best: number | null = null;
  let bestScore = 0;
  for (const [i, sentence] of sentences.entries()) {
    if (chosen.has(i) || sentence.stems.length === 0 || lengthOf(sentence) > room) continue;
    let sum = 0;
    for (const stem of sentence.stems) sum += shares.get(stem)!;
    const score = sentence.weight * sum / sentence.stems.length;
    if (score > bestScore) [best, bestScore] = [i, score];
  }
  return best;
}

/** The length with the speaker's name and the separators, so that a chosen set never exceeds the bound. */
function lengthOf(sentence: Sentence): number {
  return sentence.text.length + speakerLabel(sentence.turn).length + 3;
}

function render(sentences: readonly Sentence[]): string {
  const lines: string[] = [];
  let last = "";
  for (const { turn, text } of sentences) {
    const label = speakerLabel(turn);
    if (label === last) lines.push(`${lines.pop()} ${text}`);
    else lines.push(`${label}: ${text}`);
    last = label;
  }
  return lines.join("\n").toWellFormed().replaceAll("\0", "");
}

function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : text.slice(0, charsMax - 1).toWellFormed().replace(/\ufffd$/, "") + "…";
}
