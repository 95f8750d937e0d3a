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

/** The lots of plain sentences, of which only what is general was made a rule. */
const PLAIN_LOT = /^j[a-d]/u;

Deno.test("of the changes that are told in words of every day 79 of 100 are known or marked", async () => {
  const pairs = (await readFurtherUpdates()).filter(({ id }) => !PLAIN_LOT.test(id));
  const missed = pairs.filter((pair) => guess(pair) === "none").map(({ id }) => id);
  assert.ok(missed.length <= 0.21 * pairs.length, `missed ${missed.join(" ")}`);
});

Deno.test("of the plainest sentences about tastes, diets, rights and tools every second change is known or marked", async () => {
  const pairs = (await readFurtherUpdates()).filter(({ id }) => PLAIN_LOT.test(id));
  const missed = pairs.filter((pair) => guess(pair) === "none").map(({ id }) => id);
  assert.ok(missed.length <= 0.48 * pairs.length, `missed ${missed.join(" ")}`);
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
  // Times: whichever verb tells them.
  ["The store closes at 8 pm.", "The store stays open until 10 pm now."],
  ["The bins are collected on Mondays.", "The bins are emptied on Wednesdays from this month."],
  ["Rubbish is picked up on Tuesdays.", "Rubbish collection is on Thursdays now."],
  ["We meet on Mondays.", "We moved our meeting to Wednesdays."],
  // Places.
  ["The statue stands in the park.", "The statue was relocated to the museum."],
  ["The car is parked on Oak Street.", "I parked the car in the garage."],
  ["Mia is in a coma.", "Mia woke up."],
  ["I sit at the back.", "I sit in the front row now."],
  ["My son lives at home.", "My son has left home."],
  // What an act brings about.
  ["The battery is empty.", "I charged the battery."],
  ["The contract is unsigned.", "Both sides have signed the contract."],
  ["The kitchen is being renovated.", "The kitchen renovation is done."],
  ["The museum is closed.", "The museum welcomes visitors again."],
  ["The repo is private.", "We made the repo public."],
  ["The street is closed.", "The street is open to traffic again."],
  ["Project Apollo is in the planning phase.", "Project Apollo has entered the build phase."],
  ["Vera is pregnant.", "Vera had her baby."],
  ["The garden is flooded.", "The garden has dried out."],
  // What somebody has left, lost or no longer has.
  ["I have the flu.", "I've recovered from the flu."],
  ["Otto is on the basketball team.", "Otto got cut from the basketball team."],
  ["Mick owns a motorbike.", "Mick's motorbike got stolen."],
  ["I have a landline.", "I had the landline disconnected."],
  ["We have a cleaner.", "We let our cleaner go."],
  ["Ulla is in the band.", "The band threw Ulla out."],
  ["My bike is in the cellar.", "I brought my bike up from the cellar."],
  ["The office has a ping-pong table.", "They took the ping-pong table out of the office."],
  ["Carl is Dana's boyfriend.", "Dana dumped Carl."],
  // The same told from the other side, denied before, with another number or of another kind.
  ["We track bugs in Bugzilla.", "Bugs are tracked in GitHub Issues now."],
  ["Migration 42 has not been applied.", "Migration 42 has been applied."],
  ["The printer is out of toner.", "The printer has toner again."],
  ["The queue holds 100 jobs.", "The queue can hold 500 jobs now."],
  ["The server has 16 GB of RAM.", "We doubled the server's RAM to 32 GB."],
  ["Val drinks cow's milk.", "Val has switched to oat milk."],
  ["Kim edits videos in iMovie.", "Kim upgraded to Final Cut for editing videos."],
  ["The app talks to Stripe for payments.", "The app uses Adyen for payments now."],
  ["I take my coffee black.", "I take my coffee with milk now."],
  ["I drink coffee in the morning.", "I drink tea in the morning now."],
  ["Cal skips breakfast.", "Cal has breakfast every day now."],
  ["My dentist is Dr. Koch.", "I changed dentists."],
  ["Guests may smoke on the balcony.", "Smoking on the balcony is forbidden now."],
  // Offices and owners.
  ["The head of sales is Mia.", "Leo is head of sales."],
  ["The owner of the repo is Max.", "The repo belongs to Nadine now."],
  ["Nuria is the acting director.", "Nuria was appointed director."],
  ["I'm at Netflix.", "I've joined Disney."],
  ["My wife teaches at Lincoln High.", "My wife took a position at Roosevelt High."],
  ["My personal assistant is Tom.", "I have hired Eva as my personal assistant."],
  // States that hardly go together.
  ["The account is active.", "The account has been closed."],
  ["The order is on hold.", "The order is being processed again."],
  ["The house is empty.", "A family has moved into the house."],
  ["The proposal is under review.", "The committee turned down the proposal."],
  ["Invoice 17 is open.", "The client paid invoice 17."],
  ["The seat is taken.", "The seat is free again."],
  ["The package has not arrived.", "The package has arrived."],
  // What has to do with something else.
  ["Lena is lactose intolerant.", "Lena can drink milk again."],
  ["I have a broken arm.", "My arm has healed."],
  ["Carl is my boss.", "I report to Dana now."],
  ["My mentor is Sara.", "Sara stopped mentoring me."],
  ["Tom is my roommate.", "Tom moved out."],
  ["Guests may use the pool.", "The pool is off limits for guests now."],
  ["Dogs are not allowed on the beach.", "Dogs are welcome on the beach now."],
  ["We store files in Dropbox.", "Our files are in Google Drive now."],
  ["Our chat is Slack.", "We chat on Teams now."],
  ["My favourite team is Arsenal.", "I support Chelsea now."],
  ["Mo is my fiancé.", "Mo is my husband now."],
  ["I sign documents by hand.", "I sign documents electronically now."],
  // Diets: what begins with one, what ends with one, and what may be eaten again.
  ["I eat a lot of cheese.", "I've gone vegan."],
  ["I eat pasta every day.", "I'm on a low-carb diet now."],
  ["I eat yoghurt.", "I've cut out dairy."],
  ["Tess doesn't drink.", "Tess has a glass of wine now."],
  ["I avoid sugar.", "I've started eating sugar again."],
  ["I can't eat anything with nuts in it.", "My nut allergy has gone away."],
  ["I eat eggs.", "I've become allergic to eggs."],
  ["I'm doing keto.", "I've quit keto."],
  // Rights and duties.
  ["Zoe can see the salary data.", "Zoe has lost her access to the salary data."],
  ["Ines can't open the vault.", "Ines was given access to the vault."],
  ["Hugo has admin rights.", "We took away Hugo's admin rights."],
  ["Emma isn't allowed to drive the van.", "Emma has been cleared to drive the van."],
  ["You can book meetings for me.", "Stop booking meetings for me."],
  ["You may read my emails.", "Don't read my emails any more."],
  ["Employees have to wear a badge.", "Employees don't have to wear a badge any more."],
  ["Our kids have to be home by nine.", "Our kids have to be home by ten now."],
  // Tools.
  ["I code in VS Code.", "I do all my coding in Zed now."],
  ["We use Zoom for calls.", "All our calls are on Meet now."],
  ["I book trips with Expedia.", "I use Kayak to book trips now."],
  ["We track our budget in Excel.", "We've started tracking our budget in YNAB."],
  ["We use Asana.", "We're on Notion these days."],
  ["Lena's laptop is a Dell.", "Lena has a Framework laptop now."],
  // Tastes and wishes.
  ["I'm a cat person.", "I'm more of a dog person now."],
  ["We want a dog.", "We've decided against a dog."],
  ["I like long meetings.", "I prefer short meetings now."],
  ["I prefer coffee.", "I've come to prefer tea."],
  ["I like bullet points.", "Please stop using bullet points."],
  ["I want answers in French.", "Answer me in English from now on."],
];
for (const [older, newer] of MARKED) {
  Deno.test(`likely outdated: ${older} / ${newer}`, () => {
    assert.notEqual(guess({ older, newer }), "none");
    assert.notEqual(relateAll(readGuesses(newer), readClaims(older)), "ends");
  });
}

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
  assert.equal(guess({ older: "I work from home.", newer: `I work from the office ${week}.` }), "none");
  assert.equal(guess({ older: "We meet on Mondays.", newer: `We meet on Tuesday ${week}.` }), "none");
  assert.equal(guess({ older: "Ana is in Faro.", newer: `Ana is in Porto ${weekend}.` }), "none");
  assert.equal(guess({ older: "The pool is open.", newer: `The pool was closed ${weekend}.` }), "none");
  assert.equal(relate({ older: "Ana lives in Faro.", newer: "Ana moved to the next round." }), "outdates");
  assert.equal(relate({ older: "Ana lives in Faro.", newer: "Ana moved to the countryside." }), "ends");
});

const COLLAPSED_GUESSES: readonly (readonly [string, string])[] = [
  ["The user's office is in the old town.", "The user and others have moved offices."],
  ["Olga runs the support team.", "Pavel runs the support team since June 2025."],
  ["The user prefers calls over chat.", "Chat suits the user better than calls now."],
  ["The user's tax adviser is Mrs. Beck.", "The user and others have gone to another tax adviser, Mr. Funk."],
];
for (const [older, newer] of COLLAPSED_GUESSES) {
  Deno.test(`likely outdated, in a collapsed session: ${older} / ${newer}`, () => {
    assert.notEqual(guess({ older, newer }), "none");
  });
}

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
  Deno.test(`beside each other: ${older} / ${newer}`, () => assert.equal(guess({ older, newer }), "none"));
}
