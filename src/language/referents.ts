/** Reads whom and what a sentence mentions, if its own pronouns are resolved already. Pure. */
import { FUNCTION_WORDS } from "./name_words.ts";
import { readNames } from "./name_finder.ts";
import { isCommonBase, isPastForm, MIDDLE_ADVERBS } from "./verb_forms.ts";
import { wordSet } from "./word_set.ts";

export type Gender = "female" | "male" | "unknown";

/** Both "it" and "they" can mean a group. The kind of a bare name is unknown. */
export type ReferentKind = "person" | "animal" | "people" | "group" | "things" | "thing" | "name";

export interface Referent {
  /** The text that replaces a pronoun. */
  readonly text: string;
  readonly kind: ReferentKind;
  readonly gender: Gender;
  /** Opens its sentence, or the main clause of it. */
  readonly isSubject: boolean;
  /** Place in the sentence, in UTF-16 units. */
  readonly at: number;
  /** With its preposition, where a place is meant: "in Porto". */
  readonly place?: string;
}

const FEMALE = wordSet(
  `sister mother mum mom mommy wife daughter girlfriend gf nan nana granddaughter fiancee aunt niece grandmother grandma granny fiancée
  woman girl lady landlady mother-in-law sister-in-law daughter-in-law frau mrs ms`,
);
const MALE = wordSet(
  `brother father dad daddy husband son boyfriend bf hubby grandson uncle nephew grandfather grandpa fiancé man boy guy
  father-in-law brother-in-law son-in-law herr mr`,
);
const PERSON = wordSet(
  `ex housemate physiotherapist physio friend boss manager colleague neighbour neighbor doctor dentist vet teacher professor editor cousin
  partner cofounder co-founder roommate flatmate landlord client customer candidate contact mechanic plumber electrician
  cleaner nurse therapist coach trainer drummer producer lawyer admin owner kid child baby intern student tenant driver
  photographer engineer designer director postman technician agent accountant babysitter nanny uncle coworker co-worker
  singer guitarist bassist author writer captain chef cook mayor minister priest`,
);
const PEOPLE = wordSet(
  `parents kids children friends colleagues neighbours neighbors cousins siblings grandparents twins
  guests customers clients users tenants students people sisters brothers daughters sons workers employees landlords crew family`,
);
const GROUP = wordSet(`team company
  insurance bank band club school university agency committee board council police hospital department vendor publisher
  office service workshop shop store bakery clinic landlord agency`);
const ANIMAL = wordSet(
  "dog cat puppy kitten hamster rabbit horse pony parrot bird fish turtle guinea pig cow goat hen",
);
/** Nouns that stand for a time, a measure or the talk itself: "it" does not mean them. */
const NO_THINGS = wordSet(
  `day week month year morning evening afternoon night weekend time times hour hours minute minutes
  end beginning middle way lot bit couple few moment while one ones rest kind sort part thing things idea question fact
  last first second third next same other others best most reason news chance problem point case mind course meantime
  half pity shame mess fun star luck`,
);
const VERBS = wordSet(
  `runs costs starts ends lives works takes needs makes keeps goes comes moves opens closes says gets
  expires arrives stays plays wants likes loves hates uses owns leads looks contains includes hosts ships fails begins
  turns lends bakes covers reads writes thinks knows pays sends joins leaves becomes happens means seems hurts barks`,
);
/** The name that a noun for a person is given in its own sentence. */
const NAMED_AFTER =
  /^(?:,? (?:is |was )?(?:called|named)|'s name is| is| was|,) ((?:(?:Dr|Mr|Mrs|Ms|Frau|Herr|Doctor|Professor)\.? )?\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)?)/u;
/** Words before "'s" that own nothing: "it's", "how's". */
const NO_OWNER =
  /(?<![\p{L}'])(?:it|he|she|that|this|there|here|what|who|how|where|when|why|let|everything|everyone)$/iu;
/** A verb that follows a word with a capital shows that it is a name. */
const OPENS_CLAUSE =
  /^(?:'s)? (?:is|was|has|had|does|did|will|can|isn't|wasn't|doesn't|didn't|also|still|just|always|never|and \p{Lu}|[a-z]{2,}(?:ed|es|ks|ts|ns|ys|ds|rs|ls|ms|ps|ws)|said|went|got|took|made|came|left|gave|told|bought|sold|found)(?=[ .,!])/u;
const KIN = /(?<![\p{L}'])(?:Mum|Mom|Mama|Dad|Papa|Grandma|Grandpa|Granny)(?!\p{L})/gu;
const NO_NOUNS = wordSet(`twice yesterday today tomorrow tonight here there lend serve grow nearby look feel seem mean
  remind happen turn`);
/** Adjectives that are no noun where they stand alone: "it's amazing". */
const ADJECTIVES = wordSet(
  `hard amazing cool great good nice best worst same important awesome crazy easy fun funny sad bad
  big huge small lovely perfect beautiful special true right wrong sure able happy proud glad excited busy ready free
  incredible interesting inspiring magical powerful rewarding wonderful fantastic new old own whole only such little young
  key essential possible must way real cute sweet tough rough tired fine okay ok late early open closed broken gone done`,
);
const DETERMINER =
  /(?:\b(?:the|an?|this|that|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}|some|several|new|need|needs|bought|ordered)|(?<=\p{L})'s)\s/giu;
/** After these a noun is meant only where it is a plural. */
const COUNTS = /^(?:an?|the|this|that|'s)\s$/iu;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}'’&.+-]*/uy;
const NOUN_WORDS_MAX = 4;
const PLACE = /\b(in|at|to|from|near) ((?:the )?\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+){0,2})/gu;
const ADVERBIAL_END = /^[^,]{2,45}, /u;
/** Words before a name that make it likely a person's. */
const PERSON_CUE = /\b(?:with|by|ask|asked|told|met|called|named)\s$/iu;

/** The people and things that a sentence mentions, in order. */
export function listReferents(sentence: string): Referent[] {
  const main = ADVERBIAL_END.exec(sentence)?.[0].length ?? 0;
  const isSubject = (at: number) => at < 3 || (at >= main && at < main + 3);
  const found: Referent[] = [];
  for (const match of sentence.matchAll(DETERMINER)) {
    const isOwned = match[0].startsWith("'s");
    const from = isOwned ? startOfOwner(sentence, match.index) : match.index;
    if (isOwned && NO_OWNER.test(sentence.slice(0, match.index))) continue;
    const noun = readNoun(sentence, match.index + match[0].length);
    if (noun === undefined || (!COUNTS.test(match[0]) && !/[^s]s$/iu.test(noun.words.at(-1)!))) continue;
    if (found.some((other) => other.at < match.index && match.index < other.at + other.text.length)) continue;
    const determiner = isOwned ? sentence.slice(from, match.index + match[0].length) : "the ";
    found.push({ ...describe(noun, determiner), isSubject: isSubject(from), at: from });
    // The owner is mentioned, too: "Emil's new boots" mentions Emil.
    const owner = isOwned ? sentence.slice(from, match.index) : "";
    if (/^\p{Lu}[\p{L}-]+$/u.test(owner)) {
      found.push({ text: owner, kind: "name", gender: "unknown", isSubject: false, at: from });
    }
  }
  for (const { name, strong, type } of readNames(sentence).names) {
    const at = sentence.indexOf(name);
    if (
      at === -1 || (!strong && !OPENS_CLAUSE.test(sentence.slice(at + name.length))) ||
      found.some((other) => other.at <= at && at < other.at + other.text.length + 2)
    ) continue;
    const isPerson = type === "person" || (type === undefined && PERSON_CUE.test(sentence.slice(0, at)));
    found.push({
      text: name,
      kind: isPerson ? "person" : type === undefined ? "name" : "thing",
      gender: genderOf(name),
      isSubject: isSubject(at),
      at,
    });
  }
  for (const match of sentence.matchAll(KIN)) {
    const female = /^(?:Mum|Mom|Mama|Gran(?!dpa))/u.test(match[0]);
    const gender = female ? "female" : "male";
    found.push({ text: match[0], kind: "person", gender, isSubject: isSubject(match.index), at: match.index });
  }
  for (const match of sentence.matchAll(PLACE)) {
    const place = `${match[1] === "at" || match[1] === "near" ? match[1] : "in"} ${match[2]}`;
    found.push({ text: match[2]!, kind: "thing", gender: "unknown", isSubject: false, at: match.index, place });
  }
  return joinNames(sentence, found).sort((a, b) => a.at - b.at);
}

/** Finds where the owner before a possessive begins: "Nora's sister", "the user's sister". */
function startOfOwner(sentence: string, end: number): number {
  const before = sentence.slice(Math.max(0, end - 60), end);
  const owner = /(?:(?:the |a |an )(?:[\p{L}-]+ )?[\p{L}-]+|\p{Lu}[\p{L}'.-]*(?: \p{Lu}[\p{L}'.-]*){0,2}|[\p{L}-]+)$/iu
    .exec(before);
  const proper = /(?:\b[Tt]he [\p{L}-]+|\p{Lu}[\p{L}.-]*(?: \p{Lu}[\p{L}.-]*){0,2})$/u.exec(before);
  return end - (proper ?? owner)![0].length;
}

interface Noun {
  readonly words: readonly string[];
  /** The name that follows a noun for a person: "brother Enzo". */
  readonly name: string;
}

function readNoun(sentence: string, from: number): Noun | undefined {
  const words: string[] = [];
  let name = "";
  let at = from;
  let end = from;
  while (words.length < NOUN_WORDS_MAX) {
    WORD.lastIndex = at;
    const word = WORD.exec(sentence)?.[0].replace(/[.'’]+$/u, "");
    if (word === undefined || word === "") break;
    const lower = word.toLowerCase().replace(/['’]s$/u, "");
    // "son" is a function word of other languages.
    if (FUNCTION_WORDS.has(lower) && !isPersonNoun(lower)) break;
    if (VERBS.has(lower) || MIDDLE_ADVERBS.has(lower) || NO_NOUNS.has(lower)) break;
    if (words.length > 0 && (isPastForm(lower) || isCommonBase(lower))) break;
    // "my daughter collects": after a person a verb in the third person ends the name.
    const base = /^(\p{Ll}{3,})s$/u.exec(lower)?.[1];
    if (base !== undefined && words.length > 0 && isPersonNoun(words.at(-1)!.toLowerCase()) && isCommonBase(base)) {
      break;
    }
    if (/['’](?!s$)/u.test(word)) break;
    const last = words.at(-1)?.toLowerCase();
    const isName = /^\p{Lu}\p{Ll}/u.test(word);
    // "the plaque John made": another name begins.
    if (isName && last !== undefined && !isPersonNoun(last) && /^\p{Ll}/u.test(words.at(-1)!)) break;
    if (/^\p{Lu}/u.test(word) && last !== undefined && isPersonNoun(last)) {
      name = word.replace(/['’]s$/u, "");
      break;
    }
    if (/['’]s$/u.test(word)) {
      // "Maya's mum's birthday" is her mum's.
      if (!isPersonNoun(lower)) return undefined;
      words.push(word.replace(/['’]s$/u, ""));
      break;
    }
    words.push(word);
    at += word.length;
    end = at;
    if (sentence[at] !== " ") break;
    at++;
  }
  const head = words.at(-1)?.toLowerCase();
  if (head !== undefined && isPersonNoun(head) && name === "") {
    name = NAMED_AFTER.exec(sentence.slice(end, end + 80))?.[1] ?? "";
  }
  if (
    head === undefined || NO_THINGS.has(head) || ADJECTIVES.has(head) || /(?:ly|ing)$/.test(head) && words.length === 1
  ) {
    return undefined;
  }
  return { words, name };
}

function isPersonNoun(word: string): boolean {
  return FEMALE.has(word) || MALE.has(word) || PERSON.has(word);
}

function genderOf(text: string): Gender {
  const words = text.toLowerCase().split(/[\s.]+/u);
  return words.some((word) => FEMALE.has(word)) ? "female" : words.some((word) => MALE.has(word)) ? "male" : "unknown";
}

function describe({ words, name }: Noun, determiner: string): Pick<Referent, "text" | "kind" | "gender"> {
  const head = words.at(-1)!.toLowerCase();
  const text = determiner + words.join(" ");
  if (isPersonNoun(head)) {
    // "brother Enzo", "study partner is called Mirko", "teacher is Frau Nowak"
    return { text: name === "" ? text : name, kind: "person", gender: genderOf(`${head} ${name}`) };
  }
  const kind = PEOPLE.has(head)
    ? "people"
    : GROUP.has(head)
    ? "group"
    : ANIMAL.has(head)
    ? "animal"
    : /[^s]s$/.test(head) && !/(?:us|is|ss|news)$/.test(head)
    ? "things"
    : "thing";
  return { text, kind, gender: "unknown" };
}

/** "Anna and Tom" are people, beside Anna and Tom. */
function joinNames(sentence: string, found: readonly Referent[]): Referent[] {
  const joined: Referent[] = [];
  for (const first of found) {
    if (first.kind === "thing") continue;
    const second = found.find((other) =>
      other.kind !== "thing" && other !== first && other.place === undefined &&
      sentence.slice(first.at, other.at).endsWith(" and ") && other.at - first.at < first.text.length + 30
    );
    if (second === undefined) continue;
    joined.push({ ...first, text: `${first.text} and ${second.text}`, kind: "people", gender: "unknown" });
  }
  return [...found, ...joined];
}
