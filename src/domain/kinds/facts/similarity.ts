/** Whether two statements say nearly the same. Pure. The result is only ever suggested: no fact is closed because of it. */
import { type Claim, NUMBER_WORDS, readClaims, relateAll } from "../../../language/claims/mod.ts";
import { areOpposed } from "../../../language/opposites.ts";
import { withoutContext } from "../../../language/reported_speech.ts";
import { isStopWord, listWords, stemWord } from "../../../language/tokenise.ts";

/** From this similarity on, statements are near-duplicates by their words alone. */
const LEXICAL_MIN = 0.85;
/** Fewer common words are enough where the embeddings are alike. */
const LEXICAL_WITH_VECTOR_MIN = 0.6;
/** Cosine of embeddings. */
const VECTOR_MIN = 0.92;

/** Words that deny; contracted forms have no apostrophe, like the search form of words. */
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
  /** The stems of its names, which begin with a capital, in their order. */
  readonly names: readonly string[];
  /** Its claims, as far as the rules can read them. */
  readonly claims: readonly Claim[];
}

/** Reads the values by which two statements are compared: stems, numbers, names, and whether the statement denies. */
export function gistOf(statement: string): Gist {
  const stems = new Set<string>();
  const numbers = new Set<string>();
  const names: string[] = [];
  let denials = 0;
  for (const word of listWords(statement, "search")) {
    // "Neither meat nor fish" is one denial: "nor" continues the earlier one.
    if (word === "nor") denials = Math.max(denials, 1);
    else if (NEGATIONS.has(word)) denials++;
    else if (/\p{N}/u.test(word)) numbers.add(word);
    else if (Object.hasOwn(NUMBER_WORDS, word)) numbers.add(String(NUMBER_WORDS[word]));
    else if (!isStopWord(word, "search")) stems.add(stemWord(word, "search"));
  }
  for (const [name] of statement.matchAll(/\p{Lu}[\p{L}\p{M}\p{N}]*/gu)) {
    for (const word of listWords(name, "search")) {
      const stem = stemWord(word, "search");
      if (stems.has(stem)) names.push(stem);
    }
  }
  let claims: readonly Claim[] | undefined;
  return {
    stems,
    numbers,
    isDenial: denials % 2 === 1,
    names,
    get claims() {
      return claims ??= readClaims(withoutContext(statement));
    },
  };
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

/**
 * Whether two statements can mean the same. Different numbers, or a denial in one of them, make
 * them differ however alike the words are.
 */
export function isComparable(a: Gist, b: Gist): boolean {
  return a.isDenial === b.isDenial && isEqualSet(a.numbers, b.numbers) && (a.stems.size > 0 || a.numbers.size > 0);
}

/**
 * Whether two statements that are alike differ in what they say: each has a name that the other lacks, or the same names in
 * another order; each has a word that excludes one of the other; or what one claims does not hold beside what the other claims.
 */
export function differsInValue(a: Gist, b: Gist): boolean {
  const [ofA, ofB] = [a.stems.difference(b.stems), b.stems.difference(a.stems)];
  if (a.names.some((name) => ofA.has(name)) && b.names.some((name) => ofB.has(name))) return true;
  if (ofA.size === 0 && ofB.size === 0 && a.names.length === b.names.length && isReordered(a, b)) return true;
  for (const one of ofA) for (const other of ofB) if (areOpposed(one, other)) return true;
  return relateAll(a.claims, b.claims) !== "none" || relateAll(b.claims, a.claims) !== "none";
}

/** Two or more names in another order: "Anna manages Bob" and "Bob manages Anna". */
function isReordered(a: Gist, b: Gist): boolean {
  const inner = new Set(a.names.filter((name) => b.names.includes(name)));
  return inner.size >= 2 &&
    a.names.filter((name) => inner.has(name)).join() !== b.names.filter((name) => inner.has(name)).join();
}

/** Whether each of two statements has words that the other lacks: their words alone do not say that these mean the same. */
export function isSubstituted(a: Gist, b: Gist): boolean {
  return !a.stems.isSubsetOf(b.stems) && !b.stems.isSubsetOf(a.stems);
}

/** Whether embeddings can make near-duplicates of two statements whose words alone do not. */
export function needsVectors(a: Gist, b: Gist): boolean {
  const lexical = lexicalSimilarity(a, b);
  return isComparable(a, b) && lexical >= LEXICAL_WITH_VECTOR_MIN && (lexical < LEXICAL_MIN || isSubstituted(a, b));
}

/**
 * How alike two statements are, 0 to 1; 0 unless they are near-duplicates. Statements that
 * contradict each other are none.
 * @param cosine of their embeddings, where both have one of the same model and `needsVectors` asks
 * for it
 */
export function nearDuplicateScore(a: Gist, b: Gist, cosine?: number): number {
  if (!isComparable(a, b)) return 0;
  const lexical = lexicalSimilarity(a, b);
  const isNear = isNearByWords(lexical) && !isSubstituted(a, b);
  const isNearByVector = !isNear && cosine !== undefined && cosine >= VECTOR_MIN && needsVectors(a, b);
  if ((!isNear && !isNearByVector) || differsInValue(a, b)) return 0;
  return isNear ? lexical : cosine!;
}

/** Cosine of two vectors. */
export function cosineOf(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let product = 0, squareA = 0, squareB = 0;
  for (let i = 0; i < a.length; i++) {
    product += a[i]! * b[i]!;
    squareA += a[i]! ** 2;
    squareB += b[i]! ** 2;
  }
  return product / Math.sqrt(squareA * squareB || 1);
}
