/**
 * Chinese and Japanese, which are written without spaces: where a run of characters may be cut, and which pairs of
 * characters carry its meaning. Pure.
 *
 * The words of a text in such a script are its pairs of neighbouring characters. A search by pairs misses some words,
 * so a text gets them in addition: a word of one character between two that only serve grammar ("住" in "に住んで" and
 * "我住在"), and words of other scripts inside the run ("2019年", "搬到GitHub").
 */

const RUN = /[\p{L}\p{N}\p{M}]+(?:['’ʼ]\p{L}+)*(?:[.,]\p{N}+)*/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]/u;
const PIECE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+/gu;
/** Characters that serve grammar. Those that are a part of many words, such as "会" and "上", are not among them. */
const GRAMMAR =
  /[\p{Script=Hiragana}的了是在我你您他她它们們吗嗎呢吧啊呀么麼什哪谁誰怎这這那有和与與就都也很把被给給从從没沒何几幾]/u;
/** Chinese question words, which occur in no answer. */
const QUESTION_WORDS =
  /为什么|為什麼|什么时候|什麼時候|什么|什麼|怎么样?|怎麼樣?|哪里|哪裡|哪儿|哪个|哪些|多少|几点|多久|是否|几/g;

/** A stretch of a text in one script, in a run that holds characters of an unspaced one. */
export interface Piece {
  readonly text: string;
  /** Place of its first UTF-16 unit. */
  readonly index: number;
  readonly isUnspaced: boolean;
  /** The run that it is cut from begins with a character of another script, so that the run is no pairs but one word. */
  readonly isOfWord: boolean;
}

/** Whether a text holds characters of such a script. */
export function hasUnspaced(text: string): boolean {
  return UNSPACED.test(text);
}

/** The pieces of the runs of a normalised text that hold characters of such a script, in order. */
export function listPieces(text: string): Piece[] {
  return [...text.matchAll(RUN)].filter(([run]) => UNSPACED.test(run)).flatMap((run) =>
    [...run[0].matchAll(PIECE)].map((piece): Piece => ({
      text: piece[0],
      index: run.index + piece.index,
      isUnspaced: UNSPACED.test(piece[0]),
      isOfWord: run[0].charCodeAt(0) <= 0x7f,
    }))
  );
}

/** Overlapping pairs of characters; a character alone is one by itself. */
export function listPairs(piece: string): string[] {
  const characters = [...piece];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, i) => characters[i]! + character);
}

/** The characters that stand alone between others that serve grammar. */
export function listSingles(piece: string): string[] {
  const characters = [...piece];
  const isContent = characters.map((character) => !GRAMMAR.test(character));
  return characters.filter((_, i) => isContent[i] && !isContent[i - 1] && !isContent[i + 1]);
}

/** A pair of a query. */
export interface Pair {
  readonly pair: string;
  /** `word`: both characters carry meaning; `single`: one does, which stands alone; `edge`: one does, of a longer word. */
  readonly role: "word" | "single" | "edge";
  /** The character of a `single`. */
  readonly single?: string;
}

/** Blanks the question words of a query; all other words keep their places. */
export function withoutQuestionWords(text: string): string {
  return text.replace(QUESTION_WORDS, (word) => " ".repeat(word.length));
}

const HIRAGANA = /^\p{Script=Hiragana}$/u;
/** Endings, auxiliaries and words of questions in hiragana. */
const GRAMMAR_PARTS =
  /(?:い|あり|なり|し|され|でき)ま(?:す|した|せん)か?|でしょうか?|ですか|でした|です|ましたか?|ませんか?|ますか?|ください|どんな|どこ|いつ|だれ|なに|なん|どの|どれ|どう|なぜ|いくつ|いくら|これ|それ|あれ|この|その|あの|ここ|そこ|から|まで|より|ので|のに|けど|など|だけ|ため|こと|もの|という|とき|さん|くん|ちゃん|さま|たち|について|される|された|している|していた|して|した|する|いる|ある|ない|なる|なった|られる|れる/g;
const PARTICLES_BEFORE = /^[はがをにへとでもやの]+/;
const PARTICLES_BEHIND = new Set("はがをにへとでもやのかねよ");
const WORD_MIN = 2;

/**
 * Finds which characters of a run of hiragana belong to a word that is written in hiragana ("さくら"), and are not
 * grammar. After another character the run is the ending of that word, unless a particle is between them.
 */
function findHiraganaWords(run: string, isBehind: boolean): boolean[] {
  const content = Array.from(run, () => false);
  const from = isBehind ? PARTICLES_BEFORE.exec(run)?.[0].length ?? run.length : 0;
  const masked = " ".repeat(from) + run.slice(from).replace(GRAMMAR_PARTS, (part) => " ".repeat(part.length));
  for (const { 0: word, index } of masked.matchAll(/[^ ]+/g)) {
    let { length } = word;
    while (length > 0 && PARTICLES_BEHIND.has(word[length - 1]!)) length--;
    if (length >= WORD_MIN) content.fill(true, index, index + length);
  }
  return content;
}

/** Finds which characters of a piece of a query carry meaning. */
function findContent(characters: readonly string[]): boolean[] {
  const content = characters.map((character) => !GRAMMAR.test(character));
  for (let from = 0; from < characters.length; from++) {
    if (!HIRAGANA.test(characters[from]!)) continue;
    let to = from + 1;
    while (to < characters.length && HIRAGANA.test(characters[to]!)) to++;
    const words = findHiraganaWords(characters.slice(from, to).join(""), from > 0);
    for (let i = from; i < to; i++) content[i] = words[i - from]!;
    from = to;
  }
  return content;
}

/** The pairs of a piece of a query, without those of which both characters serve grammar. */
export function readPairs(piece: string): Pair[] {
  const characters = [...piece];
  const isContent = findContent(characters);
  if (characters.length === 1) return isContent[0] ? [{ pair: piece, role: "single", single: piece }] : [];
  const out: Pair[] = [];
  for (let i = 0; i + 1 < characters.length; i++) {
    const pair = characters[i]! + characters[i + 1]!;
    if (isContent[i] && isContent[i + 1]) out.push({ pair, role: "word" });
    else if (isContent[i]) {
      out.push(isContent[i - 1] ? { pair, role: "edge" } : { pair, role: "single", single: characters[i]! });
    } else if (isContent[i + 1]) {
      // At the end of the piece, no later pair begins with it.
      const isLast = i + 2 === characters.length;
      if (isLast) out.push({ pair, role: "single", single: characters[i + 1]! });
      else if (isContent[i + 2]) out.push({ pair, role: "edge" });
    }
  }
  return out;
}
