/** Numbers of kinds, as postings and vectors have them. */
import { KINDS } from "../../schema/common.ts";

/** The numbers of some kinds; undefined: all. */
export function kindNumbers(kinds: readonly (keyof typeof KINDS)[]): ReadonlySet<number> | undefined {
  return kinds.length === Object.keys(KINDS).length ? undefined : new Set(kinds.map((kind) => KINDS[kind]));
}
