import assert from "node:assert/strict";
import { cpuMs } from "../../tests/_cpu.ts";
import { readNames } from "./name_finder.ts";
import { typeOfName } from "./name_types.ts";

const TYPES: readonly (readonly [string, string, string | undefined])[] = [
  ["Nora's sister Anna moved to Berlin.", "Anna", "person"],
  ["His new teacher is Frau Nowak.", "Frau Nowak", "person"],
  ["Priya is on parental leave.", "Priya", "person"],
  ["We met Tom's wife.", "Tom", "person"],
  ["Caroline works at Acme.", "Acme", "organization"],
  ["We met Acme Corp.", "Acme Corp", "organization"],
  ["Our first customer was Praxis; the customer Lindenhof signed.", "Lindenhof", "organization"],
  ["The user lives in Bergen.", "Bergen", "place"],
  ["Theo moved from Hamburg to Bremen.", "Bremen", "place"],
  ["The trip to Naoshima was short.", "Naoshima", "place"],
  ["The team switched from LaunchDarkly to Lumen.", "Lumen", "product"],
  ["It is hosted on Hetzner.", "Hetzner", "product"],
  ["The Heron project is late.", "Heron", "project"],
  ["Project Egret is late.", "Egret", "project"],
  // The text does not say.
  ["We talked about Mercury.", "Mercury", undefined],
  ["The site moved to Vercel.", "Vercel", undefined],
  ["Ask for Kim.", "Kim", undefined],
];

for (const [text, name, type] of TYPES) {
  Deno.test(`${name} in "${text}" is ${type ?? "not said"}`, () => assert.equal(typeOfName(text, name), type));
}

Deno.test("names that are found carry the type that their text gives them", () => {
  const found = readNames("Nora's brother Tom works at Siemens in Erlangen.").names;
  assert.deepEqual(found.map(({ name, type }) => [name, type]), [
    ["Nora", undefined],
    ["Tom", "person"],
    ["Siemens", "organization"],
    ["Erlangen", undefined],
  ]);
});

Deno.test("words that open sentences name nothing", () => {
  for (const text of ["Bet! I will.", "Hang on, Nora.", "Count me in, Nora.", "Yikes! Fingers crossed."]) {
    assert.deepEqual(readNames(text).names.filter(({ name }) => name !== "Nora"), [], text);
  }
});

Deno.test("types are read in time that grows with the length", () => {
  const tookMs = cpuMs(() => void readNames("Nora works at Acme and uses Lumen. ".repeat(3_000)));
  assert.ok(tookMs < 1_500, `${tookMs} ms`);
});
