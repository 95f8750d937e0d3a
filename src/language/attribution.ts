/**
 * Turns a speaker's words into a statement that names the speaker.
 *
 * Usually the speaker's name is put before the words. The sentence itself is rewritten only where the name can certainly
 * replace "I" or "my": with one of a few verbs, and without another pronoun of the first or second person.
 */

const NAME = /^\p{L}[\p{L}\p{M}' .-]{0,60}$/u;
const OTHER_PRONOUN =
  /\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|we're|we've|we'd|we'll|us|our|ours|you|your|yours|you're|you've|y'all)\b/iu;
const ADVERB =
  "((?:(?:really|absolutely|also|still|always|never|often|usually|definitely|currently|now|only|recently) )?)";

const THIRD_PERSONS: Readonly<Record<string, string>> = {
  like: "likes",
  love: "loves",
  prefer: "prefers",
  enjoy: "enjoys",
  hate: "hates",
  dislike: "dislikes",
  live: "lives",
  work: "works",
  own: "owns",
  speak: "speaks",
  play: "plays",
  collect: "collects",
  need: "needs",
  want: "wants",
  have: "has",
  eat: "eats",
  drink: "drinks",
  drive: "drives",
  use: "uses",
  run: "runs",
  teach: "teaches",
  study: "studies",
  plan: "plans",
  hope: "hopes",
};

const PASTS =
  "went|bought|got|had|made|took|saw|met|came|ran|gave|found|left|lost|won|wrote|sold|sent|spent|began|started|built|drove|ate|flew|grew|taught|told|chose|became|adopted|moved|joined|visited|painted|finished|graduated|signed|decided|attended|worked|lived|loved|liked|enjoyed|hated|wanted|needed|played|studied|planned|learned|ordered|booked|received|created|organi[sz]ed|volunteered|married|retired|used to";

const REWRITES: readonly {
  readonly pattern: RegExp;
  readonly write: (name: string, match: RegExpExecArray) => string;
}[] = [
  { pattern: /^my (?=[\p{L}\d'-]+ )/iu, write: (name) => `${name}'s ` },
  { pattern: /^(?:i'm|i am) /iu, write: (name) => `${name} is ` },
  { pattern: /^i was /iu, write: (name) => `${name} was ` },
  { pattern: /^i've got /iu, write: (name) => `${name} has got ` },
  { pattern: /^(?:i've|i have) (?=been |never |always |[a-z]{3,20}ed )/iu, write: (name) => `${name} has ` },
  { pattern: /^(?:i'll|i will) /iu, write: (name) => `${name} will ` },
  { pattern: /^(?:i don't|i do not) /iu, write: (name) => `${name} doesn't ` },
  { pattern: /^i (can't|cannot|can|must|should) /iu, write: (name, [, verb]) => `${name} ${verb!.toLowerCase()} ` },
  {
    pattern: new RegExp(`^i ${ADVERB}(${PASTS}) `, "iu"),
    write: (name, [, adverb, verb]) => `${name} ${adverb}${verb} `,
  },
  {
    pattern: new RegExp(`^i ${ADVERB}(${Object.keys(THIRD_PERSONS).join("|")}) `, "iu"),
    write: (name, [, adverb, verb]) => `${name} ${adverb}${THIRD_PERSONS[verb!.toLowerCase()]} `,
  },
];

/** "Caroline's favourite colour is green." or "Caroline: Last Friday, I went to a workshop." */
export function attributeQuote(quote: string, name: string | null, label: string): string {
  return (name === null ? null : rewriteQuote(quote, name)) ?? `${label}: ${quote}`;
}

function rewriteQuote(quote: string, name: string): string | null {
  if (!NAME.test(name)) return null;
  const plain = quote.replace(/[\u2018\u2019]/g, "'");
  for (const { pattern, write } of REWRITES) {
    const match = pattern.exec(plain);
    if (!match) continue;
    const rest = quote.slice(match[0].length);
    return OTHER_PRONOUN.test(plain.slice(match[0].length)) ? null : write(name, match) + rest;
  }
  return null;
}
