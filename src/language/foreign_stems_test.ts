/** Which language a text is in, and which stems its words have. Stored postings depend on what is tested here. */
import assert from "node:assert/strict";
import { behindArticle, stemForeign } from "./foreign_stems.ts";
import { FUNCTION_WORDS_BY_LANGUAGE, HALF_WORDS, LATIN_LANGUAGES } from "./function_words.ts";
import { detectLanguages, type Language } from "./detect_language.ts";
import { listPairs, listPieces, listSingles, readPairs } from "./unspaced.ts";
import { splitWords } from "./tokenise.ts";

/** Two forms of a word in each language, which have a stem in common. */
const FORMS: readonly (readonly [Language, readonly (readonly [string, string])[]])[] = [
  ["german", [
    ["rechnung", "rechnungen"],
    ["auto", "autos"],
    ["wohnt", "wohnen"],
    ["gebucht", "buchen"],
    ["haus", "häuser"],
    ["straße", "strassen"],
    ["müller", "mueller"],
    ["kollegin", "kolleginnen"],
  ]],
  ["french", [["facture", "factures"], ["cheval", "chevaux"], ["habite", "habitent"]]],
  ["spanish", [["canción", "canciones"], ["alergia", "alérgica"], ["vive", "viven"]]],
  ["italian", [["fattura", "fatture"], ["tedesco", "tedeschi"], ["abita", "abitano"]]],
  ["portuguese", [["canção", "canções"], ["irmã", "irmãs"], ["jornal", "jornais"], ["viagem", "viagens"]]],
  ["russian", [["встреча", "встречи"], ["москва", "москве"], ["счёт", "счета"]]],
  ["arabic", [["كِتَاب", "الكتاب"], ["سيارة", "سيارات"], ["فاتورة", "فواتير"], ["قطة", "قطط"], ["مديـــنة", "بالمدينة"]]],
  ["korean", [["서울", "서울에"], ["회의", "회의에서는"], ["마시는", "마십니다"], ["예약했습니다", "예약"]]],
];

function allStems(word: string, language: Language): Set<string> {
  const { stems, lesser } = stemForeign(word, language);
  return new Set([...stems, ...lesser]);
}

Deno.test("two forms of a word have a stem in common, in each language", () => {
  for (const [language, forms] of FORMS) {
    for (const [one, other] of forms) {
      const common = allStems(one, language).intersection(allStems(other, language));
      assert.ok(common.size > 0, `${language}: ${one}, ${other}`);
    }
  }
});

Deno.test("two words that are alike and no forms of one have no usual stem in common", () => {
  const others = [["german", "quelle", "qualle"], ["russian", "марта", "карта"], ["korean", "회의", "회사"]] as const;
  for (const [language, one, other] of others) {
    const common = new Set(stemForeign(one, language).stems).intersection(new Set(stemForeign(other, language).stems));
    assert.equal(common.size, 0, `${one}, ${other}`);
  }
});

function languagesOf(text: string): string[] {
  return [...detectLanguages(text, splitWords(text)).whole];
}

Deno.test("a text shows its language by its function words, letters and endings", () => {
  const texts: readonly (readonly [string, string])[] = [
    ["Die Rechnungen liegen im Ordner", "german"],
    ["Was hat der Kunde am Montag gesagt?", "german"],
    ["Las facturas están en la carpeta", "spanish"],
    ["Les factures sont dans le classeur", "french"],
    ["Le fatture sono nella cartella", "italian"],
    ["Elena colleziona francobolli antichi", "italian"],
    ["As faturas estão na pasta", "portuguese"],
    ["Hóa đơn nằm trong tập hồ sơ", "vietnamese"],
  ];
  for (const [text, language] of texts) {
    assert.ok(languagesOf(text).includes(language), `${text}: ${languagesOf(text)}`);
  }
  assert.deepEqual(languagesOf("Rechnung 4711"), []);
});

Deno.test("a text in English is in no other language, whatever names and single words of others it holds", () => {
  const texts = [
    "I was at the man's war with Los Angeles and the café",
    "Go get 'em, Jon!",
    "See ya!",
    "José and Müller will see the Rechnung on the desk",
    "The error was in /usr/lib/de_DE and the key is no_une",
    "La La Land",
    "",
  ];
  for (const text of texts) assert.deepEqual(languagesOf(text), [], text);
  assert.ok(detectLanguages(texts[0], splitWords(texts[0])).isEnglish);
});

Deno.test("each sentence of a text is in its own language", () => {
  const text = "I keep the office running in Berlin. Die Rechnungen liegen im Büro.";
  const words = splitWords(text);
  const reading = detectLanguages(text, words);
  const of = (word: string) => [...reading.of(words.findIndex(({ folded }) => folded === word))];
  assert.deepEqual([of("running"), of("rechnungen")], [[], ["german"]]);
});

Deno.test("a half word is a function word of a language", () => {
  const all = new Set(LATIN_LANGUAGES.flatMap((language) => [...FUNCTION_WORDS_BY_LANGUAGE[language]]));
  assert.deepEqual([...HALF_WORDS].filter((word) => !all.has(word)), []);
});

Deno.test("an article that has lost its vowel is no part of the word behind it", () => {
  assert.equal(behindArticle("l'ordine"), "ordine");
  assert.equal(behindArticle("Dell’anno"), "anno");
  assert.equal(behindArticle("O'Brien"), undefined);
  assert.equal(behindArticle("don't"), undefined);
});

Deno.test("a run without spaces is cut by script, and what stands alone between grammar is a word", () => {
  assert.deepEqual(listPieces("2019年に搬到GitHub").map(({ text, isUnspaced }) => [text, isUnspaced]), [
    ["2019", false],
    ["年に搬到", true],
    ["GitHub", false],
  ]);
  assert.deepEqual(listPairs("東京都"), ["東京", "京都"]);
  assert.deepEqual(listSingles("家に住んで"), ["家", "住"]);
  assert.deepEqual(readPairs("会議はどこですか").map(({ pair, role }) => [pair, role]), [["会議", "word"], [
    "議は",
    "edge",
  ]]);
  const hiragana = (piece: string) => readPairs(piece).filter(({ role }) => role === "word").map(({ pair }) => pair);
  assert.deepEqual(hiragana("さくらは何歳ですか"), ["さく", "くら"]);
  assert.deepEqual(hiragana("父のさくらはどこにいますか"), ["さく", "くら"]);
  assert.deepEqual(hiragana("どこに住んでいますか"), []);
  assert.deepEqual(readPairs("我住在北京").map(({ pair, role }) => [pair, role]), [
    ["住在", "single"],
    ["在北", "edge"],
    ["北京", "word"],
  ]);
});
