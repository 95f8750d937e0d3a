/**
 * Guesses what a statement about a change likely replaces, where the rules for claims find nothing. Somebody who says
 * "I'm done with Trello" no longer uses it, or is no longer a member, or no longer likes it; to mark an older statement
 * about Trello it does not matter which. A guess is never sure: it ends nothing, and it is neither stored nor shown.
 */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { endedThing, goneThing, replacedThings } from "./endings.ts";
import { endsOf, make, subjectsFor } from "./guess_draft.ts";
import { guessDoer, guessHeld, guessHome, guessMoved, guessRelation, guessRole, guessWork } from "./people_guesses.ts";
import { isPerson } from "./people_rules.ts";
import { guessStates } from "./state_guesses.ts";
import { guessLiking, guessName, guessPlace, guessRebuilt, guessValue, guessWay } from "./thing_guesses.ts";

/** What a clause likely says besides what the rules read in it. */
export function guessClaims(clause: Clause): Claim[] {
  if (clause.isStill || clause.isAddition || clause.isPassing || clause.isBounded || !clause.isTold) return [];
  if (clause.modal !== null && clause.modal !== "will" && !clause.isDenied) return [];
  return [
    ...guessEnds(clause),
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
  ].filter(({ subjectKey }) => subjectKey !== "");
}

function guessEnds(clause: Clause): Claim[] {
  const claims: Claim[] = [];
  for (const thing of endedThing(clause)) {
    for (const subject of subjectsFor(clause)) claims.push(...endsOf(clause, subject, thing));
  }
  const gone = goneThing(clause);
  for (const owner of gone?.owners ?? []) claims.push(...endsOf(clause, owner, gone!.thing));
  const replaced = replacedThings(clause);
  if (replaced === null) return claims;
  const owners = new Set([...subjectsFor(clause), ...replaced.owners, "we", clause.speaker]);
  for (const subject of owners) claims.push(...endsOf(clause, subject, replaced.old));
  return claims;
}
