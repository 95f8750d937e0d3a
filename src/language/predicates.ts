/**
 * How many values a predicate has at a time. A new value of an exclusive predicate ("lives in", "works as", "status",
 * "price") replaces the last one; the values of others ("speaks", "visited", "child") hold side by side. Pure.
 *
 * The defaults are the lists below. A workspace may say otherwise for its predicates (`PredicateSettings`), and so may a
 * fact for itself.
 */
import { nameKey } from "./names.ts";
import { wordSet } from "./word_set.ts";

/** `one`: one value at a time. `many`: several. */
export type Cardinality = "one" | "many";

/** A workspace's settings for its predicates, by name; spelling does not matter. */
export type PredicateSettings = Readonly<Record<string, { readonly exclusive: boolean }>>;

/** Splits a list of phrases, separated by `|` and white space. */
function phrases(list: string): ReadonlySet<string> {
  return new Set(list.split("|").map((phrase) => phrase.trim().replace(/\s+/g, " ")));
}

/** Words before the predicate that say nothing of how many values it has. */
const LEADING = wordSet(`
  is are am be been being has have s re m currently now presently still just also the a an my our his her its their
`);
/** Matches words that put a predicate into the past, where more than one value can be true. */
const PAST = /^(?:was|were|had|had been|used to|formerly|previously|once|ex|former)\s+(?:be\s+)?/;

const ONE = phrases(`
  live in | lives in | living in | live at | lives at | reside in | resides in | residing in | residence | home | home address |
  home town | hometown | home city | home country | address | city | country | location | lives | based in | based at | based |
  located in | located at | located on | located | situated in | headquartered in | headquarters | office | moved to | moves to |
  moving to | relocated to | relocates to | relocating to | stationed in | stationed at | kept in | kept on | kept at | stored in | stored at |
  work at | works at | working at | work for | works for | working for | employed by | employed at | employer | company | job |
  job title | title | role | position | occupation | profession | work as | works as | working as | employed as | serves as |
  job role | department |
  married to | engaged to | spouse | husband | wife | partner | boyfriend | girlfriend | fiance | fiancee | marital status |
  relationship status | mother | father | mom | mum | dad |
  manager | boss | supervisor | reports to | reporting to | managed by | led by | headed by | lead | team lead | ceo | cto | cfo |
  president | chair | owner | owned by | contact | contact person | point of contact | on call | assigned to | assignee |
  status | state | phase | stage | progress | priority | severity | condition | mode | level | rating | grade | rank | score |
  costs | earns | weighs | measures | lasts | born in | born on | born at | birthplace | place of birth | date of birth |
  died in | died on | founded in | founded on | due | due on | due by | starts | starts on | starts at | begins on | begins at | ends on |
  ends at | scheduled for | scheduled on | scheduled at | takes place on | takes place at | happens on | planned for | expires on |
  called | named | gender | sex | pronouns | nationality | blood type | star sign | zodiac sign | native language |
  mother tongue | time zone | timezone | currency | religion | capital | parent company | plan | subscription | tier |
  diet | username | nickname | birthday | email | e mail | email address | phone | mobile |
  runs on | running on | runs at | run at | hosted on | hosted at | hosted in | hosted by | deployed to | deployed on | deployed in |
  deploys to | deploys on | written in | built with | listens on | points to | backed up | stored on | closes at | closes on | opens at |
  opens on | closed on | meets on | meets at | maintained by | run by | driven by | taught by | approved by | replaced by |
  drives | commutes by | sleeps at | wakes up at | retains for | kept for | rotated every | renewed every | billed | priced at | worth
`);
/** Heads of noun phrases with one value: "monthly price", "backup retention", "release date". */
const ONE_HEADS = wordSet(`
  name surname age price cost rate fee salary wage rent budget limit quota quantity amount count size capacity total balance
  revenue population weight height length width depth distance temperature threshold timeout interval frequency retention
  duration version percentage discount date time deadline expiry status state phase stage priority owner number code birthday
  colour color port region zone endpoint url uri host hostname domain server database provider vendor supplier runtime framework
  branch environment cluster location address venue room floor seat schedule policy format theme editor ide os platform backend
  headcount threshold window period day month year season weekday shift leader manager boss captain coach teacher doctor dentist
  landlord lawyer accountant employer password salutation greeting tone style breed species make model licence license
`);
/** "favourite colour", "default branch". */
const ONE_STARTS =
  /^(?:(?:all time |absolute )?favou?rite|primary|default|current|main|preferred|latest|next|maximum|minimum|max|min) /;

const MANY = phrases(`
  child | children | son | daughter | kid | sibling | brother | sister | parent | grandchild | cousin | aunt | uncle | nephew |
  niece | relative | friend | friend of | friends with | colleague | coworker | neighbour | neighbor | acquaintance | pet | dog | cat |
  parent of | child of | sibling of | brother of | sister of | mother of | father of | related to | met | met with | knows |
  language | speak | speaks | speaking | skill | skilled in | good at | can | able to | familiar with | expert in | learning | studies |
  visit | visits | visited | travelled to | traveled to | travels to | been to | went to | places visited | cities visited | countries visited | flew to |
  lived in | worked at | worked for | worked as | worked on | works on | works with | worked with | studied | studied at | studied in | graduated from |
  attended | attends | participated in | participates in | took part in | won | awarded | award | degree | certification | certified in |
  hobby | interest | interested in | like | likes | love | loves | enjoy | enjoys | dislike | dislikes | hate | hates | fan of |
  plays | instrument | sport | does | practises | practices | collects |
  allergic to | allergy | intolerant to | intolerance | takes medication | diagnosed with | symptom |
  read | reads | has read | watched | watches | saw | seen | listened to | listens to | bought | purchased | ate | cooked | baked |
  wrote | written | author of | created | made | built | published | painted | owns | has | possesses |
  member of | members | member | participant | attendee | contributor | feature | dependency | depends on | requires | includes |
  contains | consists of | comprises | supports | integrates with | compatible with | connected to | tag | label | alias | also known as |
  topic | keyword | goal | task | requirement | mentions | mentioned | discussed | collaborates with | invited | invited to
`);

/**
 * The form in which predicates are compared: `livesIn`, `lives_in`, `is living in` and `Currently lives in` differ from
 * each other in spelling only, and only the verb's form is kept. Empty for a predicate without visible characters.
 */
export function predicateKey(predicate: string): string {
  const spaced = predicate.replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2").replace(/[_\-./:'’]+/g, " ");
  const words = nameKey(spaced).split(" ");
  // "has been to" says something with "been".
  const isLeading = (i: number) => LEADING.has(words[i]!) && !(words[i] === "been" && words[i + 1] === "to");
  let first = 0;
  while (first < words.length - 1 && isLeading(first)) first++;
  return words.slice(first).join(" ");
}

/** The singular of a noun at the end of a phrase: "hobbies" → "hobby". */
function toSingular(key: string): string {
  return key.replace(/ies$/, "y").replace(/(?<!s)s$/, "");
}

/** How many values a predicate has by the lists of this module; undefined: they do not say. */
function byDefault(key: string): Cardinality | undefined {
  const past = key.replace(PAST, "");
  if (past !== key) {
    // "was married to" does not say that there was no other; a birth is one.
    return /^born\b/.test(past) ? "one" : byDefault(past) === undefined ? undefined : "many";
  }
  if (ONE.has(key) || key.startsWith("number of ")) return "one";
  if (MANY.has(key) || MANY.has(toSingular(key))) return "many";
  // "favourite books" may be several.
  if (ONE_STARTS.test(key)) return /[^s]s$/.test(key) ? undefined : "one";
  return ONE_HEADS.has(key.slice(key.lastIndexOf(" ") + 1)) ? "one" : undefined;
}

/** The most predicates in the cache of defaults, by spelling: a workspace uses few predicates, again and again. */
const LOOKED_UP_MAX = 10_000;
const lookedUp = new Map<string, Cardinality | undefined>();

function lookUp(predicate: string): Cardinality | undefined {
  if (lookedUp.has(predicate)) return lookedUp.get(predicate);
  if (lookedUp.size >= LOOKED_UP_MAX) lookedUp.clear();
  const cardinality = byDefault(predicateKey(predicate));
  lookedUp.set(predicate, cardinality);
  return cardinality;
}

/** Whether a predicate has one value at a time, as a workspace says; undefined: it does not say. */
export function exclusiveBySettings(predicate: string, settings: PredicateSettings): boolean | undefined {
  const key = predicateKey(predicate);
  return Object.entries(settings).find(([name]) => predicateKey(name) === key)?.[1].exclusive;
}

/**
 * How many values a predicate has at a time; undefined if neither the workspace nor the defaults say so. In that case
 * several values hold side by side, and the older ones are marked.
 */
export function cardinalityOf(predicate: string, settings?: PredicateSettings): Cardinality | undefined {
  const exclusive = settings && exclusiveBySettings(predicate, settings);
  return exclusive === undefined ? lookUp(predicate) : exclusive ? "one" : "many";
}
