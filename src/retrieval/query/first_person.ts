/**
 * A question about a person as that person's own turns answer it: whoever speaks says "I" and not the own name, so a name
 * in the question only leads away from them in meaning.
 */
import { normaliseText, splitWords } from "../../language/tokenise.ts";
import type { NamedPerson } from "../ranking/candidates.ts";

const POSSESSIVE = /['’ʼ]s$/;

/** A question with "I" or "my" for the names of some people; as it is, if it says nothing else. */
export function toFirstPerson(query: string, people: readonly NamedPerson[]): string {
  const names = new Set(people.flatMap(({ name }) => name.split(" ")));
  const text = normaliseText(query), words = splitWords(text);
  if (words.every(({ folded }) => names.has(folded))) return query;
  let said = "", end = 0, last = -1;
  for (const { raw, folded, index } of words) {
    if (!names.has(folded)) continue;
    const between = text.slice(end, index);
    // The words of one full name are one person.
    const goesOn = last >= 0 && between.trim() === "";
    said = goesOn ? said.slice(0, last) : said + between;
    last = said.length;
    said += POSSESSIVE.test(raw) ? "my" : "I";
    end = index + raw.length;
  }
  return last < 0 ? query : said + text.slice(end);
}
