/** Files of other products: wherever a file is split, it reads the same. */
import assert from "node:assert/strict";
import { splitText } from "./conversation.ts";
import { timeOf } from "./document.ts";
import { JsonSplitter } from "./json_split.ts";
import { Budget, type Maker } from "./lines.ts";
import { type ForeignFormat, FORMATS } from "./registry.ts";
import { fromLetta } from "./letta.ts";
import { makeLines } from "../foreign.ts";
import { EventLoopTurns, UNITS_OF_A_TURN } from "../turns.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function split(text: string, lists: readonly string[], size: number, bytesMax = 1_000) {
  const splitter = new JsonSplitter(lists, bytesMax);
  const bytes = encoder.encode(text);
  const found: unknown[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    for (const { list, no, bytes: item } of splitter.push(bytes.subarray(at, at + size))) {
      found.push([list, no, item === undefined ? undefined : JSON.parse(decoder.decode(item))]);
    }
  }
  splitter.end();
  return { found, members: Object.fromEntries(splitter.members), hasList: splitter.hasList };
}

Deno.test("a document is taken apart into the same items, however its bytes arrive", () => {
  const text = `\ufeff {"user":{"id":"[1,{"},"a,b":"]}", "list" : [ {"x":"\\"]}\\\\","y":[[],{}]}, 7 , "ü,]" ,[1] ],
    "other":[[{"list":[9]}]],"empty":[],"more":[null]} `;
  const lists = ["list", "empty", "more"];
  const whole = split(text, lists, 10_000);
  assert.deepEqual(whole.found, [
    ["list", 1, { x: '"]}\\', y: [[], {}] }],
    ["list", 2, 7],
    ["list", 3, "ü,]"],
    ["list", 4, [1]],
    ["more", 5, null],
  ]);
  assert.deepEqual(JSON.parse(whole.members["user"]!), { id: "[1,{" });
  for (let size = 1; size < 40; size++) assert.deepEqual(split(text, lists, size), whole, `${size}`);
  assert.deepEqual(split(`[{"a":1},{"b":"${"x".repeat(50)}"},{}]`, [], 3, 20).found, [
    ["", 1, { a: 1 }],
    ["", 2, undefined],
    ["", 3, {}],
  ]);
});

Deno.test("what is no document is refused with the place", () => {
  for (
    const [text, reason] of [
      ["", /it is empty/],
      ["hello", /at byte 0 it begins with no list/],
      [`[{"a":1}`, /at byte 8 it breaks off/],
      [`[{"a":1}] x`, /at byte 10 something follows/],
      [`{"a":1`, /breaks off before its end/],
      [`{a:1}`, /at byte 1 a member has no name/],
      ["[}", /at byte 1 a bracket/],
    ] as const
  ) assert.throws(() => split(text, [], 4), reason, text);
});

Deno.test("a long text in parts is the same text, and no part is too long", () => {
  const text = `${"ab\n".repeat(30)}${"日本".repeat(40)}👍`;
  const parts = splitText(text, 50);
  assert.equal(parts.join(""), text);
  for (const part of parts) assert.ok(encoder.encode(part).byteLength <= 50 && part.isWellFormed());
});

function makeMaker(source: string): Maker {
  const now = "2026-01-01T00:00:00.000Z";
  return { source, now, actor: "a", tags: [], omit: () => {}, budget: new Budget() };
}

Deno.test("a long file lets others run while it is read, made into lines and put in order", async () => {
  const records = Array.from({ length: 5_000 }, (_, i) => ({ id: `m${i}`, memory: `Ada has ${i} boats.` }));
  const documents = {
    mem0: JSON.stringify(records),
    "claude-code": records.map((one) => JSON.stringify(one)).join("\n"),
  };
  for (const [format, text] of Object.entries(documents) as [ForeignFormat, string][]) {
    let given = 0;
    const turns = new EventLoopTurns(() => Promise.resolve(void given++));
    const lines = await makeLines(encoder.encode(text), format, makeMaker(format), turns);
    if (format === "mem0") assert.ok(lines.length >= records.length);
    const work = 2 * records.length + lines.length;
    assert.ok(given >= Math.floor(work / UNITS_OF_A_TURN) - 1, `${format}: ${given} turns for ${work} units`);
  }
});

Deno.test("messages that say the same stay as many as they are", () => {
  const message = { session_id: "s", role: "user", content: "yes" };
  const open = FORMATS.zep.open(makeMaker("zep"), {});
  const loose = [message, message, { ...message, content: "no" }].flatMap((value) => {
    return open({ no: 1, list: "messages", value });
  });
  const agent = { name: "Ada", messages: [message, message].map((one) => ({ ...one, session_id: undefined })) };
  const kept = fromLetta(makeMaker("letta"), { no: 1, list: "", value: agent });
  for (const [lines, count] of [[loose, 3], [kept, 2]] as const) {
    assert.equal(new Set(lines.filter(({ kind }) => kind === "turn").map(({ id }) => id)).size, count);
  }
});

Deno.test("a time is read as services write it", () => {
  const expected = "2024-05-01T10:00:00.000Z";
  const times = [1714557600, 1714557600000, "2024-05-01 10:00:00", "2024-05-01T10:00:00", "2024-05-01T12:00:00+02:00"];
  for (const time of times) assert.equal(timeOf(time, "time"), expected, `${time}`);
  for (const time of [true, false, [2024], {}, "soon", 1e300]) {
    assert.throws(() => timeOf(time, "time"), { code: "validation_failed" });
  }
});
