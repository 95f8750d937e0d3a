/** Facts in other languages than English are found by questions that use other forms of their words. */
import assert from "node:assert/strict";
import { analyseText, planQuery, PSEUDO_PREFIX } from "../../src/retrieval/mod.ts";
import { DATA } from "../_data.ts";
import { indexStatements, LANGUAGES, type Pair, readPairs, search } from "./_languages.ts";

const FIRST = 3;
const FOUND_MIN = 0.9, SHORT_FOUND_MIN = 0.8;

const sets = new Map<string, Pair[]>();
for (const language of LANGUAGES) sets.set(language, await readPairs(language));
const all = [...sets.values()].flat();

Deno.test("nine of ten questions in eleven languages find their fact among the first three, in a memory of all of them", () => {
  const index = indexStatements(all.map(({ fact }) => fact));
  const isFound = (query: string, pair: Pair) => search(index, query).slice(0, FIRST).includes(all.indexOf(pair) + 1);
  for (const [language, pairs] of sets) {
    // The pairs on which the rules were tuned prove nothing.
    const fair = pairs.filter(({ part }) => part !== "tune");
    assert.ok(pairs.length >= 20, `${language} has ${pairs.length} questions`);
    const questions = fair.filter((pair) => isFound(pair.question, pair)).length / fair.length;
    const short = fair.filter((pair) => isFound(pair.short, pair)).length / fair.length;
    assert.ok(questions >= FOUND_MIN, `${language}: ${questions} of the questions`);
    assert.ok(short >= SHORT_FOUND_MIN, `${language}: ${short} of the queries of one to three words`);
  }
});

/** The places of the statements that a query finds, from 0 on. */
function find(statements: readonly string[], query: string): number[] {
  return search(indexStatements(statements), query).map((doc) => doc - 1);
}

const OTHER = "The kettle is in the kitchen";

Deno.test("a plural finds the singular and the other way round, in a question and by the word alone", () => {
  const forms = [
    ["Die Rechnung liegt im Ordner", "Rechnungen", "Wo sind die Rechnungen?"],
    ["Die Rechnungen liegen im Ordner", "Rechnung", "Wo ist die Rechnung?"],
    ["회의는 서울에 있습니다", "서울", "서울에서 무엇을 합니까?"],
    ["사무실 서울", "서울에", "서울에 무엇이 있나요?"],
    ["La canción es un bolero", "canciones", "¿Qué canciones hay?"],
    ["Нам нужна новая шина", "шины", "Какие шины нам нужны?"],
  ];
  for (const [statement, word, question] of forms) {
    assert.deepEqual(find([OTHER, statement], word), [1], word);
    assert.deepEqual(find([OTHER, statement], question), [1], question);
  }
});

Deno.test("a question in other words is answered where one telling word meets, and by nothing where none does", () => {
  const stores: { statements: string[]; asked: [question: string, place: number][]; strange: string }[] = [{
    statements: [
      "Der Rasenmäher steht bei Frau Ahlers in der Garage, sie leiht ihn gern her",
      "Unsere Bohrmaschine ist kaputt, der Motor raucht",
      "Die Kinder haben mittwochs Schwimmkurs im Hallenbad",
    ],
    asked: [
      ["Wo finde ich den Rasenmäher, wenn ich am Wochenende das Gras schneiden will?", 0],
      ["An welchem Tag haben die Kleinen ihren Schwimmkurs?", 2],
    ],
    strange: "Wann fährt der nächste Zug nach Hamburg?",
  }, {
    statements: [
      "Le double des clés est chez le voisin du troisième",
      "On fait les courses au marché le samedi matin",
      "La chaudière a été réparée par Monsieur Petit",
    ],
    asked: [
      ["Chez qui puis-je récupérer le double si je suis enfermé dehors ?", 0],
      ["Qui appeler quand la chaudière tombe encore en panne ?", 2],
    ],
    strange: "Quel temps fera-t-il à Lyon dimanche prochain ?",
  }, {
    statements: ["La contraseña del wifi está pegada debajo del router", "El seguro del coche vence en noviembre"],
    asked: [
      ["¿Dónde miro para conectar el móvil nuevo al wifi?", 0],
      ["¿En qué mes toca renovar el seguro?", 1],
    ],
    strange: "¿Cuántos habitantes tiene Sevilla?",
  }, {
    statements: ["Ключ от дачи лежит под ковриком у соседки", "По вторникам у Миши тренировка по плаванию"],
    asked: [["Где взять ключ, если мы приедем вечером без предупреждения?", 0]],
    strange: "Сколько стоит билет в театр?",
  }];
  for (const { statements, asked, strange } of stores) {
    for (const [question, place] of asked) assert.equal(find(statements, question)[0], place, question);
    assert.deepEqual(find(statements, strange), [], strange);
  }
});

Deno.test("a query in a known language finds a text that says nothing of its language", () => {
  assert.deepEqual(find([OTHER, "Rechnung 4711, Brandt"], "Wo sind die Rechnungen?"), [1]);
});

Deno.test("a name is found as it is written, before words that have its stem", () => {
  const italian = ["Le maglie rosse sono nella cassa", "La chiave è del signor Rossi", OTHER];
  assert.equal(find(italian, "Rossi")[0], 1);
  assert.equal(find(italian, "Dov'è la chiave di Rossi?")[0], 1);
  const german = ["Der Müll wird am Montag geholt", "Die Lampe gehört Frau Müller", OTHER];
  for (const query of ["Müller", "Mueller", "Was gehört Frau Müller?", "Frau Müllers Lampe"]) {
    assert.equal(find(german, query)[0], 1, query);
  }
  assert.deepEqual(find(["Anna told Rossi about the red shirts", OTHER], "Rossi"), [0]);
});

Deno.test("one spelling finds another of the same word", () => {
  const spellings = [
    ["タナカさんの犬は散歩が好きです", "ﾀﾅｶ"],
    ["Der Ｓｅｒｖｅｒ steht im Keller", "Server"],
    ["الكِتَابُ على الطاولة", "كتاب"],
    ["الـمـديـنـة القديمة جميلة", "المدينة"],
    ["Die Straße ist gesperrt", "Strasse"],
    ["Счёт лежит на столе", "счет"],
    ["Anh ấy chơi cờ tướng ở công viên", "co tuong"],
    ["La canción es un bolero", "cancion"],
    ["J'ai perdu l'ordinateur de ma sœur", "ordinateurs"],
  ];
  for (const [statement, query] of spellings) assert.deepEqual(find([OTHER, statement], query), [1], query);
});

Deno.test("words of other scripts in a run without spaces are found, and the run behind them", () => {
  const statements = [OTHER, "2019年我们搬到了GitHub", "iPhone用ケースは机の上です"];
  assert.deepEqual(find(statements, "GitHub"), [1]);
  assert.deepEqual(find(statements, "2019"), [1]);
  assert.deepEqual(find(statements, "ケース"), [2]);
  assert.deepEqual(find(statements, "我们搬到哪里？"), [1]);
});

Deno.test("each sentence of a text in two languages is found by its own forms", () => {
  const text = "I keep the office running in Berlin. Die Rechnungen liegen im Büro.";
  for (const query of ["Rechnung", "who runs the office"]) assert.deepEqual(find([OTHER, text], query), [1], query);
});

const ENGLISH = [
  "I was at the man's war with Los Angeles and the café, die hard or not",
  "José and Müller met in São Paulo; the résumé of Mr. García is on the desk",
  "Deploy v1.2.3 to eu-west-1 with kubectl and read /usr/lib/de_DE/no_une.txt",
  "Go get 'em, Jon! See ya!",
  "The children, 1,200 of them, don't like running shoes",
  "Wow! Amazing photo",
  "",
];

/** The stem of a word; other spellings of words and identifiers have a mark before them. */
function isStem(term: string): boolean {
  return /^@s:\p{L}/u.test(term);
}

function checkEnglish(texts: readonly string[]): void {
  const stems = texts.flatMap((text) => analyseText(text).terms).filter(isStem);
  assert.deepEqual(stems, []);
}

Deno.test("a text in English has the terms that it had before other languages had stems", () => {
  checkEnglish(ENGLISH);
  const terms = (text: string) => analyseText(text).terms.filter((term) => !term.startsWith(PSEUDO_PREFIX));
  assert.deepEqual(terms(ENGLISH[4]), ["children", "1200", "like", "run", "shoe"]);
  const plan = planQuery("Which running shoes don't the children like?", { referenceMs: 0 });
  assert.deepEqual(plan.terms.map(({ term }) => term), ["run", "shoe", "children", "like"]);
  assert.deepEqual(plan.keys.filter(isStem), []);
});

interface Conversation {
  readonly conversation: Readonly<Record<string, unknown>>;
}

Deno.test({
  name: "no turn of the LoCoMo conversations has a term more than before other languages had stems",
  ignore: DATA === undefined,
  async fn() {
    const conversations: Conversation[] = JSON.parse(await Deno.readTextFile(`${DATA}/locomo/conversations.json`));
    const texts = conversations.flatMap(({ conversation }) => Object.values(conversation).filter(Array.isArray).flat())
      .map(({ text }) => text as string);
    assert.ok(texts.length > 1_000);
    checkEnglish(texts);
  },
});
