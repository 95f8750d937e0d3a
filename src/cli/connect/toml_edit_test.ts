/** Edits of TOML documents: one table comes and goes, everything else stays byte for byte. */
import { deepEqual, equal, throws } from "node:assert/strict";
import { EditError } from "./json_edit.ts";
import { readTable, removeTable, setTable } from "./toml_edit.ts";

const AT = ["mcp_servers", "svc"] as const;
const VALUES = { url: "http://127.0.0.1:8787/mcp", bearer_token_env_var: "SVC_KEY" };

const DOCUMENTS: readonly string[] = [
  "",
  'model = "gpt" # mine\n',
  '# top\nmodel = "gpt"\n\n[mcp_servers.other]\ncommand = "x" # keep\nargs = ["a",\n  "b"]\n\n[features]\nhooks = true\n',
  '[mcp_servers]\nother = { command = "x" }\n',
  'model = "gpt"',
];

for (const [i, text] of DOCUMENTS.entries()) {
  Deno.test(`document ${i + 1} has the table added and removed, and is as it was`, () => {
    const added = setTable(text, AT, VALUES);
    deepEqual(readTable(added, AT), VALUES);
    equal(setTable(added, AT, VALUES), added, "the second time changes nothing");
    equal(removeTable(added, AT), text);
  });
}

Deno.test("another address changes the address alone; a table that is written otherwise is removed too", () => {
  const text =
    'a = 1 # x\n\n[mcp_servers.svc]\nurl = "http://old/mcp" # mine\nbearer_token_env_var = "SVC_KEY"\n\n[z]\nb = 2\n';
  const changed = setTable(text, AT, VALUES);
  equal(changed, text.replace("http://old/mcp", VALUES.url));
  equal(readTable(removeTable(changed, AT), AT), undefined);
  deepEqual(removeTable(changed, AT).includes("[z]\nb = 2\n"), true);
});

Deno.test("a broken document is refused", () => {
  for (const text of ["a = ", "mcp_servers = 1\n", "[mcp_servers]\nsvc = 1\n", "a = 1\na = 2\n"]) {
    throws(() => setTable(text, AT, VALUES), EditError, text);
  }
});
