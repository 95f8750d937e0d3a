/**
 * Makes the npm package of the client in `dist/sdk`: each module as JavaScript with its declarations, and a
 * `package.json`: `deno run -A scripts/build_sdk.ts [folder]`. Then `npm publish dist/sdk`.
 */
import { join } from "node:path";
import ts from "typescript";
import sdk from "../clients/typescript/deno.json" with { type: "json" };
import root from "../deno.json" with { type: "json" };

const SOURCE = new URL("../clients/typescript/", import.meta.url).pathname;
const README = new URL("../docs/guides/sdk.md", import.meta.url);

/** What the code runs on: Node 20, Deno 2, and browsers of 2023 and later. */
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  strict: true,
};
const DECLARATIONS: ts.CompilerOptions = { ...OPTIONS, declaration: true, isolatedDeclarations: true };

/** Writes the package into a folder, which is emptied first. */
export async function buildSdk(folder: string): Promise<void> {
  await Deno.remove(folder, { recursive: true }).catch(() => {/* there is none */});
  for await (const path of listModules("")) {
    const source = await Deno.readTextFile(join(SOURCE, path));
    const name = path.replace(/\.ts$/, "");
    await write(folder, `${name}.js`, emit(ts.transpileModule, source, path, OPTIONS));
    await write(folder, `${name}.d.ts`, emit(ts.transpileDeclaration, source, path, DECLARATIONS));
  }
  await write(folder, "README.md", await Deno.readTextFile(README));
  await write(folder, "package.json", JSON.stringify(describePackage(), null, 2) + "\n");
}

function emit(
  transpile: typeof ts.transpileModule,
  source: string,
  fileName: string,
  compilerOptions: ts.CompilerOptions,
): string {
  const { outputText, diagnostics = [] } = transpile(source, { fileName, compilerOptions, reportDiagnostics: true });
  if (diagnostics.length > 0) {
    throw new Error(`Cannot build ${fileName}: ${ts.flattenDiagnosticMessageText(diagnostics[0]!.messageText, "\n")}`);
  }
  // What is imported is imported as what it becomes.
  return outputText.replaceAll(/(\b(?:from|import)\s*\(?")(\.{1,2}\/[^"]+)\.ts"/g, '$1$2.js"');
}

function describePackage(): Record<string, unknown> {
  const entries = Object.entries(sdk.exports).map(([name, path]) => {
    const file = path.replace(/\.ts$/, "");
    return [name, { types: `${file}.d.ts`, default: `${file}.js` }];
  });
  return {
    name: sdk.name,
    version: root.version,
    description: "A client of the memory and knowledge service, with memory for the AI SDK and LangGraph",
    license: sdk.license,
    type: "module",
    sideEffects: false,
    engines: { node: ">=20" },
    exports: { ...Object.fromEntries(entries), "./package.json": "./package.json" },
  };
}

/** The modules without their tests. */
async function* listModules(below: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(join(SOURCE, below))) {
    if (isDirectory) yield* listModules(`${below}${name}/`);
    else if (/(?<!_test)\.ts$/.test(name)) yield `${below}${name}`;
  }
}

async function write(folder: string, path: string, text: string): Promise<void> {
  const file = join(folder, path);
  await Deno.mkdir(join(file, ".."), { recursive: true });
  await Deno.writeTextFile(file, text);
}

if (import.meta.main) {
  await buildSdk(Deno.args[0] ?? new URL("../dist/sdk", import.meta.url).pathname);
}
