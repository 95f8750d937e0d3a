import assert from "node:assert/strict";
import { rerunFailed } from "./_reruns.ts";
import type { FileOutcome } from "./_test_file.ts";

function outcomeOf(files: readonly string[], { passed = 1, failed = 0, isWhole = true } = {}): FileOutcome {
  return { file: files[0]!, files, passed, failed, ignored: [], seconds: 1, output: "", isWhole, failures: [] };
}

const green = (file: string) => outcomeOf([file]);
const red = (file: string) => outcomeOf([file], { passed: 0, failed: 1 });

/** Runs files again, some of which still fail; notes its calls. */
function runner(...stillRed: readonly string[]) {
  const asked: string[][] = [];
  const run = (files: readonly string[]) => {
    asked.push([...files]);
    return Promise.resolve([files.some((file) => stillRed.includes(file)) ? red(files[0]!) : green(files[0]!)]);
  };
  return { asked, run };
}

Deno.test("what failed runs again, and what passes then counts as passed and is named", async () => {
  const outcomes = [green("a"), red("b")];
  const { asked, run } = runner();
  const flaky = await rerunFailed(outcomes, run);
  assert.deepEqual(asked, [["b"]]);
  assert.deepEqual(flaky.map(({ file }) => file), ["b"]);
  assert.deepEqual(outcomes.map(({ file, failed }) => [file, failed]), [["a", 0], ["b", 0]]);

  const again = [green("a"), red("b")];
  assert.deepEqual(await rerunFailed(again, runner("b").run), []);
  assert.deepEqual(again.map(({ failed }) => failed), [0, 1]);
});

Deno.test("two failures are no chance: nothing runs again", async () => {
  const outcomes = [red("a"), red("b"), green("c")];
  const { asked, run } = runner();
  assert.deepEqual([await rerunFailed(outcomes, run), asked], [[], []]);
  assert.equal(outcomes.filter(({ failed }) => failed > 0).length, 2);
});

Deno.test("a process that broke off does not run again: each of its files has run alone", async () => {
  const group = outcomeOf(["a", "b"], { passed: 0, failed: 1, isWhole: false });
  const passed = [group, green("a"), green("b")];
  const first = runner();
  assert.deepEqual(await rerunFailed(passed, first.run), [group]);
  assert.deepEqual([first.asked, passed.map(({ file, failed }) => [file, failed])], [[], [["a", 0], ["b", 0]]]);

  const guilty = [group, green("a"), red("b")];
  const second = runner("b");
  assert.deepEqual(await rerunFailed(guilty, second.run), []);
  assert.deepEqual([second.asked, guilty.length], [[["b"]], 3]);
});

Deno.test("what cannot run again stays failed", async () => {
  const outcomes = [red("a")];
  assert.deepEqual(await rerunFailed(outcomes, () => Promise.resolve([])), []);
  assert.deepEqual(outcomes.map(({ failed }) => failed), [1]);
});
