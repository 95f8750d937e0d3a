/**
 * Light stems of Arabic words: the words without vowel signs, articles, joined prefixes and common endings. Pure.
 *
 * Snowball's Arabic stemmer takes root letters for prefixes ("سيارات" → "يارا"), so that a plural and its singular differ;
 * the light form ("light10" of Larkey, Ballesteros and Connell) keeps them together.
 */

/** Vowel signs, the superscript alef, tatweel. */
const UNWRITTEN = /[\u0610-\u061a\u064b-\u065f\u0670\u0640]/g;
const PREFIXES = ["وال", "بال", "كال", "فال", "ولل", "ال", "لل", "و"];
const CONSONANT_PREFIXES = ["ب", "ل", "ف", "س"];
const ENDINGS = ["هما", "كما", "ها", "ان", "ات", "ون", "ين", "يه", "ية", "هم", "نا", "ه", "ة", "ي", "ك", "ا"];
/** The fewest letters that stripping leaves of a word. */
const LEFT_MIN = 3;
const WEAK = /[اويىءئؤأإآ]/g;

/** One spelling of a word: without vowel signs, each alef bare, the dotless ya as ya. */
export function foldArabic(word: string): string {
  return word.replace(UNWRITTEN, "").replace(/[أإآٱ]/g, "ا").replace(/ى/g, "ي");
}

function strip(word: string): string {
  let bare = word;
  const prefix = PREFIXES.find((one) => bare.startsWith(one) && bare.length - one.length >= LEFT_MIN);
  if (prefix !== undefined) bare = bare.slice(prefix.length);
  for (let round = 0; round < 2; round++) {
    const ending = ENDINGS.find((one) =>
      bare.endsWith(one) && bare.length - one.length >= LEFT_MIN - (one === "ة" ? 1 : 0)
    );
    if (ending === undefined) break;
    bare = bare.slice(0, -ending.length);
  }
  return bare;
}

/**
 * Returns the light stem of a word, also without a preposition that is joined to it, and `skeletons`: the strong
 * letters alone, which a broken plural shares with its singular ("فواتير", "فاتورة").
 */
export function stemArabic(word: string): { readonly stems: string[]; readonly skeletons: string[] } {
  const folded = foldArabic(word);
  const stems = new Set([strip(folded)]);
  for (const prefix of CONSONANT_PREFIXES) {
    if (folded.startsWith(prefix) && folded.length > LEFT_MIN + 1) stems.add(strip(folded.slice(1)));
  }
  const skeletons = new Set<string>();
  for (const stem of stems) {
    const strong = stem.replace(WEAK, "");
    if (strong.length >= LEFT_MIN || strong.length === LEFT_MIN - 1 && stem.length > LEFT_MIN) skeletons.add(strong);
    // "قطط" and "قطة": a plural doubles the last letter.
    if (/(.)\1$/.test(stem)) stems.add(stem.slice(0, -1));
  }
  return { stems: [...stems], skeletons: [...skeletons] };
}
