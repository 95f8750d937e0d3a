/**
 * An agent's week: one story through all families, with the things that a user would see at each step.
 *
 * Caroline moves from Paris to Rome; her assistant keeps what it hears, decides, delegates, works things out, edits its
 * own memory and tidies it up. Each day uses the results of earlier days.
 */
import { POSTGRES } from "../_postgres.ts";
import { Week } from "./_week.ts";
import { monday, mondayTasks, tuesday } from "./_week_talk.ts";
import {
  fridayEdits,
  fridayRevert,
  thursdayPlaybook,
  thursdayReasoning,
  wednesdayEntities,
  wednesdayRelations,
  wednesdayTimeline,
} from "./_week_think.ts";
import { saturday, sunday } from "./_week_tidy.ts";

const STORY: readonly [string, (week: Week) => Promise<void>][] = [
  ["Monday: a call becomes knowledge, and a decision rests on a quote", monday],
  ["Monday: tasks are delegated and wait for each other", mondayTasks],
  ["Tuesday: facts change, what rested on them asks, and the past can be looked at", tuesday],
  ["Wednesday: entities are found by their names, and merged", wednesdayEntities],
  ["Wednesday: reasons are relations that can be followed", wednesdayRelations],
  ["Wednesday: the days before are a timeline", wednesdayTimeline],
  ["Thursday: a chain is cached, and retired when what it rests on changes", thursdayReasoning],
  ["Thursday: what runs taught becomes rules", thursdayPlaybook],
  ["Friday: the agent edits its memory within its right", fridayEdits],
  ["Friday: an edit is taken back", fridayRevert],
  ["Saturday: what helped is worth more, and what says the same becomes one", saturday],
  ["Sunday: the memory moves into an empty workspace, as it is and as it was", sunday],
];

for (const embedded of [false, true]) {
  Deno.test({
    ...(embedded ? {} : POSTGRES),
    name: `an agent's week, ${embedded ? "on the embedded default" : "on native Postgres"}`,
    async fn(t) {
      const week = await Week.begin({ embedded });
      await using _service = week.service;
      for (const [name, day] of STORY) {
        if (!await t.step(name, () => day(week))) break;
      }
    },
  });
}
