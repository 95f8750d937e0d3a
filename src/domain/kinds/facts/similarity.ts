/** Whether two statements say nearly the same. Pure. The result is only ever suggested: no fact is closed because of it. */
import { isStopWord, listWords, stemWord } from "../../../language/words.ts";

/** From this similarity on, statements are near-duplicates by their words alone. */
const LEXICAL_MIN = 0.85;
/** Fewer common words are enough where the embeddings are alike. */
const LEXICAL_WITH_VECTOR_MIN = 0.6;
/** Cosine of embeddings. */
const VECTOR_MIN = 0.92;

/** Words that deny; contracted forms stand without their apostrophe, as the search form of words gives them. */
const NEGATIONS: ReadonlySet<string> = new Set(
  ("not no never none nobody nothing neither nor without cannot cant dont doesnt didnt isnt arent wasnt werent hasnt havent " +
    "hadnt wont wouldnt shouldnt couldnt mustnt neednt shant aint").split(" "),
);

/** A statement in parts that can be compared. */
export interface Gist {
  readonly stems: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
  /** Whether an odd number of its words denies something. */
  readonly isDenial: boolean;
}

export function gistOf(statement: string): Gist {
  const stems = new Set<string>();
  const numbers = new Set<string>();
  let denials = 0;
  for (const word of listWords(statement, "search")) {
    if (NEGATIONS.has(word)) denials++;
    else if (/\p{N}/u.test(word)) numbers.add(word);
    else if (!isStopWord(word, "search")) stems.add(stemWord(word, "search"));
  }
  return { stems, numbers, isDenial: denials % 2 === 1 };
}

function isEqualSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && a.isSubsetOf(b);
}

/** Whether statements with this share of common stems are near-duplicates by their words alone. */
export function isNearByWords(lexical: number): boolean {
  return lexical >= LEXICAL_MIN;
}

/** Share of common stems, 0 to 1 (Dice's coefficient); 1 for two statements without any. */
export function lexicalSimilarity(a: Gist, b: Gist): number {
  const total = a.stems.size + b.stems.size;
  return total === 0 ? 1 : 2 * a.stems.intersection(b.stems).size / total;
}

/** Whether two statements can say the same: other numbers or a denial make another statement, however alike the words are. */
export function isComparable(a: Gist, b: Gist): boolean {
  return a.isDenial === b.isDenial && isEqualSet(a.numbers, b.numbers) && (a.stems.size > 0 || a.numbers.size > 0);
}

/** Whether embeddings can make near-duplicates of two statements whose words alone do not. */
export function needsVectors(a: Gist, b: Gist): boolean {
  const lexical = lexicalSimilarity(a, b);
  return isComparable(a, b) && lexical < LEXICAL_MIN && lexical >= LEXICAL_WITH_VECTOR_MIN;
}

/**
 * How alike two statements are, 0 to 1; 0 unless they are near-duplicates.
 * @param cosine of their embeddings, where both have one of the same model and `needsVectors` asks for it
 */
export function nearDuplicateScore(a: Gist, b: Gist, cosine?: number): number {
  if (!isComparable(a, b)) return 0;
  const lexical = lexicalSimilarity(a, b);
  if (isNearByWords(lexical)) return lexical;
  return needsVectors(a, b) && cosine !== undefined && cosine >= VECTOR_MIN ? cosine : 0;
}

/** Cosine of two unit vectors. */
export function cosineOf(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
