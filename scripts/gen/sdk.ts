/**
 * Writes the generated part of the TypeScript client, `clients/typescript/gen/`, from `tests/openapi.json`:
 * `deno run -A scripts/gen/sdk.ts [--check]`. `types.ts` has the schemas and what each operation takes and answers;
 * `operations.ts` has what a call needs to know of each operation when it runs.
 */
import { declareType, printMembers, printType } from "./_openapi_types.ts";
import { type Document, readOperations, type SdkOperation } from "./_sdk_operations.ts";

const ROOT = new URL("../../", import.meta.url);
const HEAD = "// Made by scripts/gen/sdk.ts from tests/openapi.json. Changes here are lost.\n\n";

/** Returns the text of each generated file by its path from the root of the repository. */
export function generate(document: Document): Record<string, string> {
  const operations = readOperations(document);
  return {
    "clients/typescript/gen/types.ts": HEAD + printTypes(document, operations),
    "clients/typescript/gen/operations.ts": HEAD + printTable(document, operations),
  };
}

function printTypes(document: Document, operations: readonly SdkOperation[]): string {
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => declareType(name, schema));
  const members = operations.map(({ id, doc, input, output, headers }) => ({
    name: id,
    required: true,
    schema: { description: doc },
    type: printMembers([
      { name: "input", required: true, schema: {}, type: input },
      { name: "output", required: true, schema: {}, type: output },
      { name: "headers", required: true, schema: {}, type: headers.map((one) => `"${one}"`).join(" | ") || "never" },
    ], "  "),
  }));
  const code = document.components.schemas["Problem"]?.properties?.["code"];
  if (code === undefined) throw new Error("Cannot find the error codes: Problem has no member code");
  const codes = "ErrorCode" in document.components.schemas ? "" : `export type ErrorCode = ${printType(code)};\n\n`;
  const operationsDoc = "/** What each operation takes and answers, and the headers that it takes as options. */\n";
  return `${schemas.join("\n")}\n${codes}${operationsDoc}export interface Operations ${printMembers(members)}\n`;
}

function printTable({ info }: Document, operations: readonly SdkOperation[]): string {
  const rows = operations.map(({ id, route }) => `  ${id}: ${JSON.stringify(route)},\n`);
  return [
    `import type { Route } from "../route.ts";\nimport type { Operations } from "./types.ts";\n`,
    `/** The version of the service that this client was made for. */\n` +
    `export const VERSION = ${JSON.stringify(info.version)};\n`,
    `/** How each operation is asked for. */\n` +
    `export const ROUTES: Readonly<Record<keyof Operations, Route>> = {\n${rows.join("")}};\n`,
  ].join("\n");
}

async function main(): Promise<void> {
  const document = JSON.parse(await Deno.readTextFile(new URL("tests/openapi.json", ROOT)));
  for (const [path, text] of Object.entries(generate(document))) {
    if (!Deno.args.includes("--check")) {
      await Deno.writeTextFile(new URL(path, ROOT), text);
    } else if (await Deno.readTextFile(new URL(path, ROOT)).catch(() => "") !== text) {
      console.error(`${path} is not what tests/openapi.json makes: run deno run -A scripts/gen/sdk.ts`);
      Deno.exitCode = 1;
    }
  }
}

if (import.meta.main) await main();
