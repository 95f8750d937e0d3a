/** What the tree says of itself: dependencies that are used, error codes that are thrown, paths in documents that exist. */
import { deepEqual } from "node:assert/strict";
import { join } from "node:path";
import importMap from "../imports.json" with { type: "json" };
import { ERROR_CODES } from "../src/errors.ts";

const ROOT = new URL("../", import.meta.url).pathname;

/** What federation between instances will use; each goes from here when it is used. */
const WAITING_DEPENDENCIES: string[] = [];
const WAITING_CODES = [
  "VERSION_JUMP_REJECTED",
];

async function* walk(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(join(ROOT, folder))) {
    if (name === "node_modules" || name === "dist" || name.startsWith(".")) continue;
    const path = folder === "" ? name : `${folder}/${name}`;
    if (isDirectory) yield* walk(path);
    else yield path;
  }
}

async function readAll(folders: readonly string[], isWanted: (path: string) => boolean): Promise<string> {
  const texts: string[] = [];
  for (const folder of folders) {
    for await (const path of walk(folder)) if (isWanted(path)) texts.push(await Deno.readTextFile(join(ROOT, path)));
  }
  return texts.join("\n");
}

Deno.test("every dependency is imported, or run by a script", async () => {
  const text = await readAll(["src", "tests", "scripts"], (path) => /(?<!tree_test)\.ts$/.test(path)) +
    await Deno.readTextFile(join(ROOT, "buf.gen.yaml"));
  const names = Object.keys(importMap.imports).map((name) => name.replace(/\/$/, ""));
  const unused = names.filter((name) => !text.includes(`"${name}"`) && !text.includes(`"${name}/`));
  deepEqual(unused.sort(), WAITING_DEPENDENCIES);
});

Deno.test("every error code is thrown", async () => {
  const isProduct = (path: string) => /(?<!_test)\.ts$/.test(path) && path !== "src/errors.ts" && !/\/gen\//.test(path);
  const text = await readAll(["src"], isProduct);
  const unthrown = Object.keys(ERROR_CODES).filter((code) =>
    !new RegExp(`(?:ServiceError|super)\\(\\s*"${code}"`).test(text)
  );
  deepEqual(unthrown.sort(), WAITING_CODES);
});

Deno.test("every path that a document names exists", async () => {
  const missing: string[] = [];
  for await (const document of walk("")) {
    if (!document.endsWith(".md")) continue;
    const text = await Deno.readTextFile(join(ROOT, document));
    for (const path of pathsIn(text)) if (!await existsSomewhere(path, document)) missing.push(`${document}: ${path}`);
  }
  deepEqual(missing, []);
});

/** Paths in backticks and in links. A path is cut before the first part that holds a placeholder, such
 * as `<noun>` or `*`. */
function pathsIn(text: string): Set<string> {
  const named = [...text.matchAll(/`([\w.@-]+(?:\/[\w.@<>* -]*)*)`/g)].map(([, path]) => path)
    .map((path) => path.split(" ")[0])
    .filter((path) =>
      /\/$|\/.*\.(ts|md|json|sql|cfg|proto)$|^(src|tests|scripts|docs|deploy|migrations|proto)\//.test(path)
    );
  const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(([, path]) => path);
  return new Set([...named, ...linked].map((path) => path.replace(/[^/]*[<*].*$/, "")).filter((path) => path !== ""));
}

/** From the root, from a folder that documents leave out, or beside the document. */
async function existsSomewhere(path: string, document: string): Promise<boolean> {
  const beside = document.includes("/") ? document.slice(0, document.lastIndexOf("/")) : "";
  for (const folder of ["", "src", "src/domain", "src/http", "scripts", beside]) {
    if (await Deno.stat(join(ROOT, folder, path)).then(() => true, () => false)) return true;
  }
  return false;
}

/** A section of an RFC can be looked up; a section of anything else cannot. */
const CITED = /(?<!RFC \d{4},? )§|\b[Ss]ecurity [TF]\d|\b[Ii]ssue (?:\d|")/;

Deno.test("no comment cites a document that the repository does not have", async () => {
  const cited: string[] = [];
  for (const folder of ["src", "tests", "scripts"]) {
    for await (const path of walk(folder)) {
      if (!path.endsWith(".ts") || path.includes("/gen/") || path === "tests/tree_test.ts") continue;
      const lines = (await Deno.readTextFile(join(ROOT, path))).split("\n");
      lines.forEach((line, i) => {
        if (/^\s*(?:\*|\/[/*])/.test(line) && CITED.test(line)) cited.push(`${path}:${i + 1}`);
      });
    }
  }
  deepEqual(cited, []);
});
