/**
 * Guesses what a statement about a change likely replaces, where the rules for claims find nothing. Somebody who says
 * "I'm done with Trello" no longer uses it, or is no longer a member, or no longer likes it; to mark an older statement
 * about Trello it does not matter which. A guess is never sure: it ends nothing, and it is neither stored nor shown.
 */
import { guessRights } from "./access_guesses.ts";
import { guessActs } from "./act_guesses.ts";
import { guessAmount } from "./amount_guesses.ts";
import { guessAppointments } from "./appointment_guesses.ts";
import { type Guessed, NAMELESS } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { guessDeeds } from "./deed_guesses.ts";
import { guessDiets } from "./diet_guesses.ts";
import { endedThing, goneThing, leftThing, replacedThings } from "./endings.ts";
import { endsOf, make, subjectsFor } from "./guess_draft.ts";
import { FOR_ANOTHER } from "./having_rules.ts";
import { guessFirst } from "./first_guesses.ts";
import { guessHome } from "./home_guesses.ts";
import { guessDoer, guessHeld, guessMoved, guessRelation, guessRole, guessWork } from "./people_guesses.ts";
import { isPerson } from "./people_rules.ts";
import { guessLinked } from "./linked_guesses.ts";
import { guessPlaced, guessWhereabouts } from "./place_guesses.ts";
import { guessRecords, guessSecond } from "./record_guesses.ts";
import { guessRenewed } from "./renewal_guesses.ts";
import { guessResults } from "./result_guesses.ts";
import { guessStates } from "./state_guesses.ts";
import {
  guessManner,
  guessMeans,
  guessPurpose,
  guessSame,
  guessSwitch,
  guessWay as guessOwnWay,
} from "./switch_guesses.ts";
import { guessTastes } from "./taste_guesses.ts";
import { guessLiking, guessName, guessPlace, guessRebuilt, guessValue, guessWay } from "./thing_guesses.ts";
import { guessTimes } from "./time_guesses.ts";
import { guessUsage } from "./usage_guesses.ts";
import { listWordings } from "./wordings.ts";

/** Guesses claims that a clause likely makes besides those that the rules read in it. */
export function guessClaims(clause: Clause): Guessed[] {
  const guesses = listWordings(clause).flatMap(guessWording).filter(({ subjectKey }) => subjectKey !== "");
  return clause.subject === "we" ? [...guesses, ...guesses.flatMap(ofSpeaker)] : guesses;
}

/** What "we" have, the speaker has: an older statement may say "my dentist" for "our dentist". */
function ofSpeaker(guess: Guessed): Guessed[] {
  const stems = guess.subjectKey.split(" ");
  if (stems.includes("we") || stems.includes(NAMELESS)) return [];
  const subjectKey = [...stems, NAMELESS].sort().join(" ");
  return [{ ...guess, subject: `${NAMELESS}'s ${guess.subject}`, subjectKey }];
}

function guessWording(clause: Clause): Guessed[] {
  if (/^(?:get|buy|adopt|order)$/.test(clause.lemma) && FOR_ANOTHER.test(clause.rest)) return [];
  if (clause.isAddition && !clause.isHistory && !clause.isPassing) return guessSecond(clause);
  if (clause.isStill || clause.isAddition || clause.isPassing || clause.isBounded || clause.isHistory) return [];
  const isAble = (clause.modal === "can" || clause.modal === "may") && clause.isNew;
  if (clause.modal !== null && clause.modal !== "will" && !clause.isDenied && !isAble) return [];
  // A deed shows a change only by its result.
  if (!clause.isTold) {
    return [
      ...guessFirst(clause),
      ...guessResults(clause),
      ...guessWhereabouts(clause),
      ...guessPlaced(clause),
      ...guessDeeds(clause),
      ...guessRenewed(clause),
      ...guessRecords(clause),
    ];
  }
  return [
    ...guessTimes(clause),
    ...(isAble ? [] : [...guessAppointments(clause), ...guessRenewed(clause), ...guessRecords(clause)]),
    ...guessFirst(clause),
    ...guessAmount(clause),
    ...guessOwnWay(clause),
    ...guessPlaced(clause),
    ...guessWhereabouts(clause),
    ...guessSwitch(clause),
    ...guessPurpose(clause),
    ...guessSame(clause),
    ...guessManner(clause),
    ...guessMeans(clause),
    ...guessActs(clause),
    ...guessLinked(clause),
    ...guessDiets(clause),
    ...guessRights(clause),
    ...guessUsage(clause),
    ...guessTastes(clause),
    ...guessResults(clause),
    ...(isAble ? [] : guessOthers(clause)),
  ];
}

function guessOthers(clause: Clause): Guessed[] {
  return [
    ...guessHome(clause),
    ...guessWork(clause),
    ...guessRole(clause),
    ...guessRelation(clause),
    ...guessLiking(clause),
    ...guessValue(clause),
    ...guessName(clause),
    ...guessWay(clause),
    ...guessPlace(clause),
    ...[...guessMoved(clause), ...guessHeld(clause)].map((guess) => make(clause, guess)),
    ...[...guessDoer(clause), ...guessRebuilt(clause)].map((guess) => make(clause, guess)),
    ...guessStates(clause, isPerson(clause)).map((state) => make(clause, state)),
    ...guessEnds(clause),
  ];
}

function guessEnds(clause: Clause): Guessed[] {
  const claims: Guessed[] = [];
  for (const thing of [...endedThing(clause), ...leftThing(clause)]) {
    for (const subject of subjectsFor(clause)) claims.push(...endsOf(clause, subject, thing));
  }
  const gone = goneThing(clause);
  for (const owner of gone?.owners ?? []) {
    for (const thing of gone!.things) claims.push(...endsOf(clause, owner, thing));
  }
  const replaced = replacedThings(clause);
  if (replaced === null) return claims;
  const owners = new Set([...subjectsFor(clause), ...replaced.owners, "we", clause.speaker]);
  for (const subject of owners) claims.push(...endsOf(clause, subject, replaced.old));
  return claims;
}
