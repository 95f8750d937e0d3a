import assert from "node:assert/strict";
import { type JsonValue, mergePatch } from "./merge_patch.ts";

/** RFC 7386, appendix A: every example. */
const EXAMPLES: readonly [document: string, patch: string, result: string][] = [
  [`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`],
  [`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`],
  [`{"a":"b"}`, `{"a":null}`, `{}`],
  [`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`],
  [`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`],
  [`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`],
  [`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`],
  [`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`],
  [`["a","b"]`, `["c","d"]`, `["c","d"]`],
  [`{"a":"b"}`, `["c"]`, `["c"]`],
  [`{"a":"foo"}`, `null`, `null`],
  [`{"a":"foo"}`, `"bar"`, `"bar"`],
  [`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`],
  [`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`],
  [`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`],
];

Deno.test("every example of RFC 7386 appendix A gives its result", () => {
  for (const [document, patch, result] of EXAMPLES) {
    const before: JsonValue = JSON.parse(document);
    assert.deepEqual(mergePatch(before, JSON.parse(patch)), JSON.parse(result), `${document} + ${patch}`);
    assert.deepEqual(before, JSON.parse(document), "the document itself is not changed");
  }
});

Deno.test("a member named __proto__ is a member and never a prototype", () => {
  const merged = mergePatch({}, JSON.parse(`{"__proto__":{"polluted":true}}`));
  assert.equal(JSON.stringify(merged), `{"__proto__":{"polluted":true}}`);
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
  assert.equal((merged as Record<string, unknown>)["polluted"], undefined);
});
