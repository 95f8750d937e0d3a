/**
 * Reads subject, predicate and object from the plainest statements of speakers about themselves.
 *
 * A second value for the same subject and predicate supersedes the first, so only predicates that have one value at a
 * time are listed: a favourite colour, a name, a home. "Likes", "is allergic to" or "my friend" have many values and give no
 * triple. The object must be one short phrase without negation, doubt or list.
 */

export interface PlainTriple {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

const SINGLE_VALUED =
  "(?:first |last |middle |full |maiden |nick|user|screen )?name|nickname|username|birthday|date of birth|birth date|age|e-?mail(?: address)?|phone(?: number)?|mobile(?: number)?|address|home ?town|home country|home city|time ?zone|nationality|native language|mother language|job(?: title)?|occupation|profession|employer|blood type|star sign|zodiac sign|shoe size|height|weight|(?:husband|wife|mother|mom|mum|father|dad|boss|manager|dog|cat|partner|fiancée?|boyfriend|girlfriend)'s (?:name|birthday)";

/** In order. `predicate` null: the first group is the predicate, the second the object. */
const TRIPLE_PATTERNS: readonly { readonly predicate: string | null; readonly pattern: RegExp }[] = [
  { predicate: null, pattern: /^my ((?:all-time |absolute )?fav(?:ou?rite) [\p{L}' -]{2,40}?)(?: is|'s) (.+)$/iu },
  { predicate: null, pattern: new RegExp(`^my ((?:${SINGLE_VALUED}))(?: is|'s) (.+)$`, "iu") },
  { predicate: "name", pattern: /^(?:i'm|i am) (?:called|named) (.+)$/iu },
  { predicate: "lives in", pattern: /^(?:i|i currently|i now|now i) live in (.+)$/iu },
  { predicate: "works at", pattern: /^(?:i|i currently|i now|now i) work (?:at|for) (.+)$/iu },
  { predicate: "works as", pattern: /^(?:i|i currently|i now|now i) work as (?:an? )?(.+)$/iu },
  { predicate: "born in", pattern: /^(?:i was|i'm|i am) born (?:and raised )?in (.+)$/iu },
  { predicate: "born on", pattern: /^i was born on (.+)$/iu },
  { predicate: "age", pattern: /^(?:i'm|i am) (\d{1,3}(?: years old)?)[.!]*$/iu },
];

const FIXED_PREDICATES: ReadonlySet<string> = new Set(TRIPLE_PATTERNS.flatMap(({ predicate }) => predicate ?? []));
const SINGLE_VALUED_PREDICATE = new RegExp(
  `^(?:(?:all-time |absolute )?fav(?:ou?rite) [\\p{L}' -]{2,40}|${SINGLE_VALUED})$`,
  "iu",
);

/** Whether a predicate has one value at a time, so that a new one may supersede the last. */
export function isSingleValued(predicate: string): boolean {
  return FIXED_PREDICATES.has(predicate.toLowerCase()) || SINGLE_VALUED_PREDICATE.test(predicate);
}

/** The end of the object: another clause or an afterthought follows. */
const OBJECT_END =
  /[.!?;…]+(?:\s|$)|\s[-\u2013\u2014]+\s|,\s|\s(?:but|because|'?cause|cuz|which|who|whose|where|when|while|since|though|although|so|as|with|now|currently|these days|at the moment|right now|again|too|already|anymore|and (?:i|i'm|i've|my|we|it|it's|he|she|they|that|this))(?:\s|[.!,]|$)/iu;
const NOT_AN_OBJECT =
  /^(?:not|no|never|n't|the same|that|this|it|what|when|why|how|who|something|anything|everything|nothing|one of|very|really|so|too|on (?:the|my|its)|here|there|all|always|also|still|now|just|being|going|getting|coming|to|great|good|nice|pretty|hard|up|in (?:a|the) (?:few|couple|way|sense|past)|next|last|tomorrow|today|yesterday|soon|over|done)\b|\b(?:and|or|maybe|probably|&)\b|[\n:]/iu;
const OBJECT_CHARS_MAX = 80;
const OBJECT_WORDS_MAX = 8;

/** The triple that a sentence states about its speaker, or null. `head` has straight apostrophes. */
export function findTriple(speaker: string, head: string): PlainTriple | null {
  for (const { predicate, pattern } of TRIPLE_PATTERNS) {
    const match = pattern.exec(head);
    if (!match) continue;
    const object = readObject(match[predicate === null ? 2 : 1]!);
    if (object === null) return null;
    const name = (predicate ?? match[1]!).toLowerCase().replace("favorite", "favourite");
    return { subject: speaker, predicate: name, object };
  }
  return null;
}

function readObject(rest: string): string | null {
  const end = OBJECT_END.exec(rest)?.index ?? rest.length;
  // A list ("green, blue and red") has a comma, too.
  if (/^,\s.*(?:\sand\s|\sor\s)/u.test(rest.slice(end)) && !/^,\s(?:and|but|i|my|it)\b/iu.test(rest.slice(end))) {
    return null;
  }
  const object = rest.slice(0, end).replace(/[\s.!?,;…]+$/u, "").trim();
  if (object === "" || object.length > OBJECT_CHARS_MAX || object.split(" ").length > OBJECT_WORDS_MAX) return null;
  return NOT_AN_OBJECT.test(object) ? null : object;
}
