/** How the source treats secrets. docs/reference/guarantees.md T13. */
import assert from "node:assert/strict";

const SOURCE = new URL("../src", import.meta.url).pathname;
const OPERAND = String.raw`[\w.$?!()\[\]"']+`;
const COMPARISON = new RegExp(`(${OPERAND}) *[=!]==? *(${OPERAND})`, "g");
const SECRET = /(secret|secretHash|password|token|bearer|authorization|signature|hmac|totp|privateKey|apiKey)[!?)]*$/i;
/** Whether there is one, or what kind of a thing it is, is no secret. */
const HARMLESS = /^\(?(undefined|null|true|false|\d+|"\w*".*)[)!]*$/;

async function* walk(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* walk(path);
    else if (path.endsWith(".ts") && !path.endsWith("_test.ts")) yield path;
  }
}

/** Comparisons whose time tells how much of a secret was right. */
function comparisonsOfSecrets(text: string): string[] {
  return [...text.matchAll(COMPARISON)]
    .filter(([, ...sides]) => sides.some((side) => SECRET.test(side)) && !sides.some((side) => HARMLESS.test(side)))
    .map(([comparison]) => comparison);
}

Deno.test("T13 no secret is compared by ===: only by timingSafeEqual", async () => {
  assert.equal(
    comparisonsOfSecrets("if (parsed.secret === row.secret) return; x.token!==given; a != this.password").length,
    3,
  );
  assert.deepEqual(comparisonsOfSecrets(`token === undefined; typeof secret === "string"; signature !== null`), []);
  const found: string[] = [];
  for await (const path of walk(SOURCE)) {
    for (const comparison of comparisonsOfSecrets(await Deno.readTextFile(path))) found.push(`${path}: ${comparison}`);
  }
  assert.deepEqual(found, []);
});
