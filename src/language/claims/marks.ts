/** Finds the words by which a sentence is marked as news, as an addition, or as an end. */

const CONTRACTIONS: readonly (readonly [RegExp, string | ((said: string) => string)])[] = [
  [/\bcan(?:'t|not)\b/giu, "can not"],
  [/\bwon't\b/giu, "will not"],
  [/n't\b/giu, " not"],
  [/\b(i)'m\b/giu, "$1 am"],
  [/'re\b/giu, " are"],
  [/'ve\b/giu, " have"],
  [/'ll\b/giu, " will"],
  [/'d\b/giu, " would"],
  [/\bwould rather (?:have |drink |eat |use |get |see )?/giu, "prefers "],
  [
    /\b(he|she|it)'s (?=(?:been|got|gone|become|left|joined|moved|switched|stopped|started|changed|signed|bought|sold)\b)/giu,
    "$1 has ",
  ],
  [/\b(he|she|it|that|there|who|what|here)'s\b/giu, "$1 is"],
  [/\bmade redundant\b|\b(?<=\b(?:was|were|been) )let go\b/giu, "fired"],
  [/\b(is|are|am) an? (?=(?:year|month|week|day) old\b)/giu, "$1 one "],
  [/, (?:just )?imagine(?: that)?(?=[.!]*$)/giu, ""],
  [/\bput off (?=until|till|to)/giu, "postponed "],
  [/\b(is|are) set (?:at|to) (?=[$€£]?\d)/giu, "$1 "],
  [/\bgotten rid of\b|\bgot rid of\b/giu, "sold"],
  [/\bmade the move (?=to\b|into\b)/giu, "moved "],
  [/\bmoved house (?=to\b|into\b)/giu, "moved "],
  [/\btied the knot\b|\bgot hitched\b/giu, "got married"],
  [/\b(?:took|taken) the place of\b/giu, "replaced"],
  [/\b(switched|gone|went) over (?=to\b)/giu, "$1 "],
  [
    /\b(?:have|has) (still )?not got (?=an?\b|\d)/giu,
    (said: string) => /^has/iu.test(said) ? "does not have " : "do not have ",
  ],
  [/\bmade (?=(?:\p{Lu}\p{L}+ ){1,2}status\b)/gu, "reached "],
  [
    /\bsaid (?:goodbye|farewell|bye) to\b|\bturned (?:my|his|her|their|our) backs? on\b|\bparted ways with\b|\bwalked away from\b/giu,
    "left",
  ],
  [/\bpulled out of\b|\bbacked out of\b|\bbowed out of\b/giu, "withdrew from"],
  [/\bput back (?=to\b)/giu, "postponed "],
  [/\b(?:has|have) run out\b(?! of)|\bran out\b(?! of)/giu, "expired"],
  [/\bfell through\b|\b(?:has|have) fallen through\b/giu, "was cancelled"],
  [/\bturned down\b(?=[.,;!]|$)/giu, "rejected"],
  [
    /\b(?:risen|fallen|gone up|gone down|increased|dropped|climbed) by (?:an? |about |another )?\S+(?: \S+)? (?=to \S)/giu,
    (said: string) => said.split(" by ")[0]! + " ",
  ],
  [
    /^there (?:is|are) (?:now |only |just |still )?((?:only |just )?(?:\S+ ){1,4}?)(?:left )?(?:in|on|at) ((?:the|our|my|this) [^,.;]{1,60})/giu,
    "$2 has $1",
  ],
];

const LEADS =
  /^(?:thanks to [^,.;]{2,60}, |(?:reminder|note|fyi|update|correction|news|heads[- ]up|ps|so|well|ok|okay|yes|no|yeah|oh|hey|hi|and|but|anyway|actually|unfortunately|finally|good news|bad news|guess what|by the way|btw|just so you know|for the record|please note|remember)(?: that)?[,:!]? |(?:i am (?:happy|glad|sorry|sad|excited) to (?:say|tell you|report) that ))+/iu;

/** Words that say that what follows is news, and that are no part of what is said. */
const NEWS: readonly RegExp[] = [
  /\b(?:from now on|from today(?: on)?|these days|nowadays|going forward|since then)\b,?/iu,
  /\b(?:as of|starting|effective|beginning|since) (?:today|now|(?:this|last|next|the) [\p{L}]+|january|february|march|april|may|june|july|august|september|october|november|december)\b,?/iu,
  /\bafter (?:the|his|her|their|our|an?) (?:latest |last |recent )?[\p{L}-]+(?=[\s.!]*$)/iu,
  /^since (?:(?:the|his|her|their|our|an?|my) )?(?:(?!(?:i|we|he|she|they|you|it|the|my|our)\b)[\p{L}\d-]+ ){1,4}(?=(?:the|our|my|his|her|their|we|i|he|she|they|it)\b)/iu,
  /^(?:after|since|with|following) (?:the|his|her|their|our|an?|my) (?:latest |last |recent |new )?[\p{L}-]+,? (?=(?:the|our|my|his|her|their|we|i|he|she|they|it)\b)/iu,
  /\bfrom (?:this|next) (?:year|month|week|quarter|term|season)\b(?=[\s.!]*$)/iu,
  /\b(?:so far|by now|(?<!\bup )to date(?! \p{L})|thus far)\b,?/iu,
  /(?:^|(?<=[\s,]))now\b,?/iu,
  /\bagain(?=[\s,.!]|$)/iu,
  /\binstead\b(?! of)/iu,
];
/** Matches the time from which something holds; also in the wording of collapsed sessions. */
const FROM_TIME =
  /\b(?:from|since|as of|starting|beginning|effective) (?:(?:this|next) (?:week|month|year|quarter|term|season|spring|summer|autumn|winter)|the week(?:end)? of \d{1,2} \p{L}+ \d{4})\b(?: on)?,?/iu;
const FILLERS =
  /\b(?:(?:in|on|over|since) the week(?:end)? of \d{1,2} \p{L}+ \d{4}|(?:as of|starting|effective|beginning|since) (?:january|february|march|april|may|june|july|august|september|october|november|december),? (?:19|20)\d\d|currently|at the moment|right now|presently|recently|just|finally|already|officially|meanwhile|lately|as you know|generally speaking|in fact|luckily|sadly|actually|really|of course|last (?:week|month|night|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day|spring|summer|autumn|winter|fall)(?!'s)|over the (?:weekend|summer|holidays|winter)|for good|(?<=\S )(?:in|since) (?:spring|summer|autumn|winter)|this (?:week|month|year|term|semester|spring|summer|autumn|winter)|a (?:week|month|year|few \p{L}+) ago|(?:two|three|four|five|six|\d+) (?:days|weeks|months) ago)\b,?/giu;
const FROM_PATTERNS: readonly RegExp[] = [
  /,? ?\b(?:instead of|rather than|in place of) (?:by |on |in |at |from |with |over |using |to )?(.+?)(?=(?: now)?[\s.!,;]*$| since )/iu,
  /, (?:and )?not (?:by |on |in |at |from |with )?([^,]{1,60}?)(?: any ?more)?(?=[\s.!]*$)/iu,
];
const ADDITION =
  /\b(?:also|too|as well|additionally|in addition|besides|another|a second|a third|both|one more|an additional|an extra|further)\b/iu;
const ENDED = /\bno longer\b|\bnot (.{0,120}?)\b(?:any ?more|any longer)\b/iu;
/** Returns a text with straight quotes and spelled-out contractions, and without its opening words. */
export function straighten(text: string): string {
  let plain = text.replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"').replace(/\s+/g, " ").trim();
  for (const [pattern, written] of CONTRACTIONS) {
    plain = typeof written === "string" ? plain.replace(pattern, written) : plain.replace(pattern, written);
  }
  return plain.replace(LEADS, "");
}

export interface Marked {
  readonly text: string;
  readonly isNew: boolean;
  readonly hasEnded: boolean;
  readonly isAddition: boolean;
  readonly from: string | null;
}

/** Removes the words that mark a clause, and returns what they say. */
export function takeMarks(clause: string): Marked {
  const begun = clause.replace(FROM_TIME, " ");
  // The comma stays in "I bought a bike last week, a red one", but not in "Currently, we use …".
  let text = begun.replace(
    FILLERS,
    (filler: string, at: number) => filler.endsWith(",") && /\w $/u.test(begun.slice(0, at)) ? ", " : " ",
  );
  let isNew = begun !== clause;
  let from: string | null = null;
  for (const pattern of FROM_PATTERNS) {
    const match = pattern.exec(text);
    if (match === null || from !== null) continue;
    from = match[1]!;
    isNew = true;
    text = text.slice(0, match.index) + text.slice(match.index + match[0].length);
  }
  for (const pattern of NEWS) {
    const cut = text.replace(pattern, " ");
    if (cut !== text) isNew = true;
    text = cut;
  }
  const ended = ENDED.exec(text);
  const hasEnded = ended !== null;
  if (ended !== null) text = text.replace(ENDED, (_, inner) => inner === undefined ? "not" : `not ${inner}`);
  // "I only owe her 200 pounds any more"
  if (!hasEnded && /\bonly\b/iu.test(clause) && /\bany ?more\b/iu.test(text)) {
    text = text.replace(/\bany ?more\b/iu, " ");
    isNew = true;
  }
  const isAddition = ADDITION.test(text);
  text = text.replace(/\b(?:also|too|as well|additionally|in addition)\b/giu, " ");
  return { text: text.replace(/\s+/g, " ").replace(/ ([,.;!])/g, "$1").trim(), isNew, hasEnded, isAddition, from };
}
