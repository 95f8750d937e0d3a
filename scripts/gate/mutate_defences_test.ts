/** What the script takes away is still there, and so is the test that has to notice: a change that moves either says so. */
import assert from "node:assert/strict";
import { listMutations, withoutDefence } from "./mutations/mutation.ts";

Deno.test("every defence that is taken away stands once in its file, and its test is there by name", async () => {
  const mutations = await listMutations();
  const root = new URL("../../", import.meta.url);
  const faults: string[] = [];
  const read = async (file: string) => await Deno.readTextFile(new URL(file, root)).catch(() => "");
  for (const mutation of mutations) {
    const { name, file, test, filter } = mutation;
    try {
      const text = await read(file);
      if (withoutDefence(mutation, text) === text) faults.push(`"${name}" changes nothing`);
    } catch (error) {
      faults.push((error as Error).message);
    }
    const source = await read(test);
    const hasTitle = ['"', "'", "`"].some((quote) => source.includes(quote + filter));
    if (!/\btest\(/.test(source)) faults.push(`"${name}": there are no tests in ${test}`);
    else if (filter !== "" && !hasTitle) faults.push(`"${name}": no test in ${test} begins with "${filter}"`);
  }
  const names = mutations.map(({ name }) => name);
  const twice = names.filter((name, i) => names.indexOf(name) !== i);
  assert.deepEqual([...faults, ...twice.map((name) => `"${name}" is there twice`)], []);
});
