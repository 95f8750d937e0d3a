/**
 * Decides whether two names are the same. Pure. Entities, mentions, relations, imports and the
 * triples of facts all use it; `domain/unit/names/near.ts` compares names that are only alike.
 */

import { normaliseText } from "./tokenise.ts";

/**
 * The number of the rule by which `nameKey` distinguishes names. It is stored beside the keys of facts, so that keys by
 * another rule can be found. Raise it when the results of `nameKey` change, and see `domain/kinds/facts/refold.ts`.
 */
export const NAME_RULE = 2;

/** The longest key, in UTF-8 bytes: NFKC makes some names longer than they were written. */
export const NAME_KEY_BYTES_MAX = 1_024;

const ASCII_ONLY = /^[ -~]*$/;
/** Invisible characters: zero-width joiners, soft hyphens, marks of direction, variation selectors. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}|(?!\s)\p{Cc}/gu;
const APOSTROPHES = /[\u2018\u2019\u02bc\u2032]/g;
const HYPHENS = /[\u2010-\u2015\u2212]/g;

/**
 * The key of a name: two names are the same if their keys are. Unicode NFKC (full-width forms,
 * ligatures, composed and decomposed marks), case folding (`Straße` = `STRASSE`, final sigma; the
 * dotless `ı` and the dotted `İ` of Turkish stay letters of their own), plain apostrophes and
 * hyphens, no invisible characters, single white space, trimmed. Accents, punctuation and a
 * possessive `'s` are parts of the name.
 *
 * Empty if the name has no visible character.
 */
export function nameKey(name: string): string {
  const folded = ASCII_ONLY.test(name) ? name.toLowerCase() : foldUnicode(name);
  return folded.replace(/\s+/g, " ").trim();
}

function foldUnicode(name: string): string {
  const seen = name.normalize("NFKC").replace(UNSEEN, "");
  let folded = "";
  // Most scripts have no capitals, and then there is nothing to fold.
  if (seen.toLowerCase() === seen && seen.toUpperCase() === seen) folded = seen;
  else for (const character of seen) folded += foldCharacter(character);
  return folded.normalize("NFKC").replace(APOSTROPHES, "'").replace(HYPHENS, "-");
}

/** Folds by the upper case, which spells `ß` out and has one sigma; `ı` stays, because it would become an `i`. */
function foldCharacter(character: string): string {
  return character === "ı" ? character : character.toLowerCase().toUpperCase().toLowerCase();
}

/**
 * The key by which recall finds the participants of a session, as in stored postings: NFKC, lower case, single spaces,
 * no possessive, because questions name people that way ("Caroline's"). It cannot distinguish all names: it keeps
 * typographic apostrophes and takes "McDonald's" for "McDonald". After a change of it, the postings must be made again.
 */
export function participantKey(name: string): string {
  return normaliseText(name).toLowerCase().replace(/['’ʼ]s\b/g, "").replace(/\s+/g, " ").trim();
}

/** A name as it is shown: as it was written, in one line. */
export function tidyName(name: string): string {
  return name.normalize("NFC").replace(/\s+/g, " ").trim();
}

/** Names as they are shown, in order, each once. */
export function tidyNames(names: Iterable<string>): string[] {
  const seen = new Set<string>();
  return [...names].map(tidyName).filter((name) => {
    const key = nameKey(name);
    return !seen.has(key) && seen.add(key);
  });
}

/** The keys of names in order, each once; names without a key are left out. */
export function nameKeys(names: Iterable<string>): string[] {
  const keys = new Set<string>();
  for (const name of names) keys.add(nameKey(name));
  keys.delete("");
  return [...keys];
}
