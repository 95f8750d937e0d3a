/**
 * Writes the generated parts of the clients from `tests/openapi.json`: `deno run -A scripts/gen/sdk.ts [--check]`.
 * For TypeScript, `types.ts` has the schemas and what each operation takes and answers, `operations.ts` what a call
 * needs to know of each operation when it runs. For Python, `models.py` has the schemas, `routes.py` what a call needs,
 * and `sync.py` and `asynchronous.py` a method for each operation.
 */
import { printAsyncMethods, printMethods, printModels, printRoutes } from "./_sdk_python.ts";
import { printTable, printTypes } from "./_sdk_typescript.ts";
import { type Document, readOperations } from "./_sdk_operations.ts";

const ROOT = new URL("../../", import.meta.url);
const MADE = "Made by scripts/gen/sdk.ts from tests/openapi.json. Changes here are lost.";
const TYPESCRIPT = "clients/typescript/gen";
const PYTHON = "clients/python/src/svc_memory/gen";

/** Returns the text of each generated file by its path from the root of the repository. */
export function generate(document: Document): Record<string, string> {
  const operations = readOperations(document);
  const typescript = {
    "types.ts": printTypes(document, operations),
    "operations.ts": printTable(document, operations),
  };
  const python = {
    "models.py": printModels(document),
    "routes.py": printRoutes(document, operations),
    "sync.py": printMethods(document, operations),
    "asynchronous.py": printAsyncMethods(document, operations),
  };
  return Object.fromEntries([
    ...Object.entries(typescript).map(([name, text]) => [`${TYPESCRIPT}/${name}`, `// ${MADE}\n\n${text}`]),
    ...Object.entries(python).map(([name, text]) => [`${PYTHON}/${name}`, `# ${MADE}\n${text}`]),
  ]);
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
