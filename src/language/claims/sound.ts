/**
 * The one gate for claims, whichever row read them: what makes no sense is no claim, and what is often misread is unsure.
 * An unsure claim is not shown and ends nothing; it can only mark an older fact as likely outdated.
 */
import { FUNCTION_WORDS_BY_LANGUAGE, HALF_WORDS } from "../function_words.ts";
import { listReferents } from "../referents.ts";
import { OPENERS } from "../name_words.ts";
import type { Claim } from "./claim.ts";
import { isOccupation, isPerson } from "./role_rules.ts";
import { maskValues } from "./values.ts";

/** The confidence of what may be misread. It is below `SURE_MIN`. */
const UNSURE = 0.6;

/** The claim as far as it may be believed; null: it is senseless. */
export function believe(claim: Claim, isLoose: boolean): Claim | null {
  const value = withoutAside(claim);
  const whole = value === claim.value ? claim : { ...claim, value };
  if (!isSubject(whole) || !isValue(whole) || !fits(whole)) return null;
  const isUnsure = (isLoose || OFTEN_WRONG.test(whole.predicate) || whole.respect === "activity") && !isCertain(whole);
  return isUnsure && whole.confidence > UNSURE ? { ...whole, confidence: UNSURE } : whole;
}

/** Words at the end of a value that say when, or how the speaker feels: "Leeds now", "trains tbh". */
const ASIDE_END =
  /(?:,? (?:here|now|rn|atm|tbh|lol|haha|btw|still|again|too|though|already|currently|anyway|these days|at the moment|right now|for now|so far|(?:last|this|next) \p{L}+|on (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:january|february|march|april|may|june|july|august|september|october|november|december) \d+)|(?:since|till|until|til) .+))+$/iu;
/** Predicates whose value may be a time. */
const TIMED = /^(?:happens|is|status|has booked|travels to)$/u;

function withoutAside({ predicate, value }: Claim): string {
  if (predicate === "happens") return value.replace(/ regarding .*$/iu, "");
  const most = TIMED.test(predicate) ? value : value.replace(ASIDE_END, "");
  return most === "" ? value : most;
}

/** Words that no subject holds: it names somebody or something, and is no clause and no aside. */
const NO_SUBJECT =
  /(?:^|\s)(?:i|me|it|he|she|him|them|this|that|these|those|there|here|what|which|who|whom|how|why|when|where|while|because|cos|coz|cuz|if|though|although|so|then|than|but|or|not|never|just|is|are|was|were|be|been|has|have|had|do|does|did|will|would|can|could|should|may|must|let's|lets|you know|seems?|sounds?|looks|feels?|coming|helps?|you|also|only|ever|please)(?=\s|$)/iu;
/** What a subject does not begin with: a preposition, or a word that says of whom or how many, and not who. */
const NO_BEGINNING =
  /^(?:by|with|from|for|in|at|on|to|of|as|about|after|before|during|since|until|till|per|via|without|like|and|half|none|nothing|nobody|no|some|something|someone|somebody|anything|anyone|anybody|everything|everyone|everybody|one|ones|two|three|four|five|six|seven|eight|nine|ten|\d\S*|many|most|much|more|few|several|another|other|others|each|any|(?!\p{L}*eed\b)\p{Ll}{3,}ed|(?!family|assembly|supply|anomaly)\p{Ll}{3,}ly)(?=\s|$)|^(?:thing|things|stuff|lot|lots|man|guy|people|reason|way|point|problem|question|fact|idea|chance|hope|part)$/iu;
const SUBJECT_WORDS_MAX = 6;

function isSubject({ subject, subjectKey, respect }: Claim): boolean {
  if (subjectKey === "" || subject === "they") return false;
  // What a person may do is said of many, and of the listener.
  if (/^(?:permission|tool|activity)$/.test(respect) && /^(?:you|all \p{L}+|every \p{L}+)$/u.test(subjectKey)) {
    return true;
  }
  const bare = subject.replace(/^(?:user (?=\p{Ll})|\p{L}+ \d+: )/u, "");
  if (subjectKey === "you" || /[\n*#|:;()[\]"\u2022,]/u.test(bare)) return false;
  if (/^\S+ (?:the|an?) /u.test(subject)) return false;
  const words = subject.split(" ");
  if (words.length > SUBJECT_WORDS_MAX || NO_SUBJECT.test(subject) || NO_BEGINNING.test(bare)) return false;
  return !isOpener(subject) && !words.some(isForeignWord);
}

/** "Sure", "Typically": a word that only opens a sentence, and is no relative. */
function isOpener(words: string): boolean {
  return /^\p{Lu}/u.test(words) && OPENERS.has(words.toLowerCase()) &&
    !/^(?:user|m[ou]m|mommy|mama|papa|dad|daddy|grand?(?:ma|pa|ny)|assistant|bot|system|tool|customer|client)$/iu.test(
      words,
    );
}

/** Function words of other languages that no English text has: "der", "mi" in front of a noun. */
function isForeignWord(word: string): boolean {
  return /^\p{Ll}/u.test(word) && (!HALF_WORDS.has(word) || /^(?:mi|la|el|su|mis|los|las)$/u.test(word)) &&
    !ENGLISH_TOO.has(word) &&
    (FUNCTION_WORDS_BY_LANGUAGE.german.has(word) || FUNCTION_WORDS_BY_LANGUAGE.spanish.has(word) ||
      FUNCTION_WORDS_BY_LANGUAGE.french.has(word));
}

const ENGLISH_TOO: ReadonlySet<string> = new Set("also pas so tu me auf chez".split(" "));

/** What a value does not consist of: words that point elsewhere. */
const NO_VALUE =
  /^(?:(?:it|them|this|that|these|those|him|me|us|you|their|its|your|more(?! than)|lots?|tons?|bit|much|everywhere|how|what)(?: .*)?|this|that|these|those|them|they|me|us|you|him|her|his|hers|mine|yours|ours|theirs|so|well|much|many|more|most|all|both|some|any|anything|something|nothing|everything|one|ones|what|when|how|why|too|very|way|able|about|like|both|forward|(?:it|this|that) (?:here|there|a lot|so much|all|over .*|when .*))$/iu;
/** Marks of a value that runs on into another clause, or is cut out of one. */
const RUNS_ON =
  /[\n*|\u2022"]|#(?=[\s#])|\S?- |(?:^|\s)(?:i|i'm|i've|i'll|we|we're|he|she|they|you|it's|that's|there's|it|is|are|which|who|whom|because|cos|but|whether|if)(?=\s|$)|\s(?:and|or|but|the|an?|of|for|with|to|as|by|from|that|than|my|our|his|her|their|into|about|due|using|them|it|this|related|how)$|^(?:and|or|but|of|than|being|having|gonna|going to|trying to|to)(?=\s)/iu;
const VALUE_WORDS_MAX = 10;

function isValue({ value, polarity, respect, subject }: Claim): boolean {
  if (value === "") {
    return !polarity || respect === "activity" || respect === "permission";
  }
  if ((subject !== "you" && NO_VALUE.test(value)) || / ones?$/iu.test(value)) return false;
  if (RUNS_ON.test(value) || value.split(" ").length > VALUE_WORDS_MAX) return false;
  // "My" of a speaker with a name is theirs.
  if (/^my /iu.test(value) && /^\p{Lu}/u.test(subject)) return false;
  return countOf(value, "(") === countOf(value, ")");
}

function countOf(text: string, mark: string): number {
  return text.split(mark).length - 1;
}

/** Predicates that only people and animals have. */
const OF_SOMEBODY =
  /^(?:works at|works as|is a member of|relationship|plays for|lives with|likes|prefers|wants|diet|eats|is allergic to)$/;
const TIME_WORD =
  /\b(?:today|tomorrow|tonight|noon|midnight|morning|afternoon|evening|night|week|weekend|month|year|quarter|spring|summer|autumn|fall|winter|easter|christmas|jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec|\d{1,2}(?:st|nd|rd|th)|later|earlier|daily|weekly|monthly|yearly|soon)/iu;

/** Whether a predicate can be said of the subject, with the value. */
function fits({ subject, subjectKey, predicate, respect, value, polarity, change }: Claim): boolean {
  if (OF_SOMEBODY.test(predicate) && isThingName(subject)) return false;
  switch (predicate) {
    case "lives in":
      if (
        /^(?:news|English|German|French|Spanish|Italian|Dutch|Portuguese|Polish|Russian|Japanese|Chinese)$/u.test(value)
      ) {
        return false;
      }
      if (subjectKey === "we" && !/[\p{Lu}\p{N}]/u.test(value)) return false;
      return !isSomebody(subject) || isHome(value) || value === "";
    case "uses":
      return !/^[\d.,]+ /u.test(value);
    case "is a member of":
      // A team's calendar is no team.
      return !/\p{L}'s \p{Ll}/u.test(value);
    case "happens":
      return !polarity || value === "" || hasValue(value, ["day", "clock", "rhythm"]) ||
        (TIME_WORD.test(value) && !hasValue(value, ["money", "percent"]) && !/^\d+ /u.test(value));
    case "is":
      // Of a person a bare number is an age, and of nobody a size.
      if (respect === "measure") {
        return !value.startsWith("by ") && (subjectKey !== "user" || /^\d{1,3}(?: years old)?$/u.test(value));
      }
      // "Is with Shell" says where or with whom, and not what.
      if (respect === "attribute" && /^(?:with|in|at|on|by|from|via|under) /iu.test(value)) return false;
      if (respect === "attribute" && /^(?:user|we)$/u.test(subjectKey)) return false;
      return respect !== "role" || (!isOpener(value) && !subject.startsWith(`${value} `));
    case "has":
      return !/^\W*\d[\d.,]*\W*$/u.test(value) && (change !== "adjusted" || maskValues(value).values.length > 0);
    default:
      return !/^no\b/iu.test(value) || polarity;
  }
}

/** The predicate as a reader expects it: a key does not live in a drawer. */
export function showPredicate({ predicate, subject }: Claim): string {
  return predicate === "lives in" && !isSomebody(subject) && !/^\p{Lu}/u.test(subject) ? "is in" : predicate;
}

/** Whether a subject is a thing, and nobody: "password stuff", "user's phone". */
function isThingName(subject: string): boolean {
  const bare = subject.replace(/^.*'s /u, "").replace(/ (?:for|of|from|with|in|at) .*$/u, "");
  if (/^\p{Lu}/u.test(bare) || /^(?:user|we|you|they)$/u.test(bare)) return false;
  const mentions = listReferents(`The ${bare} works.`);
  return mentions.length > 0 && mentions.every(({ kind }) => kind === "thing" || kind === "things");
}

/** Whether a subject is a person or an animal for sure. */
function isSomebody(subject: string): boolean {
  return isPerson({ subject: subject === "user" ? "user" : subject === "we" ? "we" : "", subjectText: subject }) ||
    listReferents(`The ${subject.replace(/^.*'s /u, "")} works.`).some(({ kind }) =>
      /^(?:person|people|animal)$/.test(kind)
    );
}

function hasValue(text: string, kinds: readonly string[]): boolean {
  return maskValues(text).values.some(({ kind }) => kinds.includes(kind));
}

const HOME_WORD =
  /\b(?:flat|apartment|house|home|bungalow|cottage|condo|studio|loft|attic|room|floor|basement|dorm|dormitory|hostel|lodgings?|digs|farm|barn|boat|houseboat|caravan|van|tent|town|city|village|suburbs?|cent(?:re|er)|countryside|country|coast|seaside|mountains?|island|street|road|lane|avenue|square|district|neighbou?rhood|quarter|area|campus|estate|housing|accommodation|abroad|north|south|east|west|there|here|family|parents?|place|office|building|villa|mansion|terrace|shelter|camp|port|harbour|harbor|hook|drawer|cupboard|wardrobe|cellar|garage|shed|kitchen|hall|hallway|bathroom|bedroom|doormat|mat|reception|fridge|freezer|pantry|shelf|cabinet|desk|box|bag|wallet|locker|safe|vault|archive|folder|repo|repository|warehouse|store|shop|library|lab|office|wall|door|window|roof|porch|yard|garden|neighbou?rs?|valley|forest|woods|care)\b/iu;

/** Whether somebody can live there: a name, or a kind of home or of place. */
function isHome(value: string): boolean {
  return /^(?:\d+\p{L}? )?(?:\p{Ll}+ ){0,2}\p{Lu}/u.test(value) || HOME_WORD.test(value);
}

const OFTEN_WRONG = /^(?:has|uses|likes|works as)$/;
/** What people have for long, so that it is worth telling when they no longer do. */
const LASTING_THING =
  /\b(?:car|van|bike|bicycle|motorbike|scooter|truck|boat|caravan|house|flat|apartment|home|cottage|garden|allotment|garage|piano|guitar|violin|viola|cello|ukulele|drums|phone|laptop|computer|tablet|camera|printer|tv|fridge|freezer|dishwasher|oven|stove|washing machine|dryer|heat pump|boiler|greenhouse|shed|pond|pool|key|keys|passport|visa|licen[cs]e|permit|degree|account|subscription|membership|card|pension|mortgage|loan|insurance|diabetes|asthma|arthritis|allergy|adhd|glasses|braces|pacemaker|tattoo|website|blog|shop|store|business|company|studio)s?$/iu;
/** What nobody has for long, and so does not lose. */
const NO_POSSESSION = /\b(?:questions?|ideas?|time|energy|problems?|issues?|plans?|clue|reasons?|choice|doubts?)$/iu;
/** Verbs whose number is a measure of the subject: "holds 40 bars", "opens at 8". */
const MEASURED_DEED = new Set(
  "hold contain take store keep open close start end run last sleep walk drink pay earn make type do practise spend owe know count sell support serve employ get lift meditate rent"
    .split(" "),
);
/** Verbs of habits and standing duties: what somebody does regularly, and not once. */
const LASTING_DEED = new Set(
  "collect play study learn teach report drink eat smoke swim cycle volunteer commute speak lead manage maintain coach chair supervise attend assign subscribe sing"
    .split(" "),
);

/** Whether the words leave little doubt, although the row often errs. */
function isCertain({ predicate, respect, subject, value, change, from, isAddition }: Claim): boolean {
  // What it names as ended or as the former value is what the older claim says.
  if (
    (change === "ended" && !NO_POSSESSION.test(value)) ||
    (from !== null && !/^(?:need|want|require|expect|hope)$/.test(predicate))
  ) return true;
  if (predicate === "lives in") {
    return !isSomebody(subject) ? /^\p{Lu}/u.test(value) || HOME_WORD.test(value) : false;
  }
  if (predicate === "has") {
    if (/^\p{Lu}\S*(?: \p{Lu}\S*)?$/u.test(value)) return true;
    const head = value.replace(/ (?:named|called|with|for|in|of|from|at|on) .*$/iu, "");
    return (maskValues(value).values.length > 0 && !/\p{L}ed /u.test(value)) ||
      LASTING_THING.test(head) ||
      listReferents(`The ${head} works.`).some(({ kind }) => /^(?:animal|person|people)$/.test(kind));
  }
  if (respect === "activity") {
    // "Answer in German" is said to the reader.
    return (subject === "you" && !/ing\b/u.test(value)) || (LASTING_DEED.has(predicate) && value !== "") ||
      hasValue(value, ["day", "clock", "rhythm", "money", "percent"]) ||
      (MEASURED_DEED.has(predicate) && hasValue(value, ["number"]));
  }
  // "Can do ten push-ups", "can edit now"
  if (
    predicate === "may" && ((change !== null && subject !== "we" && !isAddition) || maskValues(value).values.length > 0)
  ) {
    return true;
  }
  if (predicate === "may") return listReferents(`The ${subject} work.`).some(({ kind }) => kind === "people");
  // "uses simpler words": only a name, a number or a change says that it is a thing of its own.
  if (predicate === "uses") return change !== null || /[\p{Lu}\p{N}`]/u.test(value);
  if (predicate === "likes") return !/^(?:my|our|his|her) /iu.test(value);
  if (predicate === "works at") return /^\p{Lu}/u.test(value);
  if (predicate === "works as") return isOccupation(value) && !/\b(?:team|club|choir|band|side|squad)\b/iu.test(value);
  return false;
}
