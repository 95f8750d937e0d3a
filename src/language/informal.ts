/** Writes out what people shorten when they type fast ("im", "cant", "u", "shes"), so that the rules read it. Pure. */

const SHORT: Readonly<Record<string, string>> = {
  im: "i'm",
  ive: "i've",
  dont: "don't",
  doesnt: "doesn't",
  didnt: "didn't",
  cant: "can't",
  wont: "won't",
  isnt: "isn't",
  arent: "aren't",
  wasnt: "wasn't",
  werent: "weren't",
  hasnt: "hasn't",
  havent: "haven't",
  couldnt: "couldn't",
  wouldnt: "wouldn't",
  shouldnt: "shouldn't",
  shes: "she's",
  hes: "he's",
  theyre: "they're",
  theyve: "they've",
  weve: "we've",
  youre: "you're",
  thats: "that's",
  whats: "what's",
  theres: "there's",
  u: "you",
  ur: "your",
  r: "are",
  pls: "please",
  plz: "please",
  tmrw: "tomorrow",
  tmr: "tomorrow",
  bday: "birthday",
  ppl: "people",
  bc: "because",
  cuz: "because",
  w: "with",
  abt: "about",
  rn: "right now",
};
const WORD = /(?<![\p{L}\p{N}'/.-])\p{L}{1,8}(?![\p{L}\p{N}'/-])/gu;
/** "Its", "ill" and "lets" are words of their own, too. */
const ITS = /(?<![\p{L}'])(its)(?= (?:an?|the|not|in|on|at|from|been|just|still|called|broken|too|so|really|\d)\b)/giu;
const LETS =
  /(?<=^|^(?:ok|so|then|and|yes|yeah),? )(lets)(?= (?:go|do|use|take|keep|make|stick|say|move|try|pick|choose)\b)/iu;
const ILL = /^(ill)(?= (?:be|take|go|do|call|ask|send|bring|book|get|come|pay|need|try|see|make|have|write|pick)\b)/iu;

/** The text with its short forms written out, for reading only: places in it are not those of the text. */
export function writeOut(text: string): string {
  const out = text.replace(WORD, (word) => {
    const lower = word.toLowerCase();
    return Object.hasOwn(SHORT, lower) && word !== "W" && word !== "R" && word !== "U" ? SHORT[lower]! : word;
  });
  return out.replace(ITS, "it's").replace(ILL, "i'll").replace(LETS, "let's");
}
