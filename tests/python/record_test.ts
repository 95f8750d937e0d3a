/** `svc-memory record` beside `svc record`: the same turns under the same ids, so that either goes on with a conversation. */
import { deepEqual, ok } from "node:assert/strict";
import { join } from "node:path";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { Person, serve } from "../cli/_svc.ts";
import { HAS_PYTHON, makeEnvironment } from "./_python.ts";

const TRANSCRIPTS = new URL("../testdata/hooks/", import.meta.url).pathname;

/** Messages with secrets, of a length that is cut, of several texts, and lines that are none. */
const ODD = [
  {
    role: "user",
    content: 'My key is sk-abcdefghijklmnop1234 and {"password": "correct horse 1"}; token: 4711-abcdef',
  },
  {
    role: "assistant",
    content: "https://ada:secret@host.example/x?api_key=abc123 Bearer abcdefghijkl eyJhbGci.eyJzdWIi.c2ln",
  },
  { role: "user", content: "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\nThe token: something nice." },
  { role: "user", content: "<svc-memory>\nold\n</svc-memory>What now? <system-reminder>x</system-reminder>" },
  { role: "assistant", content: `${"a".repeat(16_383)}${"🌊".repeat(9_000)}` },
  { role: "user", content: [{ type: "text", text: "one" }, { type: "tool_use", text: "no" }, { text: "two" }] },
  { role: "user", content: "With a time.", messageId: "m1", occurredAt: "2026-03-01T10:00:00.1239+02:00" },
  { role: "user", content: "<command-name>x" },
  "not an object",
];

Deno.test({
  name: "what `svc` has recorded of a conversation, the command of the Python package finds recorded, word for word",
  ignore: POSTGRES.ignore || !HAS_PYTHON,
  async fn() {
    await using environment = await makeEnvironment({ tools: "none" });
    await using service = await startService();
    await using served = serve(service);
    const env = { SVC_URL: served.url, SVC_KEY: service.key };
    await using deno = await Person.make();
    await using python = await Person.make([environment.program("svc-memory")]);
    const odd = join(deno.home, "odd.jsonl");
    await Deno.writeTextFile(odd, ODD.map((one) => JSON.stringify(one)).join("\n") + "\n{ no JSON");
    const names = ["claude-code", "codex", "cursor", "gemini", "vscode"];
    for (const path of [...names.map((name) => join(TRANSCRIPTS, `${name}.jsonl`)), odd]) {
      const record = async (person: Person) => {
        const { code, stdout, stderr } = await person.svc(["record", path, "--json"], { env });
        deepEqual([code, stderr], [0, ""], path);
        return JSON.parse(stdout);
      };
      const first = await record(deno);
      ok(first.created > 1);
      deepEqual(await record(python), { ...first, created: 0, duplicates: first.created }, path);
    }
  },
});
