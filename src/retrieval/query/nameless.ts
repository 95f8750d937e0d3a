/**
 * A question about a person as that person's own turns answer it: whoever speaks does not say the own name, so a name in
 * the question only leads away from them in meaning.
 */
import { normaliseText, splitWords } from "../../language/tokenise.ts";
import type { NamedPerson } from "../ranking/candidates.ts";

/** A question without the names of some people; as it is, if it says nothing else. */
export function leaveOutNames(query: string, people: readonly NamedPerson[]): string {
  const names = new Set(people.flatMap(({ name }) => name.split(" ")));
  const text = normaliseText(query), words = splitWords(text);
  if (words.every(({ folded }) => names.has(folded))) return query;
  let left = "", end = 0;
  for (const { raw, folded, index } of words) {
    if (!names.has(folded)) continue;
    left += text.slice(end, index);
    end = index + raw.length;
  }
  return end === 0 ? query : left + text.slice(end);
}

/** What the table of word pieces says of two texts, added to a vector of the first: about that of the second. */
export function moveVector(vector: Float32Array, from: Float32Array, to: Float32Array): Float32Array {
  const moved = vector.map((value, i) => value + to[i] - from[i]);
  const scale = lengthOf(vector) / (lengthOf(moved) || 1);
  return moved.map((value) => Math.max(-COMPONENT_MAX, Math.min(COMPONENT_MAX, Math.round(value * scale))));
}

function lengthOf(vector: Float32Array): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}

/** Components of the built-in vectors are whole numbers up to this. */
const COMPONENT_MAX = 127;
