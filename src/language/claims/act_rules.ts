/** Rules for what people do in general, begin, stop, and have not done. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { ENDED, say, upTo } from "./draft.ts";
import { isPerson } from "./role_rules.ts";
import { type Row, rowsWith } from "./row.ts";
import { eaten } from "./taste_rules.ts";
import { NAME_ALONE, uses } from "./thing_rules.ts";
import { cleanValue, maskValues } from "./values.ts";
import { ingOf, isEvent, lemmaOfIng, pastOf } from "./verbs.ts";

/** Verbs for what somebody did with a thing before they gave it up. */
const HABITS = ["drink", "learn", "play", "study", "practise"];

/** Rewords "stopped using X" as "does not use X any more"; null: the clause says no such thing. */
export function readStopping(clause: Clause): Clause | null {
  const { lemma, rest } = clause;
  if (clause.isProgressive || clause.form !== "past" || clause.isPassive || clause.isDenied) return null;
  const doing = /^(?:stop|quit)$/.test(lemma)
    ? /^(\p{L}+ing)\b ?(.*)$/iu.exec(rest)
    : lemma === "give"
    ? /^up (\p{L}+ing)\b ?(.*)$/iu.exec(rest)
    : null;
  if (doing === null) return null;
  const verb = lemmaOfIng(doing[1]!);
  return {
    ...clause,
    lemma: verb,
    rest: doing[2]!,
    form: "base",
    isPast: false,
    isDenied: true,
    hasEnded: true,
    hasStopped: true,
  };
}

const EACH_TIME = / ?\b(?:at \S|every |(?:once|twice|\S+ times) a )/iu;

/** Makes the claim that somebody does something from now on, in the words after "started". */
function started(clause: Clause, verb: string, rest: string): Claim[] {
  const lemma = lemmaOfIng(verb);
  if (lemma === "eat") {
    const eats = eaten(clause, rest, "began");
    if (eats !== null) return eats;
  } else if (EACH_TIME.test(rest)) {
    return [{ ...activity({ ...clause, lemma, isNew: true }, rest), confidence: 0.6 }];
  }
  // A new activity adds to the others; it contradicts only a statement that somebody does not do it.
  return [activity({ ...clause, lemma, rest, isNew: true, isAddition: true }, rest)];
}

function gaveUp(clause: Clause, habit: string): Claim[] {
  const value = upTo(habit);
  return [
    uses(clause, value, ENDED),
    ...["eats", ...HABITS].map((predicate) => say(clause, predicate, value, ENDED)),
  ];
}

/** Matches what is given up and is no habit. */
const NO_HABIT = /\b(?:job|club|team)\b|^(?:(?:my|his|her|their|the|our|on|hope|as|from) |early\b|late\b)/iu;

/** What somebody has stopped, started or done less. */
export const STARTS_AND_STOPS = rowsWith({ is: "settled past" }, [
  {
    name: "dropped what has a name",
    verbs: "drop abandon ditch uninstall decommission retire remove",
    is: "active",
    match: NAME_ALONE,
    claims: (clause, [, tool]) => [uses(clause, tool!, ENDED)],
    says: [
      "We've dropped Drupal 7. → we not uses Drupal 7 (ended)",
      "We've {dropped|abandoned|ditched|uninstalled|decommissioned|retired|removed} {Redux|Google Fonts|our Redux|the Redux}. → we not uses {Redux|Google Fonts|Redux|Redux} (ended)",
    ],
    saysNot: ["We've dropped the plan."],
  },
  {
    name: "phased out what has a name",
    verbs: "phase",
    is: "active",
    when: ({ rest }) => NAME_ALONE.test(rest.replace(/^out /iu, "")),
    claims: (clause) => [uses(clause, NAME_ALONE.exec(clause.rest.replace(/^out /iu, ""))![1]!, ENDED)],
    says: ["We've phased out Redux. → we not uses Redux (ended)"],
    saysNot: ["We've phased out the plan."],
  },
  {
    name: "unsubscribed",
    verbs: "unsubscribe",
    match: /^from (.+)/iu,
    claims: (clause, [, what]) => [say(clause, "subscribe", upTo(what!), ENDED)],
    says: ["I've unsubscribed from the Times. → user not subscribe Times (ended)"],
    saysNot: ["I've unsubscribed."],
  },
  {
    name: "started doing",
    isLoose: true,
    verbs: "start begin resume",
    when: ({ rest }) => !/^working (?:at|for) \p{Lu}/u.test(rest),
    match: /^(\p{L}+ing)\b ?(.+)$/iu,
    claims: (clause, [, verb, rest]) => started(clause, verb!, rest!),
    says: [
      "I've {started|begun|resumed} playing the cello. → user play cello (began, added)",
      "I've started eating {meat|the meat|any meat|only meat|no meat|meat again}. → user {eats|eats|eats|eats|not eats|eats} meat (began)",
      "I've started running {at dawn|every day|once a week|twice a week|three times a week}. → user run $1 (began)?",
    ],
    saysNot: ["I've started a course.", "I've started working {at|for} Shell."],
  },
  {
    name: "cut down to so often",
    verbs: "cut get",
    match: /^(?:back |down |up )(?:to |on )?(\p{L}+ing)\b ?(.*)$/iu,
    claims: (clause, [, verb, often]) =>
      maskValues(often!).values.some(({ kind }) => kind === "rhythm")
        ? [activity({ ...clause, lemma: lemmaOfIng(verb!), rest: often!, isNew: true }, often!)]
        : null,
    says: ["I've {cut back|cut down|got up} {to|on} watering it once a week. → user water it once a week (began)"],
    saysNot: ["I've cut back on smoking."],
  },
  {
    name: "gave up a diet",
    verbs: "give",
    match: /^up (.+)$/iu,
    claims: (clause, [, what]) => {
      const value = upTo(what!).replace(/^(?:my|his|her|their|the|a) /iu, "");
      return /\bdiet$/iu.test(value) ? [say(clause, "diet", value, ENDED)] : null;
    },
    says: ["I've given up {my|his|her|their|the|a} keto diet. → user not diet keto diet (ended)"],
    saysNot: [
      "I've given up coffee. → user not uses coffee (ended); user not eats coffee (ended); user not drink coffee (ended); user not learn coffee (ended); user not play coffee (ended); user not study coffee (ended); user not practise coffee (ended)",
    ],
  },
  {
    name: "gave up a habit",
    verbs: "give",
    match: /^up (.+)$/iu,
    claims: (clause, [, what]) => NO_HABIT.test(upTo(what!)) ? null : gaveUp(clause, what!),
    says: [
      "I've given up coffee. → user not uses coffee (ended); user not eats coffee (ended); user not drink coffee (ended); user not learn coffee (ended); user not play coffee (ended); user not study coffee (ended); user not practise coffee (ended)",
    ],
    saysNot: ["I've given up {my flat|hope of a raise|on him|a good job|a team}."],
  },
  {
    name: "quit a habit",
    verbs: "quit",
    match: /^[^\p{Lu}]+$/u,
    claims: (clause) => NO_HABIT.test(upTo(clause.rest)) ? null : gaveUp(clause, clause.rest),
    says: [
      "I quit coffee. → user not uses coffee (ended); user not eats coffee (ended); user not drink coffee (ended); user not learn coffee (ended); user not play coffee (ended); user not study coffee (ended); user not practise coffee (ended)",
    ],
    saysNot: ["I quit book club.", "I quit {my job|the club|Slack}."],
  },
]);

/** Makes the claim that somebody does something in general: the verb, its object, and where, how or with whom. */
export function activity(clause: Clause, rest: string): Claim {
  const none = /^no (.+)$/iu.exec(rest);
  return say(clause, clause.lemma, upTo(none?.[1] ?? rest), none === null ? {} : { polarity: clause.isDenied });
}

const DOING = new Set("lead manage maintain coach chair head oversee supervise teach direct run handle".split(" "));

/** Reads "Tim leads the team" as "the team is led by Tim". */
function doerOf(clause: Clause): Claim[] {
  const object = DOING.has(clause.lemma) && !clause.isPassive && clause.form !== "past"
    ? /^(?:(?:the|our) .+|\p{Lu}\S*(?: \p{Lu}\S*)*[.!]?)$/u.exec(upTo(clause.rest))?.[0]
    : undefined;
  if (object === undefined || maskValues(object).values.length > 0 || !/^\p{Lu}/u.test(clause.subjectText)) return [];
  return [say(clause, clause.lemma, `by ${clause.subjectText}`, { subject: cleanValue(object) })];
}

/**
 * What somebody does. A team has one leader, but a person may lead several teams, so the claim about the team comes
 * first: a fact is found by its first claim.
 */
function does(clause: Clause): Claim[] {
  return [...doerOf(clause), activity(clause, clause.rest)];
}

/** Whether a clause says that something has not happened, or not yet: "has not moved". */
function isUndone({ isDenied, hasEnded }: Clause): boolean {
  return isDenied && !hasEnded;
}

/** What has not been done, or is being done: these rows come before all others. */
export const UNDONE: readonly Row[] = [
  {
    name: "has never been to a place",
    verbs: "be",
    is: "perfect active plain",
    when: isUndone,
    match: /^to ((?:\p{Lu}|an? ).*?)(?: in (?:my|his|her|their) (?:whole |entire )?life)?[.!]?$/u,
    claims: (clause, [, place]) => [neverDone(clause, "been to", place!)],
    says: [
      "I've never been to {Japan|a sauna|an opera}. → user not has been to {Japan|sauna|opera}?",
      "I've never been to Japan in my {life|whole life|entire life}. → user not has been to Japan?",
    ],
    saysNot: ["I've never been to school."],
  },
  {
    name: "has never done it",
    is: "perfect active plain past",
    when: (clause) => isUndone(clause) && clause.lemma !== "be",
    match: /^(?!(?:for|since) )/iu,
    claims: (clause) => {
      const value = clause.rest.replace(/,? yet[.!]?$/iu, "").replace(/[.!]+$/u, "");
      return value === "" ? null : [neverDone(clause, pastOf(clause.lemma), value)];
    },
    says: [
      "I've never tried sushi. → user not has tried sushi?",
      "I haven't tried sushi {yet|so far}. → user not has tried {sushi|sushi (began)}?",
    ],
    saysNot: ["I haven't smoked {for Ben's sake|since Monday}."],
  },
  {
    name: "has not changed",
    is: "plain",
    when: (clause) => isUndone(clause) && isEvent(clause.lemma) && (clause.form === "past" || clause.isPassive),
    claims: () => [],
    says: ["The office was not moved. → nothing"],
    saysNot: ["The office was moved."],
  },
  {
    name: "is going on",
    is: "ongoing",
    when: (clause) => !isPerson(clause) && !/^(?:work|run)$/.test(clause.lemma),
    match: /^[.!]?$/,
    claims: (clause) => [say(clause, "status", ingOf(clause.lemma)), activity(clause, "")],
    says: ["The river is rising. → river status rising; river rise"],
    saysNot: ["Ben is leaving.", "The lift is running."],
  },
];

function neverDone(clause: Clause, done: string, value: string): Claim {
  return say(clause, `has ${done}`, upTo(value), { polarity: false, confidence: 0.6 });
}

/** Verbs that only say that something was done. */
const NO_ACTIVITY = new Set(
  "be have say tell know see make do go come get give put ask call leave mention become begin end act".split(" "),
);

/** What somebody does in general: these rows come after all others. */
export const ACTIVITIES: readonly Row[] = [
  {
    name: "stopped doing",
    when: ({ hasStopped }) => hasStopped === true,
    claims: does,
    says: ["I've {stopped|quit} running. → user not run (ended)", "I've given up running. → user not run (ended)"],
    saysNot: ["I run."],
  },
  {
    name: "does it somewhere",
    isLoose: true,
    verbs: "do",
    is: "active present",
    match: /^(?:my|our|his|her|their|the|most) .* (?:in|at|on|with) /iu,
    claims: does,
    says: [
      "I do {my|our|the|most} workouts {in|at|on|with} the garage door. → user do {my workouts|our workouts|workouts|most workouts} $2 the garage door",
    ],
    saysNot: ["I do my best."],
  },
  {
    name: "gets it from somewhere",
    verbs: "get",
    is: "settled active present",
    match: /^(?:my|our|his|her|their|the) .+ (?:from|at) /iu,
    claims: does,
    says: [
      "I get {my|our|the} vegetables {from|at} a farm. → user get {my vegetables|our vegetables|vegetables} $2 a farm",
    ],
    saysNot: ["I get my hair cut."],
  },
  {
    name: "goes somewhere",
    isLoose: true,
    verbs: "go",
    is: "settled present",
    match: /^(?:(?:through|via|over) \p{Lu}|to (?:the|an?|my|our|his|her|their|\p{Lu}))/u,
    claims: does,
    says: [
      "The train goes {through|via|over} Leeds. → train go $1 Leeds",
      "I go to {the|a|an old|my|our|her|his|their} gym. → user go $1 gym",
      "I go to Aldi. → user go Aldi",
    ],
    saysNot: ["I went to the gym."],
  },
  {
    name: "does it at a time",
    isLoose: true,
    is: "present",
    when: ({ lemma, isProgressive, rest }) =>
      NO_ACTIVITY.has(lemma) && !/^(?:be|have)$/.test(lemma) && !(isProgressive && isEvent(lemma)) &&
      maskValues(rest).values.length > 0,
    claims: does,
    says: ["I get up at 7 am. → user get up at 7 am"],
    saysNot: ["Invoices are payable in 20 days.", "I have salad at 1 pm.", "I get up early."],
  },
  {
    name: "does",
    isLoose: true,
    when: ({ lemma, form, isPassive, isProgressive }) =>
      !NO_ACTIVITY.has(lemma) && !(isProgressive && isEvent(lemma)) && (form !== "past" || isPassive),
    claims: does,
    says: [
      "I play the cello. → user play cello",
      "Tim {leads|manages|maintains|coaches|chairs|heads|oversees|supervises|teaches|directs|runs|handles} the team. → team {lead by Tim; Tim lead|manage by Tim; Tim manage|maintain by Tim; Tim maintain|coach by Tim; Tim coach|chair by Tim; Tim chair|head by Tim; Tim head|oversee by Tim; Tim oversee|supervise by Tim; Tim supervise|teach by Tim; Tim teach|direct by Tim; Tim direct|run by Tim; Tim run|handle by Tim; Tim handle} team",
      "Tim leads Atlas. → Atlas lead by Tim; Tim lead Atlas",
      "I'm learning the cello. → user learn cello",
      "The payroll is handled by Ben. → payroll handle by Ben",
    ],
    saysNot: ["I played the cello.", "I'm moving to Leeds."],
  },
];
