/** How well the rules for claims tell a change from what only seems one, on the half of the pairs that they are made on. */
import assert from "node:assert/strict";
import { readClaims, readGuesses, relateAll, type Relation } from "../src/language/claims/mod.ts";
import {
  halfOf,
  readCompatible,
  readFurtherCompatible,
  readFurtherUpdates,
  readToldCompatible,
  readToldUpdates,
  readUpdates,
} from "./_updates.ts";

function relate({ older, newer }: { readonly older: string; readonly newer: string }): Relation {
  return relateAll(readClaims(newer), readClaims(older));
}

Deno.test("most updates are known for what they are", async () => {
  const pairs = (await readUpdates()).filter(({ id }) => halfOf(id) === "tuning");
  const missed = pairs.filter((pair) => relate(pair) === "none").map(({ id }) => id);
  const marked = pairs.filter((pair) => relate(pair) === "outdates").map(({ id }) => id);
  assert.ok(missed.length <= 0.06 * pairs.length, `missed ${missed.join(" ")}`);
  assert.ok(marked.length <= 0.1 * pairs.length, `only marked ${marked.join(" ")}`);
});

Deno.test("of two statements that can hold at once none ends the other", async () => {
  const pairs = (await readCompatible()).filter(({ id }) => halfOf(id) === "tuning");
  assert.deepEqual(pairs.filter((pair) => relate(pair) === "ends").map(({ id }) => id), []);
  const marked = pairs.filter((pair) => relate(pair) === "outdates").map(({ id }) => id);
  assert.ok(marked.length <= 0.01 * pairs.length, `marked ${marked.join(" ")}`);
});

Deno.test("the older of two statements never ends the newer one when they are told the other way round", async () => {
  const pairs = (await readUpdates()).filter(({ id }) => halfOf(id) === "tuning");
  const ended = pairs.filter(({ older, newer }) => relate({ older: newer, newer: older }) === "ends").map(({ id }) =>
    id
  );
  assert.deepEqual(ended, []);
});

Deno.test("changes are known in the many ways in which people tell them", async () => {
  const pairs = await readToldUpdates();
  const changes = pairs.filter(({ told }) => told === "change");
  const missed = changes.filter((pair) => relate(pair) === "none").map(({ id }) => id);
  const marked = changes.filter((pair) => relate(pair) === "outdates").map(({ id }) => id);
  assert.ok(missed.length <= 0.06 * changes.length, `missed ${missed.join(" ")}`);
  assert.ok(marked.length <= 0.04 * changes.length, `only marked ${marked.join(" ")}`);
});

Deno.test("a newer value that no word calls a change is marked, and ends nothing", async () => {
  const plain = (await readToldUpdates()).filter(({ told }) => told === "plain");
  assert.deepEqual(plain.filter((pair) => relate(pair) !== "outdates").map(({ id }) => id), []);
});

Deno.test("no claim is ended or marked by one of another person, thing, part or time, nor by what only might be", async () => {
  const pairs = await readToldCompatible();
  assert.deepEqual(pairs.filter((pair) => relate(pair) !== "none").map(({ id }) => id), []);
});

Deno.test("the older of two told statements never ends the newer one", async () => {
  const pairs = await readToldUpdates();
  const ended = pairs.filter(({ older, newer }) => relate({ older: newer, newer: older }) === "ends");
  assert.deepEqual(ended.map(({ id }) => id), []);
});

/** What a newer statement means for an older one, by its claims and its guesses. */
function guess({ older, newer }: { readonly older: string; readonly newer: string }): Relation {
  return relateAll([...readClaims(newer), ...readGuesses(newer)], readClaims(older));
}

Deno.test("three of four changes that are told in words of every day are known or marked", async () => {
  const pairs = await readFurtherUpdates();
  const missed = pairs.filter((pair) => guess(pair) === "none").map(({ id }) => id);
  assert.ok(missed.length <= 0.25 * pairs.length, `missed ${missed.join(" ")}`);
});

Deno.test("a guess ends nothing, and hardly ever marks what can hold as well", async () => {
  const further = await readFurtherCompatible();
  assert.deepEqual(further.filter((pair) => guess(pair) === "ends").map(({ id }) => id), []);
  const tuning = (await readCompatible()).filter(({ id }) => halfOf(id) === "tuning");
  const all = [...further, ...tuning, ...await readToldCompatible()];
  const marked = all.filter((pair) => guess(pair) !== "none").map(({ id }) => id);
  assert.ok(marked.length <= 0.01 * all.length, `marked ${marked.join(" ")}`);
});

const MARKED: readonly (readonly [string, string])[] = [
  ["I use Trello.", "I'm done with Trello."],
  ["Chris works at Oracle.", "Chris went over to SAP."],
  ["My favourite film is Alien.", "Heat has replaced Alien as my favourite film."],
  ["Beth has a Peugeot.", "Beth's Peugeot was scrapped."],
  ["I own a cabin.", "The cabin isn't mine any more."],
  ["Malik drives to work.", "Malik takes the train to work now."],
  ["The deal is being negotiated.", "The deal is signed and sealed."],
  ["The baby is asleep.", "The baby is awake now."],
  ["My glasses are on the desk.", "I put my glasses in the drawer."],
  ["I don't drink alcohol.", "I drink wine again."],
  ["Nils lives in Bonn.", "Nils moved to Cologne to be closer to his parents."],
  ["Klara likes sweet wine.", "Klara only likes dry wine now."],
];
for (const [older, newer] of MARKED) {
  Deno.test(`likely outdated: ${older} / ${newer}`, () => {
    assert.notEqual(guess({ older, newer }), "none");
    assert.notEqual(relateAll(readGuesses(newer), readClaims(older)), "ends");
  });
}

const BESIDE: readonly (readonly [string, string])[] = [
  ["I use Trello.", "My sister is done with Trello."],
  ["I use Trello.", "I might be done with Trello."],
  ["Ada speaks German.", "Ada now speaks French."],
  ["Sue collects stamps.", "Sue has started collecting coins."],
  ["The flat is for sale.", "The flat has been painted."],
  ["Chris works at Oracle.", "Chris went over to the neighbours for dinner."],
  ["The shop is closed on Mondays.", "The shop is open on Tuesdays now."],
];
for (const [older, newer] of BESIDE) {
  Deno.test(`beside each other: ${older} / ${newer}`, () => assert.equal(guess({ older, newer }), "none"));
}
