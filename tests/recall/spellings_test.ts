/** A word is found however it is spelled: with or without marks, grouped otherwise, as an emoji, or as a small word. */
import assert from "node:assert/strict";
import { indexStatements, search } from "./_languages.ts";

const OTHERS = ["The kettle is in the kitchen", "Ben sells bikes on Mondays", "The office opens at nine"];

/** The statements that a query finds; the first of them is the best. */
function find(statements: readonly string[], query: string): string[] {
  const all = [...statements, ...OTHERS];
  return search(indexStatements(all), query).map((doc) => all[doc - 1]!);
}

/** Statements with a mark for the word, and two spellings of the word. */
const SPELLED: readonly (readonly [string, string, string])[] = [
  ["@ plays the violin", "Zoë", "Zoe"],
  ["@ lives in a blue house", "Łukasz", "Lukasz"],
  ["@ keeps bees", "Søren", "Soren"],
  ["@ keeps bees", "Søren", "Soeren"],
  ["The shop is in the @ by the river", "Hauptstraße", "HAUPTSTRASSE"],
  ["Frau @ repairs clocks", "Müller", "Mueller"],
  ["Frau @ repairs clocks", "Müller", "Muller"],
  ["The ferry goes to @", "Ærø", "Aero"],
  ["@ is from Niš", "Đorđe", "Dorde"],
  ["@ grows tomatoes", "Þóra", "Thora"],
  ["@ leads the design team", "İlknur", "Ilknur"],
  ["@ leads the design team", "Işıl", "Isil"],
  ["@ wrote the contract", "Nguyễn", "Nguyen"],
  ["The bakery is called @", "Café", "CAFE"],
  ["@ moved to Prague", "Ševčík", "Sevcik"],
  ["Ο @ μένει στην Πάτρα", "Γιώργος", "Γιωργος"],
  ["@ живёт в Туле", "Артём", "Артем"],
  ["אני אוהב את @", "הקפה", "קפה"],
  ["@ שלי אדום", "שֻׁלְחָן", "שלחן"],
  ["وصل @ أمس", "الطبيب", "طبيب"],
  ["The deploy bot is called @", "Ångström", "Angstrom"],
  ["The deploy bot is called @", "Ångström", "Aangstroem"],
];

Deno.test("a word with marks is found without them and the other way round, in any language", () => {
  for (const [statement, one, other] of SPELLED) {
    for (const [told, asked] of [[one, other], [other, one]] as const) {
      const text = statement.replace("@", told);
      assert.equal(find([text], asked)[0], text, `${asked} for ${text}`);
      assert.equal(find([text], `Who or what is ${asked}?`)[0], text, `a question about ${asked} for ${text}`);
    }
  }
});

Deno.test("the word as it is written comes before its other spelling", () => {
  const both = ["Zoe paints walls", "Zoë paints walls"];
  assert.deepEqual(both.map((text) => find(both, text.slice(0, 3))[0]), both);
});

const CODES: readonly (readonly [string, readonly string[]])[] = [
  ["Release @ fixed the login loop", ["1.10.2", "v1.10.2", "V1.10.2"]],
  ["Ticket @ tracks the leak", ["ABC-1234", "ABC1234", "abc 1234", "abc-1234"]],
  ["The account is @ at the old bank", ["DE89 3704 0044 0532 0130 00", "DE89370400440532013000"]],
  ["The account is @ at the old bank", ["GB29 NWBK 6016 1331 9268 19", "GB29NWBK60161331926819"]],
  ["Call @ for support", ["+49 30 1234567", "+49301234567", "0049 30 1234567", "+49-30-123-4567", "+49 (30) 123 4567"]],
  ["Call @ for support", ["(555) 123-4567", "555 123 4567", "555.123.4567", "5551234567"]],
  ["The flight is @ to Lyon", ["LH 1172", "LH1172", "LH-1172"]],
  ["The parcel goes to @ in the north", ["1017 AB", "1017AB"]],
  ["The book has the number @ on its back", ["978-3-16-148410-0", "9783161484100", "978 3 16 148410 0"]],
  ["They wrote the parser for @ long ago", ["UTF-8", "UTF8", "utf8"]],
  ["The car has the plate @ since May", ["B-AB 1234", "BAB1234", "B AB 1234"]],
  ["She bought an @ in spring", ["iPhone 15", "iPhone15", "iphone-15"]],
  ["The card ends in @ today", ["4929 1234 5678 9012", "4929123456789012", "4929-1234-5678-9012"]],
  ["The build runs on @ machines", ["x86-64", "x86_64"]],
  ["The order is @ from last week", ["#2024/00871", "2024-00871", "202400871"]],
];

Deno.test("an identifier is found however it is grouped, both ways", () => {
  for (const [statement, spellings] of CODES) {
    for (const told of spellings) {
      for (const asked of spellings) {
        const text = statement.replace("@", told);
        assert.equal(find([text], asked)[0], text, `${asked} for ${text}`);
      }
    }
  }
});

Deno.test("another identifier is not found", () => {
  const pairs = [
    ["Release 1.10.2 fixed the login loop", "1.1.2"],
    ["Release 1.1 fixed the login loop", "v1.10"],
    ["Ticket ABC-1234 tracks the leak", "ABD-1235"],
    ["Call +49 30 1234567 for support", "+49301234568"],
  ] as const;
  for (const [text, asked] of pairs) assert.deepEqual(find([text], asked), [], asked);
});

Deno.test("an emoji is found by itself, whatever its skin tone", () => {
  const rows = [
    ["👍 means approve", "👍"],
    ["👍🏽 means approve", "👍"],
    ["👍 means approve", "👍🏿"],
    ["The rocket 🚀 channel is for launches", "🚀"],
    ["The family 👨‍👩‍👧‍👦 is the home group", "👨‍👩‍👧‍👦"],
    ["The flag 🇵🇹 stands for the Lisbon office", "🇵🇹"],
    ["A heart ❤️ marks what she likes", "❤"],
    ["Step 1️⃣ is to sign in", "1️⃣"],
  ] as const;
  for (const [text, asked] of rows) {
    assert.deepEqual(find([text, "🔴 marks urgent notes"], asked), [text], asked);
    assert.equal(find([text, "🔴 marks urgent notes"], `What does ${asked} mean?`)[0], text, asked);
  }
  assert.equal(
    find(["The party is on Friday", "🔴 marks urgent notes"], "When is the party? 🎉")[0],
    "The party is on Friday",
  );
});

Deno.test("people whose names are small words are found when they are meant", () => {
  const people = [
    "Will collects stamps",
    "May has a cat",
    "Can was late on Monday",
    "An owns boats",
    "Do sings songs",
    "So reads novels",
    "Mark paints walls",
    "Rose bakes bread",
    "IT moves to floor five",
    "Yesterday Will's sister asked May about it",
    "I asked Can to water the plants",
  ];
  const asked: readonly (readonly [string, string])[] = [
    ["Who is Will?", people[0]!],
    ["What does Will collect?", people[0]!],
    ["Tell me about May.", people[1]!],
    ["Does May have a cat?", people[1]!],
    ["Who is Can?", people[2]!],
    ["What do we know about An?", people[3]!],
    ["Who is Do?", people[4]!],
    ["Tell me about So", people[5]!],
    ["Who is Mark?", people[6]!],
    ["Who is Rose?", people[7]!],
    ["Where is IT?", people[8]!],
    ["Will", people[0]!],
    ["May?", people[1]!],
    ["Who waters the plants, Can or Ben?", people[10]!],
    ["Who is Will's sister?", people[9]!],
  ];
  for (const [query, text] of asked) assert.equal(find(people, query)[0], text, query);
});

Deno.test("a small word that is no name finds nothing", () => {
  const texts = ["Will you come on Friday?", "May I ask you something?", "Can we meet?", "So we went home"];
  for (
    const query of ["Who is Will?", "Tell me about May.", "Who is Can?", "what will it do", "IS IT SO?", "Who Is It"]
  ) {
    assert.deepEqual(find(texts, query), [], query);
  }
});
