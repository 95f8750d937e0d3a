/** Edits of JSON documents: nothing else changes, and adding and then removing leaves no trace. */
import { deepEqual, equal, throws } from "node:assert/strict";
import fc from "fast-check";
import { parse } from "jsonc-parser";
import { addElement, EditError, readValue, removeAt, setValue } from "./json_edit.ts";

const ENTRY = { type: "http", url: "http://127.0.0.1:8787/mcp", headers: { Authorization: "Bearer ${SVC_KEY}" } };
const PATH = ["mcpServers", "svc"];

const DOCUMENTS: Readonly<Record<string, string>> = {
  "of several lines": '{\n  "a": 1,\n  "mcpServers": {\n    "other": { "command": "x" }\n  },\n  "z": [1, 2]\n}\n',
  "in one line": '{"a": 1, "mcpServers": {"other": {"command": "x"}}}',
  "with comments":
    '// of mine\n{\n  /* first */ "a": 1, // why\n  "mcpServers": {\n    "other": {} // last\n  } // end\n}\n',
  "with commas at the end": '{\n\t"a": 1,\n\t"mcpServers": {\n\t\t"other": {"command": "x"}, // c\n\t},\n}\n',
  "with Windows line breaks": '{\r\n  "a": 1,\r\n  "mcpServers": {\r\n    "other": {}\r\n  }\r\n}\r\n',
  "with a comment after a comma": '{\n  "mcpServers": {\n    "a": 1, /* x */ "b": 2\n  }\n}',
};

for (const [name, text] of Object.entries(DOCUMENTS)) {
  Deno.test(`a document ${name} has the entry added and removed, and is as it was`, () => {
    const added = setValue(text, PATH, ENTRY);
    deepEqual(readValue(added, PATH), ENTRY);
    deepEqual(parse(removeAt(added, PATH)), parse(text));
    equal(removeAt(added, PATH), text);
    equal(setValue(added, PATH, ENTRY), added, "the second time changes nothing");
    for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) equal(added.includes(comment), true, comment);
  });
}

Deno.test("what is on the way is made, in an empty document as well", () => {
  deepEqual(parse(setValue("", PATH, 1)), { mcpServers: { svc: 1 } });
  equal(setValue("{}\n", ["a", "b"], 1), '{\n  "a": {\n    "b": 1\n  }\n}\n');
  equal(removeAt('{\n  "a": {\n    "b": 1\n  }\n}\n', ["a"]), "{}\n");
  equal(setValue("{\n  // mine\n}\n", ["a"], 1), '{\n  // mine\n  "a": 1\n}\n');
});

Deno.test("elements are added to lists and taken out of them", () => {
  const text = '{\n  "hooks": {\n    "Stop": [\n      { "own": 1 }\n    ]\n  }\n}\n';
  const added = addElement(text, ["hooks", "Stop"], { b: 2 });
  deepEqual(readValue(added, ["hooks", "Stop"]), [{ own: 1 }, { b: 2 }]);
  equal(removeAt(added, ["hooks", "Stop", 1]), text);
  deepEqual(readValue(removeAt(added, ["hooks", "Stop", 0]), ["hooks", "Stop"]), [{ b: 2 }]);
});

Deno.test("a broken or ambiguous document is refused", () => {
  for (
    const text of [
      '{"a": }',
      "[]",
      '"text"',
      '{"a": 1} x',
      "{'a': 1}",
      '{"mcpServers": 1}',
      '{"mcpServers": {}, "mcpServers": {}}',
    ]
  ) {
    throws(() => setValue(text, PATH, 1), EditError, text);
  }
});

Deno.test("whatever the document holds, adding and removing gives the same bytes", () => {
  const key = fc.string({ minLength: 1, maxLength: 5 });
  const documents = fc.tuple(
    fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 }),
    fc.constantFrom(0, 2, 4, "\t"),
  );
  fc.assert(fc.property(documents, ([value, indent]) => {
    fc.pre(!Object.hasOwn(value, "mcpServers") && !Object.hasOwn(value, "__proto__"));
    const text = JSON.stringify(value, null, indent);
    const added = setValue(text, ["mcpServers"], ENTRY);
    deepEqual(JSON.parse(added), { ...value, mcpServers: ENTRY });
    equal(removeAt(added, ["mcpServers"]), text);
  }));
});
