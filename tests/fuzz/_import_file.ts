/** Files for the import, made of lines that an export really wrote, with members of them spoilt. */
import fc from "fast-check";
import { makeFile } from "../http/_transfer.ts";
import { nastyValue, spoil } from "./_schema.ts";

interface Pick {
  /** Which of the exported lines. */
  readonly line: number;
  /** Whether it comes under an id that is free. */
  readonly isNew: boolean;
  readonly at: number | null;
  readonly by: unknown;
}

const pick: fc.Arbitrary<Pick> = fc.record({
  line: fc.nat({ max: 500 }),
  isNew: fc.boolean(),
  at: fc.option(fc.nat({ max: 200 }), { freq: 2 }),
  by: fc.option(nastyValue),
});

/** What a file is made of, as JSON text; `writeFile` makes the file of it. */
export const importFile: fc.Arbitrary<string> = fc.oneof(
  fc.array(pick, { maxLength: 5 }).map((picks) => JSON.stringify({ "@file": picks })),
  fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 4 }).map((lines) => JSON.stringify({ "@lines": lines })),
  fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)),
  // Close to what other services write.
  fc.array(fc.record({ id: fc.uuid(), memory: nastyValue, metadata: nastyValue, created_at: nastyValue }, {
    requiredKeys: [],
  })).map((results) => JSON.stringify({ results })),
  fc.record({
    nodes: fc.array(fc.record({ uuid: fc.uuid(), name: nastyValue, summary: nastyValue }, { requiredKeys: [] })),
    edges: fc.array(
      fc.record({ uuid: fc.uuid(), fact: nastyValue, source_node_uuid: nastyValue }, { requiredKeys: [] }),
    ),
  }).map((graph) => JSON.stringify(graph)),
);

// deno-lint-ignore no-explicit-any
export function writeFile(text: string, header: any, lines: readonly any[]): string {
  // deno-lint-ignore no-explicit-any
  let made: any;
  try {
    made = JSON.parse(text);
  } catch {
    return text;
  }
  if (Array.isArray(made?.["@lines"])) return makeFile(header, made["@lines"]);
  if (!Array.isArray(made?.["@file"])) return text;
  const written = (made["@file"] as Pick[]).map(({ line, isNew, at, by }) => {
    const whole = lines[line % lines.length];
    const own = isNew && whole.id !== undefined ? { ...whole, id: crypto.randomUUID() } : whole;
    return at === null ? own : spoil(own, at, by ?? undefined);
  });
  return makeFile(header, written.map((line) => line === undefined ? "" : line));
}
