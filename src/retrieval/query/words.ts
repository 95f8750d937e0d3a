/**
 * Splits a query into words. Text that is written without spaces is split into pairs of characters
 * that carry meaning.
 */
import { hasUnspaced, listPieces, readPairs, withoutQuestionWords } from "../../language/unspaced.ts";
import { splitWords, type Word } from "../../language/tokenise.ts";
import { type Expansion, stemTerm } from "../terms/stems.ts";

export interface QueryWord extends Word {
  /** Weight against 1 for any other word; absent: it depends on whether the word only frames the question. */
  readonly weight?: number;
  readonly expansions?: readonly Expansion[];
}

/** A pair that spans the end of a word ("議は"): texts seldom hold it, and it says little. */
const EDGE_WEIGHT = 0.25;
/** A single character, which stands for the pair that it begins or ends. */
const SINGLE_WEIGHT = 0.7;
/** A pair in a text whose run of characters begins with a letter or a number. */
const PAIR_WEIGHT = 0.95;

/** The words of a normalised query, in order, with their places. */
export function splitQuery(text: string): QueryWord[] {
  if (!hasUnspaced(text)) return splitWords(text);
  const asked = withoutQuestionWords(text);
  const pieces = listPieces(asked);
  const taken = pieces.map((piece) => ({ from: piece.index, to: piece.index + piece.text.length }));
  const words: QueryWord[] = splitWords(asked).filter(({ index }) =>
    !taken.some((t) => index >= t.from && index < t.to)
  );
  for (const { text: piece, index, isUnspaced } of pieces) {
    if (isUnspaced) words.push(...readPairs(piece).map((pair) => toWord(pair, index)));
    else words.push(...splitWords(piece).map((word) => ({ ...word, index: index + word.index })));
  }
  // If the query holds only grammar or question words, they are searched for as they are.
  return words.length > 0 ? words.sort((a, b) => a.index - b.index) : splitWords(text);
}

function toWord({ pair, role, single }: ReturnType<typeof readPairs>[number], index: number): QueryWord {
  const expansions = [{ term: stemTerm(pair.toLowerCase()), weight: PAIR_WEIGHT }];
  if (single !== undefined) expansions.push({ term: stemTerm(single), weight: SINGLE_WEIGHT });
  return { raw: pair, folded: pair.toLowerCase(), index, expansions, ...(role === "edge" && { weight: EDGE_WEIGHT }) };
}
