/** Strips Korean words of the particles of nouns and the endings of verbs. Pure. */

/** Particles and endings, the longest first, so that the longest one goes. */
const ENDINGS = `
  으로부터 에서부터 이라고는 했습니다 하였습니다 되었습니다 됐습니다 었습니다 았습니다 하겠습니다 에게서 까지도 부터는
  에서는 에서도 에서의 으로는 으로도 에게는 에게도 한테서 이라는 이라고 입니다 습니다 합니다 됩니다 이에요 이었다 하였다 되었다
  하나요 되나요 됩니까 합니까 습니까 하세요 했어요 됐어요 되는 하는 했던 했다 한다 하고 하며 하면 해서 해요 하여 했나요 하였나요
  되고 되며 됐다 된다 인가요 인지 이나 이며 이고 이든 이라 에서 에게 에는 에도 에만 에선 께서 께는 한테 으로 로서 로써 로는
  로도 까지 부터 보다 처럼 만큼 마다 마저 조차 밖에 라고 라는 에요 예요 었다 았다 어요 아요 지만 는데 은데 나요 는지 들은 들이
  들을 들의 들에게 들도 들 은 는 이 가 을 를 의 에 와 과 도 로 만 께 야 요 고 다 한 할 행 된 될 인
`.split(/\s+/).filter((ending) => ending !== "").sort((a, b) => b.length - a.length);

/** The last syllable's consonant, as a number from 0 (none) to 27. */
const FINALS = 28, HANGUL = 0xac00, FINAL_B = 17, FINAL_SS = 20, FINAL_N = 4, FINAL_L = 8;
/** Rounds of taking an ending off: a noun has up to two particles, a verb an ending of tense and one of politeness. */
const ROUNDS = 2;
const GRAM = 2;

function finalOf(word: string): number {
  return (word.charCodeAt(word.length - 1) - HANGUL) % FINALS;
}

/** The word without the final consonant of its last syllable. */
function openLast(word: string): string {
  return word.slice(0, -1) + String.fromCharCode(word.charCodeAt(word.length - 1) - finalOf(word));
}

function withoutEnding(word: string): string | undefined {
  // "마십니다" → "마시": the ending's first consonant closes the stem's last syllable.
  const formal = /^(.+)(?:니다|니까)$/.exec(word)?.[1];
  if (formal !== undefined && finalOf(formal) === FINAL_B) return openLast(formal);
  const ending = ENDINGS.find((one) => word.length > one.length && word.endsWith(one));
  return ending === undefined ? undefined : word.slice(0, -ending.length);
}

/**
 * The stems that a word may have: the word itself, and the word without one ending and without two; the shortest one
 * also with an open last syllable if its final consonant may belong to a verb's ending. `grams` are the first two
 * syllables of a longer word: two forms whose endings the list lacks end differently, but begin alike.
 */
export function stemKorean(word: string): { readonly stems: string[]; readonly grams: string[] } {
  const stems = [word];
  let last = word;
  for (let round = 0; round < ROUNDS; round++) {
    const bare = withoutEnding(last);
    if (bare === undefined) break;
    stems.push(bare);
    last = bare;
  }
  if (last !== word && [FINAL_SS, FINAL_N, FINAL_L].includes(finalOf(last))) stems.push(openLast(last));
  const grams = word.length > GRAM ? [word.slice(0, GRAM)] : [];
  return { stems: [...new Set(stems)], grams };
}
