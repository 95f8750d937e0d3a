import assert from "node:assert/strict";
import { readNames, readSpeaker, readTerm } from "./name_finder.ts";
import { pickKnown } from "./name_grams.ts";
import { cpuMs } from "../../tests/_cpu.ts";

/** The sure names of a text, and behind `~` those that may be names. */
function namesOf(text: string): string[] {
  return readNames(text).names.map(({ name, strong }) => (strong ? "" : "~") + name);
}

const SENTENCES: readonly (readonly [string, readonly string[]])[] = [
  ["I met Maria Lopez at Acme Corp in Berlin last Monday.", ["Maria Lopez", "Acme Corp", "Berlin"]],
  ["Caroline went to the LGBTQ support group yesterday.", ["Caroline", "LGBTQ"]],
  ["Priya works as a nurse. Priya's dog is old. Bob is allergic to nuts.", ["Priya", "Bob"]],
  ["Alice Johnson manages the billing team. Acme Corp signed the contract.", ["Alice Johnson", "Acme Corp"]],
  ["Coffee is hot. Login works for everybody. Documentation lives in the wiki.", [
    "~Coffee",
    "~Login",
    "~Documentation",
  ]],
  ["Invoices went to spam. Clients asked why. James likes tea.", ["~Invoices", "~Clients", "James"]],
  ["Restart Jenkins after deploys. Customers want refunds.", ["~Restart Jenkins", "~Customers"]],
  ["Prefers Python over Java for data work.", ["Python", "Java"]],
  ["Visited Paris with John and Anna in May 2023.", ["Paris", "John", "Anna"]],
  ["Hey Melanie! Long time no see! How have you been?", ["Melanie", "~Long"]],
  ["Thanks, Caroline. That's great, Mel!", ["Caroline", "Mel"]],
  ["We moved from k8s to Nomad; GPT-4 and iPhone helped.", ["Nomad", "GPT-4", "iPhone"]],
  ['My favorite book is "Becoming Nicole" by Amy Ellis Nutt.', ["Becoming Nicole", "Amy Ellis Nutt"]],
  ['He said "hello there" and left.', []],
  ["Dan Brown leads the team. Priya pairs with Dan Brown daily.", ["Dan Brown", "~Priya"]],
  ["J. R. R. Tolkien never met the Bank of America.", ["~J. R. R. Tolkien", "Bank of America"]],
  ["The user lives in New York City's Upper West Side.", ["New York City", "Upper West Side"]],
  ["Maria's manager is Dan.", ["~Maria", "Dan"]],
  ["I lost my Nikon near Mount Everest! Will you help? I think Will can.", ["Nikon", "Mount Everest"]],
  ["Use AT&T or O'Brien's Node.js app, C++ and C#.", ["AT&T", "O'Brien", "Node.js", "C++", "C#"]],
  ["She has two cats - Oliver and Bailey.", ["Oliver", "Bailey"]],
  ["Ask @maria_l about the PR on GitHub.", ["@maria_l", "GitHub"]],
  ["See https://Example.com/Foo_Bar or `Some.Code()` or mail To@Example.org.", []],
  ["It was 5pm on the 20th. v2 and a1b2c3d4e5f6 are not names.", []],
  ["WHY ARE YOU SHOUTING AT ME", ["~SHOUTING"]],
  ["Ich habe einen Hund und eine Katze, die mit Maria spielen.", ["~Hund", "~Katze", "~Maria"]],
  ["Иван живёт в Москве.", ["~Иван", "Москве"]],
  ["「源氏物語」を読んだ。", ["源氏物語"]],
  ["", []],
];

for (const [text, names] of SENTENCES) {
  Deno.test(`names in: ${text}`, () => assert.deepEqual(namesOf(text), names));
}

Deno.test("known names are found in small letters, the longest first, ordinary words only with their capital", () => {
  const names = ["maria", "new york", "new york times", "apple", "will", "k8s", "東京", "the who"];
  const known = new Map(names.map((name) => [name, name]));
  const find = (text: string) => pickKnown(readNames(text).grams, known);
  assert.deepEqual(find("i read the new york times with maria's cat"), ["new york times", "maria"]);
  assert.deepEqual(find("an apple pie; we will see"), []);
  assert.deepEqual(find("the stock of Apple, says Will"), ["apple", "will"]);
  assert.deepEqual(find("K8S is back"), ["k8s"]);
  assert.deepEqual(find("東京に住んでいる"), ["東京"]);
  assert.deepEqual(find("I saw The Who live"), ["the who"]);
  assert.deepEqual(find("new, york"), []);
});

Deno.test("terms of triples are names where they look like one", () => {
  const names = ["Maria Lopez", "Acme Corp", "iPhone 15", "張偉", "Bank of America", "Oslo"];
  for (const name of names) assert.equal(readTerm(name)?.name, name);
  const words = ["user", "the user's favourite colour", "blue", "I", "2023", "Monday", "loves hiking", "", "yes"];
  for (const word of words) assert.equal(readTerm(word), undefined, word);
});

Deno.test("speakers are people unless their name says only what they do", () => {
  assert.deepEqual(readSpeaker("  Maria   Lopez ")?.key, "maria lopez");
  for (const name of ["user", "Assistant", "tool_1", "bot 2", "42", ""]) assert.equal(readSpeaker(name), undefined);
});

Deno.test("a long text is read in time that grows with its length", () => {
  const tookMs = cpuMs(() => {
    readNames("Anna of the of the of the ".repeat(5_000));
    readNames(`"${"A ".repeat(20_000)}`);
    readNames("東".repeat(20_000));
  });
  assert.ok(tookMs < 2_000, `${tookMs} ms`);
});
