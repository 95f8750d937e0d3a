/** The signs that rank a result, by the names that replies use, each with its meaning as a clause. */
import { z } from "zod";

export const RECALL_SIGNALS = {
  closeWords: "the query's words occur close together in it or in the turns around it",
  ownWords: "it contains much of what the query says",
  surroundings: "it and the text around it are about the query",
  neighbours: "what was said just before or after it is about the query",
  names: "names in the query occur in it, near it or in its session",
  session: "its conversation is about the query",
  participants: "somebody whom the query names takes part in its session",
  speaker: "somebody whom the query names said it",
  afterQuestion: "it follows a question",
  question: "it ends in a question itself",
  substance: "how much it says, what it names and counts, and how much of that is new in its session",
  firstPerson: "the speaker speaks of themselves",
  opening: "it opens its session",
  timeTold: "the query asks when, and it says when or does not",
  title: "the query asks for a title, and it quotes or names something",
  place: "the query asks where, and it names something that may be a place",
  number: "the query asks how many, and it has a number",
  date: "it dates from a day, week or month that the query names",
  meaning: "its meaning is similar to the query's",
  graph: "relations and mentions lead to it from names in the query",
  current:
    "of facts about the same, what holds at the time asked about comes first; of units with the same words, the newer",
} as const;

export type RecallSignal = keyof typeof RECALL_SIGNALS;

/** What each sign adds to a result's score; signs that add nothing are left out. */
export const RecallBoosts = z.strictObject(
  Object.fromEntries(
    Object.entries(RECALL_SIGNALS).map(([name, clause]) => [name, z.number().optional().meta({ description: clause })]),
  ) as Record<RecallSignal, z.ZodOptional<z.ZodNumber>>,
).meta({
  id: "RecallBoosts",
  description: "What each sign adds to `fusion` or takes from it. Their sum is `fusion`",
});
export type RecallBoosts = z.infer<typeof RecallBoosts>;
