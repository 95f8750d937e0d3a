/**
 * Finds the words of a sentence that point outside it ("she", "it", "that"), and the earlier sentence that says whom or
 * what they may mean. Nothing is replaced: a sentence that points is kept together with the other one. Pure.
 */
import { listReferents, type Referent } from "./referents.ts";
import { AFTER_POINTING, EMPTY_IT } from "./pronouns.ts";

/** What a word points to; `any`: whatever the sentence before says. */
export type Anaphor = "she" | "he" | "they" | "people" | "it" | "any";

const WORD =
  /(?<![\p{L}\p{N}'])(she|her|hers|he|him|his|they|them|their|theirs|it|its|this|that|these|those|there|mine|yours|ones?)(?![\p{L}\p{N}-])/giu;
const KIND: Readonly<Record<string, Anaphor>> = {
  she: "she",
  her: "she",
  hers: "she",
  he: "he",
  him: "he",
  his: "he",
  they: "they",
  them: "they",
  their: "they",
  theirs: "they",
  it: "it",
  its: "it",
};
/** A clause before a word, which the word may be about: "I gave up coffee, it makes me sick". */
const CLAUSE = /^(?:\S+ ){2,}\S*(?:[,;:]| and| but| because| so| since| when| as) /iu;
const OWNED = /\b(?:my|our|\p{L}+'s) \p{L}{3,}/iu;
/** "because of the hedgehog, she lives under the shed" */
const NOUN_BEFORE = /\b(?:the|an?|my|our) (?:[\p{L}-]+ )?[\p{L}-]{3,}, $/iu;
const EXISTS = /^ (?:is|are|was|were|isn't|aren't|will|would|has|have|'s|might|may|can|should)\b|^'s\b/iu;
/** "She made it", "as it happens": here "it" means nothing. */
const IDLE_IT = /\b(?:make|makes|made|take|took|call|hate|love) $/iu;
/** "Take it from the donation" */
const OF_THING = /\b(?:take|took|make|made) (?:from|out|off|back|away|into|to|with)\b/iu;
/** What follows a "one" that takes the place of a noun. */
const STANDS_FOR =
  /^(?: (?:fails?|failed|is|was|has|breaks?|broke|works?|that|which|who|too|as well|instead|from|for|in|with|yesterday|today|again|left)\b|[.,!?;]|$)/iu;
/** Names something of which there may be one or several: "a flat", "flats". */
const COUNTED = /\b(?:an? \p{L}|\p{L}{2,30}[^s\P{L}]s\b)/iu;
/** Only people do this. */
const OF_PEOPLE =
  /^(?:'d|'ve|'re|'ll)? ?(?:\p{L}+ly |also |just |still |even |always |never )?(?:want\p{L}*|think\p{L}*|thought|say|said|told|tell|like|love|hate|know|knew|hope|prefer|agree\p{L}*|decided?|call\p{L}*|ask\p{L}*|live\p{L}*|work\p{L}*|refunded|married|bought|offer\p{L}*|pay|paid|promised|moved|need|start)\b/iu;
/** Nobody in particular: "they say", "they've moved my appointment". */
const SOMEBODY =
  /^(?:'ve| have)? ?(?:just |finally |now )?(?:postponed|rescheduled|moved|pushed|brought|cancelled|canceled|delayed|extended|raised|lowered|closed|say|said)\b/iu;

/** What a sentence leaves open, each kind once. `text` has straight apostrophes. */
export function listAnaphors(text: string): Anaphor[] {
  const open = new Set<Anaphor>();
  for (const match of text.matchAll(WORD)) {
    const word = match[0].toLowerCase();
    const before = text.slice(0, match.index);
    const after = text.slice(match.index + word.length);
    const kind = word === "they" && OF_PEOPLE.test(after) ? "people" : KIND[word];
    const isLater = CLAUSE.test(before);
    if (kind === undefined) {
      // "We looked at two flats and took one", but not "I'd like to be told by mail when one fails".
      if (isLater && (word !== "one" || COUNTED.test(before))) continue;
      if (word === "one") {
        // "when one fails", "a new one"; no number, and nobody in particular.
        if (
          STANDS_FOR.test(after) &&
          !/\b(?:no|every|any|some|each|which|number|day|at|by|step|version|item|new|other|another|an?|good|little|bigger|better) $/iu
            .test(before)
        ) open.add("any");
      } else if (/^(?:mine|yours|ones)$/.test(word)) {
        // "At mine" is at home.
        if (!/\bat $/iu.test(before)) open.add("any");
      } else if (word === "there" ? !EXISTS.test(after) : points(word, before, after)) open.add("any");
      continue;
    }
    if (kind === "it" && (EMPTY_IT.test(after) || IDLE_IT.test(before) && !OF_THING.test(before + after))) continue;
    // "I see my physiotherapist every week, but she's away": what the clause before says is enough to understand.
    if (isLater && (kind === "it" || kind === "they" || kind === "people" || OWNED.test(before))) continue;
    if ((kind === "she" || kind === "he") && NOUN_BEFORE.test(before)) continue;
    if (word === "they" && match.index === 0 && SOMEBODY.test(after)) continue;
    if (!open.has(kind) && !isAntecedent(before, kind) && !(kind !== "it" && NAMED_FIRST.test(before))) open.add(kind);
  }
  return [...open];
}

function points(word: string, before: string, after: string): boolean {
  // "I know that he left", "the one that broke"
  const joins = word === "that" && before !== "" &&
    !/^(?:[.,!?;…]|$| (?:is|was|one|and|but|too|again|now|on|in|at|for|with|from|by|last|yesterday|before|already|yet)\b)/iu
      .test(after);
  return !joins && AFTER_POINTING.test(after);
}

/** Whether a sentence begins with an "it" that means nothing: "it's official". */
export function isEmptyIt(text: string): boolean {
  return /^it\b/iu.test(text) && EMPTY_IT.test(text.slice(2));
}

/** Whether a sentence names a woman and a man, or two who may be. */
export function tellsApart(text: string): boolean {
  const people = listReferents(asDefinite(text)).filter((mention) => fits(mention, "she") || fits(mention, "he"));
  return people.length > 1;
}

/** Whether a text mentions somebody or something that a word may mean. */
export function isAntecedent(text: string, anaphor: Anaphor): boolean {
  if (text.trim() === "") return false;
  if (anaphor === "any") return /\p{L}{3,}.*\p{L}{3,}/su.test(text);
  if (/^(?:he|she|they|people)$/.test(anaphor) && OPENING_NAME.test(text)) return true;
  // "Doctor Hartmann … his colleague": he is no woman.
  const isOther = anaphor === "she" ? OF_HIM.test(text) : anaphor === "he" && OF_HER.test(text);
  const plain = asDefinite(text);
  return listReferents(plain).some((mention) =>
    fits(mention, anaphor) && !(isOther && mention.gender === "unknown") &&
    (mention.kind !== "name" || !/^(?:he|she|people)$/.test(anaphor) || actsIn(plain, mention.text))
  );
}

/** Whether the one whom a word may mean is the subject of a sentence, and so what the talk is about. */
export function isAbout(text: string, anaphor: Anaphor): boolean {
  return listReferents(asDefinite(text)).some((mention) => mention.isSubject && fits(mention, anaphor));
}

/** Whether a name is somebody's: it acts, owns, or is spoken with. "Plac Bema" may be a place. */
function actsIn(text: string, name: string): boolean {
  const at = text.indexOf(name);
  return /^(?:'s|,? (?:and|is|was|has|had|will|can|who|said|says|\p{Ll}+(?:s|ed))\b)/u.test(
    text.slice(at + name.length),
  ) ||
    /\b(?:with|and|called|named|for|told|ask|asked|met|invite|invited|include|add|email|ping|remind|visit|thank|friend|colleague|by|tell|call|is|was|does|did|has|can|will) $/iu
      .test(text.slice(0, at));
}

const OF_HIM = /(?<![\p{L}'])(?:he|him|his)(?!\p{L})/iu;
const OF_HER = /(?<![\p{L}'])(?:she|her|hers)(?!\p{L})/iu;

/** "Rob from sales" */
const OPENING_NAME =
  /^(?!(?:The|This|That|There|It|He|She|They|We|You|What|Who|Yes|No|So|And|But|If|My|Our|Your)\b)\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)? (?:from|at|in|of|and|is|was|has|says|said|will|won't|can|can't|works?|did|does)\b/u;
/** "Ruth lost her job": within a sentence its first name may own and be what follows. */
const NAMED_FIRST =
  /^(?!(?:The|This|That|These|Those|There|It|He|She|They|We|You|What|Who|Yes|No|Not|So|And|But|If|My|Our|Your|When|While|Because|In|On|At|For|From|With|Also|Then|Today|Yesterday|Maybe|Just|Can|Could|Will|Did|Do|Is|Was|Are|Got|Had|Have|Met|Saw|Told|Asked|Gave|Took|Bought|Thanks|Please|Ok|Oh|Well|I|How|Why|Where|Which|Whose|Has|Does|Were|Would|Should|Let|Some|All|Any|Both|Every|Most|Once|Still|Only|Nice|Good|Great|Lovely|Sorry|Hi|Hey|Hello)\b)\p{Lu}\p{Ll}+(?:,? (?:and )?\p{Lu}\p{Ll}+)? \p{Ll}/u;
/** "release is still planned" */
const BARE_SUBJECT =
  /^(\p{Ll}{4,})(?= (?:is|was|has|had|will|moved|starts?|ends?|costs?|opens?|closes?|broke|died|arrived?|arrives)\b)/u;

/** "My sister" and "your order" are mentions, too; "mums bday" mentions mum. */
function asDefinite(text: string): string {
  return text.replace(BARE_SUBJECT, (word) => NO_NOUN.test(word) ? word : `the ${word}`)
    .replace(/\b(?:my|our|your|his|her|their|its)\b/giu, "the")
    .replace(
      /(?<![\p{L}'])(mum|mom|dad|grandma|grandpa|granny)('?s)?(?!\p{L})/giu,
      (_, who: string) => who[0]!.toUpperCase() + who.slice(1).toLowerCase(),
    );
}
const NO_NOUN =
  /^(?:that|this|there|what|which|where|when|they|everything|something|nothing|everyone|someone|here|these|those|mine|yours)$/u;

function fits({ kind, gender, place }: Referent, anaphor: Anaphor): boolean {
  if (anaphor === "it") return place === undefined && /^(?:thing|group|animal|name|things)$/.test(kind);
  if (anaphor === "they") return place === undefined;
  if (anaphor === "people") return place === undefined && /^(?:people|group|person|name)$/.test(kind);
  if (place !== undefined) return false;
  return /^(?:person|animal|name)$/.test(kind) &&
    (gender === "unknown" || gender === (anaphor === "she" ? "female" : "male"));
}
