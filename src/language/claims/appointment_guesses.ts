/** Guesses about lessons, classes and appointments: the time of one is the time of the activity that it is for. */
import type { Claim, Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { mark } from "./guess_draft.ts";
import { isPerson } from "./people_rules.ts";
import { tellsOtherTime, timesOf } from "./time_guesses.ts";
import { contentStems, maskValues } from "./values.ts";

/** "my Spanish class", "my appointments with Dr. Albrecht" */
const OWN_LESSON =
  /^(\S+)'s (?:(.+?) )?(class|classes|lesson|lessons|course|session|sessions|appointment|appointments|practice|training|day|night|evening|visit|visits|group|check-?ups?|meeting|meetings|call|calls|shift|shifts)(?: (?:with|for|at|in) (.+))?$/iu;
/** Verbs for what a person does in a class, in a lesson or at an appointment. */
const ATTENDS = "teach see go do attend take play practise train visit give run learn study meet swim work call".split(
  " ",
);
const IS_TIMED = /^(?:be|move|shift|change|reschedule|push|bring|happen|take|switch|put|go)$/;
/** Somebody's own lessons of a subject, as an older statement may name them. */
const NOUNS = "lesson class course session training practice appointment day group".split(" ");

/** Whether two stems are of one family of words: "therapi" and "therapist", "swim" and "swimmer". */
function isAkin(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  return a === b || (length >= 4 && a.slice(0, Math.max(4, length - 1)) === b.slice(0, Math.max(4, length - 1)));
}

/** Makes a test: does an older claim contain every content word of these words, or a word of the same family? */
function speaksOf(words: string): (older: Claim) => boolean {
  const topic = contentStems(words);
  return ({ predicate, value }) => {
    const said = contentStems(`${predicate} ${value}`);
    return topic.length > 0 && topic.every((stem) => said.some((other) => isAkin(stem, other)));
  };
}

/** "My Spanish class has moved to Thursdays" after "I teach Spanish on Mondays". */
function guessAttended(clause: Clause): Guessed[] {
  const { lemma, rest, isPassive, isPerfect, isPast, subjectText } = clause;
  const times = timesOf(rest);
  // "Badminton is on Mondays now"
  const bare = /^\p{Lu}\p{Ll}+$/u.test(subjectText) && clause.isNew && !isPerson(clause) ? subjectText : undefined;
  const own = OWN_LESSON.exec(subjectText) ?? (bare === undefined ? null : [bare, clause.speaker, bare, "lessons"]);
  if (times.length === 0 || own === null || !IS_TIMED.test(lemma)) return [];
  if (lemma === "be" ? !clause.isNew : !(clause.isNew || isPerfect || isPast || isPassive)) return [];
  // The time of "my work meeting" is not the time at which the speaker works.
  if (/^(?:work|team|weekly|daily|next|first|last|new|second)$/iu.test(own[2] ?? "")) return [];
  const topic = [own[2], own[4]].filter((part) => part !== undefined).join(" ");
  const isTopic = speaksOf(topic);
  const isOther = tellsOtherTime(times);
  // If only the older claim names a person, it may be about another occasion.
  const outdates = (older: Claim) =>
    isTopic(older) && isOther(older) && (own[4] !== undefined || !/^with | with /iu.test(older.value));
  return [own[2], own[4]].filter((part) => part !== undefined).flatMap((part) => [
    ...mark(clause, { subject: own[1]!, predicates: [...ATTENDS, "has"], value: part, outdates }),
    ...mark(clause, { subject: own[1]!, predicates: ["has"], value: `${part} ${own[3]}`, outdates }),
  ]);
}

const HAS_ONE =
  /^(?:got |had )?((?:my |his |her |their |an? )?(?:\p{L}[\p{L}.'-]* ){1,3}?)(?:(?:lesson|class|session|training|practice|appointment)s? )?(?:on|at|every|in|from|once|twice|weekly|monthly|daily)\b/iu;

/** "I've got piano on Saturdays now" after "my piano lesson is on Wednesdays". */
function guessLesson(clause: Clause): Guessed[] {
  const { lemma, rest, form, isPassive, isNew, subjectText } = clause;
  if (!isNew || isPassive || !(lemma === "have" || lemma === "get" || ATTENDS.includes(lemma))) return [];
  if (form === "past" && lemma !== "get") return [];
  const said = upTo(rest);
  const times = timesOf(said);
  const topic = HAS_ONE.exec(said)?.[1]?.trim().replace(/^(?:my|his|her|their|an?) /iu, "");
  if (/\b(?:at home|alone|second|another|extra)\b/iu.test(said)) return [];
  if (times.length === 0 || topic === undefined || maskValues(topic).values.length > 0) return [];
  const outdates = tellsOtherTime(times);
  return [...new Set([topic, topic.replace(/(?:ist|er)$/u, "y")])].flatMap((one) =>
    NOUNS.flatMap((noun) =>
      mark(clause, { subject: `${subjectText}'s ${one} ${noun}`, predicates: ["happens"], value: said, outdates })
    )
  );
}

/** Guesses about times of lessons and appointments; the subject may be the lesson or the person who has it. */
export function guessAppointments(clause: Clause): Guessed[] {
  if (clause.isDenied || clause.lead !== "") return [];
  return [...guessAttended(clause), ...guessLesson(clause)];
}
