/** How well the rules for claims tell a change from what only seems one, on the half of the pairs that they are made on. */
import assert from "node:assert/strict";
import { type ClaimRelation, readClaims, relateAll } from "../src/language/claims/mod.ts";
import {
  halfOf,
  readCompatible,
  readFurtherCompatible,
  readToldCompatible,
  readToldUpdates,
  readUpdates,
} from "./_updates.ts";

function relate({ older, newer }: { readonly older: string; readonly newer: string }): ClaimRelation {
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

Deno.test("of further pairs that can hold at once none ends or marks the other, but for a few", async () => {
  const further = await readFurtherCompatible();
  assert.deepEqual(further.filter((pair) => relate(pair) === "ends").map(({ id }) => id), []);
  const tuning = (await readCompatible()).filter(({ id }) => halfOf(id) === "tuning");
  const all = [...further, ...tuning, ...await readToldCompatible()];
  const marked = all.filter((pair) => relate(pair) !== "none").map(({ id }) => id);
  assert.ok(marked.length <= 0.01 * all.length, `marked ${marked.join(" ")}`);
});

Deno.test("somebody who is to be called at a time, or a taxi, has no other name", () => {
  for (const call of ["Call me Monday.", "Call me a taxi.", "Call me ASAP.", "Please call me in the afternoon."]) {
    assert.deepEqual(readClaims(call).filter(({ respect }) => respect === "name"), [], call);
  }
  assert.deepEqual(readClaims("Please call me Max.").map(({ respect, value }) => [respect, value]), [["name", "Max"]]);
});

Deno.test("a duty that somebody has is known, and takes nothing's place", () => {
  const [duty] = readClaims("Visitors have to park on the street now.");
  assert.deepEqual([duty?.predicate, duty?.value], ["must", "park on the street"]);
  assert.equal(
    relate({ older: "Visitors can park in the yard.", newer: "Visitors have to park on the street now." }),
    "none",
  );
});

const COLLAPSED: readonly (readonly [string, string])[] = [
  ["The user has a Netflix subscription.", "The user cancelled the user's Netflix subscription."],
  ["Caroline has a Volvo.", "Caroline sold Caroline's Volvo."],
  ["Ben works at Stripe in Dublin.", "Ben resigned from Stripe on Friday, 20 November 2026."],
  ["We live in Bonn.", "The user and others have moved to Ulm."],
  ["Ana lives in Faro.", "Ana moved to Porto in the week of 23 February 2026."],
  ["The vacancy is still open.", "The vacancy was filled in the week of 13 April 2026."],
  ["The user's shift starts at 6.", "The user's shift starts at 7 from the week of 27 April 2026."],
];
for (const [older, newer] of COLLAPSED) {
  Deno.test(`as collapsed sessions say it: ${older} / ${newer}`, () => assert.equal(relate({ older, newer }), "ends"));
}

Deno.test("who moved yesterday lives elsewhere, and what was closed yesterday is not closed for that", () => {
  assert.equal(relate({ older: "Ana lives in Faro.", newer: "Ana moved to Porto yesterday." }), "ends");
  assert.equal(relate({ older: "The pool is open.", newer: "The pool was closed yesterday." }), "none");
  for (const newer of ["Ana moved to the sofa yesterday.", "Ana moved to Table 7 yesterday."]) {
    assert.notEqual(relate({ older: "Ana lives in Faro.", newer }), "ends");
  }
});

Deno.test("what has been so since a year that is named does not say that it has changed", () => {
  const older = "Tom works at SAP.";
  assert.equal(relate({ older, newer: "Tom works at Oracle since March 2012." }), "outdates");
  assert.equal(relate({ older, newer: "Tom works at Oracle since March." }), "ends");
});

Deno.test("what holds in a week or on a weekend alone ends nothing, nor does a place that is no home", () => {
  const week = "in the week of 13 April 2026", weekend = "on the weekend of 18 April 2026";
  assert.equal(relate({ older: "I work from home.", newer: `I work from the office ${week}.` }), "none");
  assert.equal(relate({ older: "We meet on Mondays.", newer: `We meet on Tuesday ${week}.` }), "none");
  assert.equal(relate({ older: "Ana is in Faro.", newer: `Ana is in Porto ${weekend}.` }), "none");
  assert.equal(relate({ older: "The pool is open.", newer: `The pool was closed ${weekend}.` }), "none");
  assert.equal(relate({ older: "Ana lives in Faro.", newer: "Ana moved to the next round." }), "none");
  assert.equal(relate({ older: "Ana lives in Faro.", newer: "Ana moved to the countryside." }), "ends");
});

const BESIDE: readonly (readonly [string, string])[] = [
  ["I use Trello.", "My sister is done with Trello."],
  ["I run in the park.", "I use Strava to run now."],
  ["We plan our trips in the evening.", "We use Wanderlog to plan our trips now."],
  ["We use Asana.", "We're on Monday now."],
  ["Ida is a cheese seller.", "Ida has gone vegan."],
  ["I use Trello.", "I might be done with Trello."],
  ["Ada speaks German.", "Ada now speaks French."],
  ["Sue collects stamps.", "Sue has started collecting coins."],
  ["The flat is for sale.", "The flat has been painted."],
  ["Chris works at Oracle.", "Chris went over to the neighbours for dinner."],
  ["The shop is closed on Mondays.", "The shop is open on Tuesdays now."],
  ["The store closes at 8 pm.", "The store opens at 10 am now."],
  ["Rubbish is picked up on Tuesdays.", "Paper collection is on Thursdays now."],
  ["We meet on Mondays.", "We have lunch together on Wednesdays now."],
  ["The statue stands in the park.", "The statue was cleaned."],
  ["The car is parked on Oak Street.", "I washed the car in the garage."],
  ["I sit at the back.", "I sit up straight now."],
  ["The battery is empty.", "I ordered a battery."],
  ["The kitchen is being renovated.", "The bathroom renovation is done."],
  ["The museum is closed.", "The museum may be open again soon."],
  ["The shop is open on weekdays.", "The shop is closed on Sundays."],
  ["My laptop is in repair.", "I got my laptop for Christmas."],
  ["Otto is on the basketball team.", "Otto got cut on his knee."],
  ["I have a landline.", "I had my keys copied."],
  ["We track bugs in Bugzilla.", "Hours are tracked in Harvest now."],
  ["The server has 16 GB of RAM.", "The server has 2 TB of disk now."],
  ["Val drinks cow's milk.", "Val has switched to oat bread."],
  ["I take my coffee black.", "I take my pills with milk now."],
  ["We cook with gas.", "We cook with friends now."],
  ["Claire leads the platform team.", "The mobile team is led by Otis now."],
  ["The database is read-only.", "The database grew to 3 GB."],
  ["I'm on the night shift.", "I'm on the phone now."],
  ["The startup is based in Bonn.", "The startup has moved into profit."],
  ["My cat is named Tiger.", "My cat sleeps now."],
  ["Issue 88 is open.", "Issue 88 was reopened."],
  ["The account is active.", "The old account has been closed."],
  ["The shop is open.", "The shop is closed for lunch today."],
  ["Lena is lactose intolerant.", "Lena can drink tea again."],
  ["Carl is my boss.", "My sister reports to Dana now."],
  ["Tom is my roommate.", "Ann moved out."],
  ["We support Python.", "We support Ruby now."],
  ["I sign documents by hand.", "I read documents electronically now."],
  ["I eat cheese.", "My flatmate has gone vegan."],
  ["I drink oat milk.", "I've gone vegan."],
  ["I can't eat pine nuts.", "My nut allergy has gone away."],
  ["Zoe can see the roadmap.", "Zoe has lost her access to the salary data."],
  ["Hugo has admin rights.", "We took away Hanna's admin rights."],
  ["You can book meetings for me.", "Don't book meetings when I'm on leave."],
  ["You can use the printer.", "Ann: don't use the printer any more."],
  ["I have to take pills.", "I have to take the bus now."],
  ["I teach in Bonn.", "I do all my teaching in English now."],
  ["We use Asana.", "We're on holiday these days."],
  ["I'm a cat person.", "I'm a happy person now."],
  ["I like long walks.", "I prefer short meetings now."],
];
for (const [older, newer] of BESIDE) {
  Deno.test(`beside each other: ${older} / ${newer}`, () => assert.equal(relate({ older, newer }), "none"));
}
