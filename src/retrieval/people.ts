/** The people whom a query names: whether they allow a session, and what share of them takes part in it. */

/** The people whom a query names and who take part in sessions. */
export interface People {
  persons: { name: string; bit: number }[];
  /** Words of the query that name these people. They are search terms only if texts hold no other word of it. */
  words: Set<string>;
  /** Session → bits of the persons who take part. */
  groups: Map<number, number>;
}

function bitCount(bits: number): number {
  let n = 0;
  for (let b = bits; b !== 0; b &= b - 1) n++;
  return n;
}

/** Whether a session can matter to the query. `bits` says which named people take part in it. */
export function allows(people: People, bits: number): boolean {
  const named = people.persons.length;
  if (named === 0) return true;
  return named > 2 ? bits !== 0 : bitCount(bits) === named;
}

/** Share of the named people who are in a session or, without one, in the text; 0.5 if nobody is named. */
export function shareOf(people: People, bits: number): number {
  return people.persons.length === 0 ? 0.5 : bitCount(bits) / people.persons.length;
}
