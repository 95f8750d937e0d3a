import assert from "node:assert/strict";
import {
  analyseText,
  asksOnlyOfTime,
  COLUMN,
  completeFeatures,
  decodePostings,
  DOC_FLAG,
  encodePostings,
  FEATURE_NAMES,
  isNamed,
  isOfWindow,
  MemoryIndex,
  participantTerms,
  planQuery,
  postingAt,
  prescore,
  rank,
  unknownTerms,
  WEIGHTS,
} from "./mod.ts";
import { parseDates } from "../language/dates.ts";

const REFERENCE = Date.UTC(2023, 10, 21);

Deno.test("postings survive encoding, at any alignment, and values beyond the fields are clamped", () => {
  const postings = [
    { doc: 1, group: 0, position: 0, tf: 1, length: 9 },
    { doc: 4_294_967_295, group: 4_000_000_000, position: 262_143, tf: 63, length: 255 },
  ];
  const bytes = encodePostings(postings);
  assert.equal(bytes.length, 24);
  const shifted = new Uint8Array(25);
  shifted.set(bytes, 1);
  for (const view of [bytes, shifted.subarray(1)]) {
    assert.deepEqual([postingAt(decodePostings(view), 0), postingAt(decodePostings(view), 1)], postings);
  }
  const clamped = postingAt(
    decodePostings(encodePostings([{ doc: 1, group: 1, position: 1e9, tf: 1e3, length: 1e4 }])),
    0,
  );
  assert.deepEqual(clamped, { doc: 1, group: 1, position: 262_143, tf: 63, length: 255 });
  assert.throws(() => decodePostings(new Uint8Array(13)), RangeError);
});

Deno.test("analysis keeps versions, numbers and identifiers, folds forms, and pairs characters of unspaced scripts", () => {
  const terms = (text: string) => analyseText(text).terms.filter((t) => !t.startsWith("@"));
  assert.deepEqual(terms("The dogs' owner doesn't run v1.2.3 on K8s for 1,200 users"), [
    "dog",
    "owner",
    "run",
    "v1.2.3",
    "k8s",
    "1200",
    "user",
  ]);
  assert.deepEqual(terms("Ｃａｆé café"), ["café"]);
  assert.deepEqual(terms("東京都"), ["東京", "京都"]);
  assert.deepEqual(terms(""), []);
  assert.ok(analyseText("x".repeat(10_000)).terms[0].length <= 48);
});

Deno.test("a document's bits say what it is like", () => {
  const has = (text: string, flag: number) => (analyseText(text).bits & flag) !== 0;
  assert.ok(has("Did you see it? [photo: a dog]", DOC_FLAG.endsInQuestion));
  assert.ok(!has("Did you? I did.", DOC_FLAG.endsInQuestion) && has("Did you? I did.", DOC_FLAG.hasQuestion));
  assert.ok(has("We met two weeks ago", DOC_FLAG.strongTime) && !has("You may march on", DOC_FLAG.strongTime));
  assert.ok(has("I went to Lisbon", DOC_FLAG.midCapital) && !has("Lisbon", DOC_FLAG.midCapital));
  assert.ok(has('He read "Emma" twice', DOC_FLAG.quoted));
  assert.ok(has("Room 12", DOC_FLAG.hasNumber) && !has("Room twelve", DOC_FLAG.hasNumber));
});

Deno.test("a document's bits count its words with a capital inside a sentence, up to seven, and stay a positive integer", () => {
  const count = (text: string) => analyseText(text).bits >> 28;
  assert.equal(count("Lisbon is far. Porto is near"), 0);
  assert.equal(count("I met Ana and Bob in Porto"), 3);
  assert.equal(count("they invited Ana Bea Cleo Dora Emma Fay Gus Hana Ines"), 7);
});

Deno.test("of turns with the same words, those come first that hold names or a number", () => {
  const index = build([[
    ...FILLER,
    { speaker: "Ben", text: "we bought lamps somewhere" },
    ...FILLER.slice(0, 8),
    { speaker: "Ben", text: "we bought lamps at Ikea" },
    ...FILLER.slice(0, 8),
    { speaker: "Ben", text: "we bought 7 lamps here" },
    ...FILLER.slice(0, 8),
  ]]);
  assert.deepEqual(new Set(search(index, "lamps").slice(0, 2)), new Set([22, 31]));
});

Deno.test("a fact that holds the whole query comes before a turn that holds more names and a number", () => {
  const index = build([[...FILLER, { speaker: "Ben", text: "I saw Ada call Bob and Eve over Facetime 12" }]]);
  const text = analyseText("We saw Ada browse");
  index.add({ doc: 99, kind: 1, group: 0, position: 0, text, bits: text.bits });
  assert.equal(search(index, "We saw Ada browse")[0], 99);
});

Deno.test("a turn that an older version indexed has one word with a capital where its flag says that there are some", () => {
  const index = build([[{ speaker: "Ben", text: "we bought lamps at Ikea" }]]);
  const plan = planQuery("lamps", { referenceMs: REFERENCE });
  const candidates = prescore(plan, index.input(plan));
  const stored = index.stored(candidates).map((data) => data && { ...data, bits: data.bits & 0x0fff_ffff });
  completeFeatures(candidates, stored);
  assert.equal(candidates.features[COLUMN.capitalsInside], 0.25);
});

Deno.test("dates of a query become windows, the longest form alone, relative ones from the reference date", () => {
  const windows = (text: string) =>
    parseDates(text, REFERENCE).windows.map((w) =>
      `${new Date(w.from).toISOString().slice(0, 10)} ${(w.to - w.from) / 86_400_000} ${w.grain}`
    );
  assert.deepEqual(windows("What happened on 7 May 2023?"), ["2023-05-07 1 day"]);
  assert.deepEqual(windows("on May 7th, 2023"), ["2023-05-07 1 day"]);
  assert.deepEqual(windows("2023-05-07"), ["2023-05-07 1 day"]);
  assert.deepEqual(windows("in June 2022"), ["2022-06-01 30 month"]);
  assert.deepEqual(windows("yesterday"), ["2023-11-20 1 day"]);
  assert.deepEqual(windows("last week"), ["2023-11-13 7 week"]);
  assert.deepEqual(windows("two weeks ago"), ["2023-11-04 7 week"]);
  assert.deepEqual(windows("between August 11 and August 15 2023"), ["2023-08-11 5 week"]);
  assert.equal(windows("in May")[0], "2023-05-01 31 month");
  assert.ok(parseDates("in May", REFERENCE).windows.every((w) => w.yearless));
  assert.deepEqual(windows("You may march on"), []);
});

Deno.test("date words are no search terms, but the words around them are", () => {
  const plan = planQuery("What did Anna bake on 7 May 2023?", { referenceMs: REFERENCE });
  assert.deepEqual(plan.terms.map((t) => t.term), ["anna", "bake"]);
});

interface Line {
  speaker?: string;
  text: string;
}

function build(sessions: Line[][]): MemoryIndex {
  const index = new MemoryIndex();
  let doc = 0;
  sessions.forEach((turns, s) =>
    turns.forEach(({ speaker, text }, position) => {
      const analysed = analyseText(text);
      index.add({
        doc: ++doc,
        kind: 0,
        group: s + 1,
        position,
        text: analysed,
        bits: analysed.bits,
        speaker,
        occurredAt: Date.UTC(2023, s, 1),
      });
    })
  );
  return index;
}

function search(index: MemoryIndex, query: string, onlyGroups?: Set<number>): number[] {
  const plan = planQuery(query, { referenceMs: REFERENCE });
  const candidates = prescore(plan, { ...index.input(plan), onlyGroups });
  return rank(candidates, index.stored(candidates)).map((r) => r.doc);
}

const FILLER: Line[] = Array.from(
  { length: 12 },
  (_, i) => ({ speaker: i % 2 ? "Ben" : "Cleo", text: `Filler number ${i} on weather` }),
);

Deno.test("the named person's session and turns come first, also by a short form or the full name", () => {
  const index = build([
    [{ speaker: "Melanie Fox", text: "I adopted a puppy" }, { speaker: "Ben", text: "A puppy, how nice" }],
    [{ speaker: "Cleo", text: "I adopted a puppy" }, { speaker: "Ben", text: "Lovely" }],
    FILLER,
  ]);
  for (
    const query of [
      "When did Melanie adopt a puppy?",
      "Did Mel adopt a puppy?",
      "did melanie adopt a puppy",
      "What did Melanie Fox adopt?",
    ]
  ) {
    assert.equal(search(index, query)[0], 1, query);
  }
  assert.equal(search(index, "When did Cleo adopt a puppy?")[0], 3);
});

Deno.test("an answer that repeats no word of the question is found beside the question", () => {
  const index = build([FILLER, [{ speaker: "Ben", text: "Which instrument do you play?" }, {
    speaker: "Ann",
    text: "The cello, since school",
  }], FILLER]);
  assert.ok(search(index, "Which instrument does Ann play?").slice(0, 2).includes(14));
});

Deno.test("a match deep in a long session keeps its place", () => {
  const long: Line[] = Array.from(
    { length: 3000 },
    (_, i) => ({ speaker: "Ann", text: i === 2500 ? "The zeppelin landed" : "Nothing new" }),
  );
  const index = build([long]);
  assert.equal(search(index, "zeppelin")[0], 2501);
});

Deno.test("a filter by session leaves only its turns", () => {
  const index = build([[{ text: "red kite" }], [{ text: "red kite" }]]);
  assert.deepEqual(search(index, "red kite", new Set([2])), [2]);
});

Deno.test("a date alone brings the turns of that day", () => {
  const index = build([[{ text: "We bought apples" }], [{ text: "We bought pears" }]]);
  assert.equal(search(index, "What happened on 1 February 2023?")[0], 2);
});

Deno.test("abbreviations and misspellings find what they mean", () => {
  const index = build([[{ text: "We moved to Kubernetes" }], [{ text: "She lives in New York City" }], [{
    text: "The icecream was good",
  }], [{ text: "Met in NYC again" }]]);
  assert.equal(search(index, "k8s")[0], 1);
  assert.equal(search(index, "NYC").length, 2);
  assert.equal(search(index, "ice cream")[0], 3);
  const plan = planQuery("kubernets migration", { referenceMs: REFERENCE });
  assert.deepEqual(
    unknownTerms(plan, index.lists(plan.keys)),
    ["kubernet", "migrat"].filter((t) => index.lists([t]).size === 0),
  );
  assert.equal(index.vocabulary.near("kubrenet")[0].term, "kubernet");
});

Deno.test("documents that are removed or replaced leave nothing behind", () => {
  const index = build([[{ speaker: "Ann", text: "blue heron" }, { speaker: "Ben", text: "grey heron" }]]);
  const text = analyseText("white stork");
  index.add({ doc: 1, kind: 0, group: 1, position: 0, text, bits: text.bits, speaker: "Ann" });
  assert.deepEqual(search(index, "blue"), []);
  assert.equal(search(index, "stork")[0], 1);
  index.remove(1);
  index.remove(2);
  assert.equal(index.size, 0);
  assert.deepEqual(index.participants(), []);
  assert.deepEqual(index.corpora().map((c) => c.docs + c.tokens), [0]);
  assert.ok(index.bytes < 2_000, `${index.bytes} bytes`);
});

Deno.test("names match in full, by a word, and by a short form of three or four letters", () => {
  assert.deepEqual(participantTerms("Al").map((t) => t.term), ["@p:al"]);
  assert.deepEqual(participantTerms("Melanie").map((t) => [t.term, t.tf]), [["@p:melanie", 1], ["@p:mel", 2], [
    "@p:mela",
    2,
  ]]);
  assert.ok(isNamed("Melanie Fox", "fox") && isNamed("Melanie Fox", "melanie fox") && isNamed("Melanie", "mel"));
  assert.ok(!isNamed("Melanie", "me") && !isNamed("Melanie", "elan"));
});

Deno.test("a frequent term whose postings were left out changes nothing but its own weight", () => {
  const index = build([[{ text: "the rare heron sings" }, { text: "sings sings" }], FILLER]);
  const plan = planQuery("heron sings", { referenceMs: REFERENCE });
  const input = index.input(plan);
  const lists = new Map(input.lists);
  lists.set("sing", [{ kind: 0, entries: new Uint32Array(0), df: 2 }]);
  const candidates = prescore(plan, { ...input, lists });
  assert.equal(rank(candidates, index.stored(candidates))[0].doc, 1);
});

Deno.test("every weight belongs to a feature", () => {
  for (const weights of Object.values(WEIGHTS)) {
    for (const name of Object.keys(weights)) assert.ok((FEATURE_NAMES as string[]).includes(name), name);
  }
});

Deno.test("a document is of a window by the times that it has, and by no other", () => {
  const [may] = parseDates("in May 2023", REFERENCE).windows;
  const at = (text: string) => Date.parse(text);
  assert.equal(isOfWindow(may, {}), false);
  assert.equal(isOfWindow(may, { occurredAt: at("2023-05-31T23:00:00Z") }), true);
  assert.equal(isOfWindow(may, { occurredAt: at("2023-06-01") }), false);
  assert.equal(
    isOfWindow(may, { validFrom: at("2020-01-01") }),
    false,
    "what goes on since then did not happen in May",
  );
  assert.equal(isOfWindow(may, { validFrom: at("2023-05-05") }), true);
  assert.equal(isOfWindow(may, { validFrom: at("2023-04-01"), validTo: at("2023-07-01") }), true);
  assert.equal(isOfWindow(may, { validFrom: at("2023-04-01"), validTo: at("2023-05-01") }), false);
});

Deno.test("a query asks only of time where it names nothing else", () => {
  const asks = (query: string, ...names: string[]) =>
    asksOnlyOfTime(planQuery(query, { referenceMs: REFERENCE }), ({ word }) => names.includes(word));
  for (const query of ["What happened in May?", "what is planned for tomorrow", "Anything on the agenda next week?"]) {
    assert.equal(asks(query), true, query);
  }
  assert.equal(asks("What did you learn last week?"), true);
  assert.equal(asks("What did Caroline do yesterday?", "caroline"), true);
  for (
    const query of [
      "What does the weather look like today?",
      "Which cluster do we deploy to today?",
      "What happened?",
      "What did Caroline learn last week?",
    ]
  ) assert.equal(asks(query), false, query);
});

Deno.test("a query asks about recording where it asks what the service was told or has stored", () => {
  const isRecording = (query: string) => planQuery(query, { referenceMs: REFERENCE }).cues.recording;
  const yes =
    "what did I tell you yesterday|What have you learned last week?|which facts did you store today|what was saved last week|what I said to you in May";
  const no = "what happened yesterday|What did Ann learn last week?|What did Bob tell Ann yesterday?|when did I move";
  assert.deepEqual(yes.split("|").filter((query) => !isRecording(query)), []);
  assert.deepEqual(no.split("|").filter(isRecording), []);
});
