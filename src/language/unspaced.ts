/**
 * Chinese and Japanese, which are written without spaces: where a run of characters may be cut, and which pairs of characters
 * carry what it is about. Pure.
 *
 * The words of a text in such a script are its pairs of neighbouring characters. Besides, a text gives what pairs miss: a word
 * of one character between two that only serve grammar ("住" in "に住んで" and "我住在"), and words of other scripts that stand
 * in the run ("2019年", "搬到GitHub").
 */

const RUN = /[\p{L}\p{N}\p{M}]+(?:['’ʼ]\p{L}+)*(?:[.,]\p{N}+)*/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]/u;
const PIECE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+/gu;
/** Characters that serve grammar. Those that are a part of many words, such as "会" and "上", are not among them. */
const GRAMMAR =
  /[\p{Script=Hiragana}的了是在我你您他她它们們吗嗎呢吧啊呀么麼什哪谁誰怎这這那有和与與就都也很把被给給从從没沒何几幾]/u;
/** Chinese words of questions, which stand in no answer. */
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

/** A query without what only asks, each word in the place where it was. */
export function withoutQuestionWords(text: string): string {
  return text.replace(QUESTION_WORDS, (word) => " ".repeat(word.length));
}

/** The pairs of a piece of a query, without those of which both characters serve grammar. */
export function readPairs(piece: string): Pair[] {
  const characters = [...piece];
  const isContent = characters.map((character) => !GRAMMAR.test(character));
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
