/** Makes guesses, and lists the claims that may end with a thing which a clause names. */
import { type Claim, type Guessed, NAMELESS, type Respect } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { keyOfSubject, showSubject } from "./subject.ts";
import { cleanValue, contentStems, stemsOf } from "./values.ts";
import { findVerb, lemmaOfIng } from "./verbs.ts";

/** Too low to end an older statement: a guess only marks it as likely outdated. */
const CONFIDENCE = 0.6;

export interface Guess {
  readonly respect: Respect;
  readonly predicate: string;
  readonly value: string;
  readonly polarity?: boolean;
  readonly subject?: string;
  readonly change?: Claim["change"];
  readonly from?: string | null;
}

/** Makes the claim that a guess is about. What the guess leaves out comes from the clause. */
export function make(clause: Clause, guess: Guess): Claim {
  const subject = guess.subject ?? clause.subjectText;
  return {
    subject: showSubject(subject),
    subjectKey: guess.subject === undefined ? clause.subject : keyOfSubject(subject),
    respect: guess.respect,
    predicate: guess.predicate,
    value: cleanValue(guess.value),
    polarity: guess.polarity ?? true,
    change: guess.change ?? (guess.polarity === false ? "ended" : "replaced"),
    from: guess.from ?? null,
    scope: guess.polarity === false ? "" : [...stemsOf(clause.lead)].sort().join(" "),
    isAddition: false,
    confidence: CONFIDENCE,
  };
}

const RESPECT_OF: Readonly<Record<string, Respect>> = {
  "lives in": "residence",
  "lives with": "residence",
  "works at": "employment",
  "works as": "role",
  uses: "tool",
  has: "possession",
  likes: "preference",
  prefers: "preference",
  wants: "preference",
  "is a member of": "membership",
  "is called": "name",
  "is allergic to": "diet",
  eats: "diet",
  diet: "diet",
  relationship: "relation",
  happens: "time",
  status: "status",
  is: "attribute",
  may: "permission",
  must: "permission",
};

/** A value that a clause gives a subject under several predicates, and a test for the claims that it outdates. */
interface Marking {
  readonly subject?: string;
  readonly predicates: Iterable<string>;
  /** The new value. */
  readonly value: string;
  readonly outdates: (older: Claim) => boolean;
}

/** Makes one guess for each predicate under which the older claim may have been stored. `outdates` decides about each older claim. */
export function mark(clause: Clause, { predicates, outdates, ...said }: Marking): Guessed[] {
  return [...predicates].map((predicate) => ({
    ...make(clause, { ...said, predicate, respect: RESPECT_OF[predicate] ?? "activity" }),
    outdates,
  }));
}

/** The respects and predicates of claims that can end with a thing. */
const ENDABLE: readonly (readonly [Respect, string])[] = [
  ["tool", "uses"],
  ["possession", "has"],
  ["employment", "works at"],
  ["residence", "lives in"],
  ["residence", "lives with"],
  ["membership", "is a member of"],
  ["membership", "plays for"],
  ["preference", "likes"],
  ["preference", "wants"],
  ["preference", "prefers"],
  ["diet", "eats"],
  ["diet", "diet"],
  ["role", "works as"],
  ["relation", "relationship"],
  ["attribute", "is"],
  ["diet", "is allergic to"],
  ["time", "happens"],
  ["status", "status"],
];
/**
 * Verbs for what people may have done with a thing that they give up, if its name does not show it.
 */
const DONE_WITH =
  "have do follow drink eat learn play study practise write read build watch make take run sing go attend teach organise order pay drive ride rent collect subscribe deploy chat send package host monitor keep store back navigate talk track plan edit test rely work bank shop travel smoke wear dance perform act serve row volunteer train ski compete enrol enroll scan print bill ship develop code design draw listen search"
    .split(" ");

/** Things that belong to members or customers. */
const PAPERS = ["membership", "subscription", "account", "contract", "licence", "pass", "plan", "ticket"];
/** Personal things that a statement may identify by their model: "Luca's phone is a Pixel". */
const OWN_THINGS =
  "phone car bike laptop computer tablet camera watch bank doctor home hobby sport instrument browser editor club school gym team"
    .split(" ");

/** The stems of the words for a person who does something for a living: "teacher", "actor", "nurse". */
function agentsOf(verb: string): string[] {
  return [`${verb.replace(/e$/u, "")}er`, `${verb}or`, ...(verb.endsWith("e") ? [verb] : [])].flatMap(stemsOf);
}

/** Guesses all claims that may end with a thing. */
export function endsOf(clause: Clause, subject: string, thing: string): Guessed[] {
  const value = cleanValue(thing);
  if (contentStems(value).length === 0) return [];
  const gone = { value, polarity: false, subject } as const;
  const words = value.toLowerCase().split(" ");
  const papers = PAPERS.map((paper): Guess => ({
    ...gone,
    respect: "possession",
    predicate: "has",
    value: `${value} ${paper}`,
  }));
  const owned = OWN_THINGS.map((one) => ({ ...gone, subject: `${subject} ${one}` }));
  const doing = words.flatMap((word, i): Guess[] => {
    const lemma = word.endsWith("ing") ? lemmaOfIng(word) : findVerb(word)?.lemma;
    const rest = words.toSpliced(i, 1).join(" ");
    return lemma === undefined ? [] : [{ ...gone, respect: "activity", predicate: lemma, value: rest }];
  });
  const uses = ["use", "drive", "ride"].map((verb): Guess => ({
    ...gone,
    respect: "permission",
    predicate: "may",
    value: `${verb} ${value}`,
  }));
  const right = /^(?:right|permission|licen[cs]e|authori[sz]ation|ability) (?:to|for) (.+)$/iu.exec(value)?.[1];
  return [
    ...ENDABLE.map(([respect, predicate]) => make(clause, { ...gone, respect, predicate })),
    ...DONE_WITH.map((predicate) => make(clause, { ...gone, respect: "activity", predicate })),
    ...[...papers, ...uses].map((one) => make(clause, one)),
    // "has left teaching" after "is a teacher"
    ...mark(clause, {
      subject,
      predicates: doing.length > 0 ? ["works as"] : [],
      value: `not ${value}`,
      outdates: ({ value: role, polarity }) =>
        polarity &&
        doing.some(({ predicate, value: rest }) =>
          rest === "" && agentsOf(predicate).some((agent) => stemsOf(role).includes(agent))
        ),
    }),
    // "the key to the safe"
    ...mark(clause, {
      subject,
      predicates: ["has"],
      value: `not ${value}`,
      outdates: ({ value: old, scope, polarity }) =>
        polarity && stemsOf(value).every((stem) => stemsOf(old).includes(stem) || scope.split(" ").includes(stem)),
    }),
    ...owned.map((one) => make(clause, { ...one, respect: "attribute", predicate: "is" })),
    ...doing.filter(({ value }) => value !== "" || words.length === 1).map((one) => make(clause, one)),
    ...(right === undefined ? [] : [
      make(clause, {
        ...gone,
        respect: "permission",
        predicate: "may",
        value: right.replace(/ (?:to|for) .*$/iu, ""),
      }),
    ]),
  ];
}

/**
 * The subjects that a clause may be about: its own, and the people that its own stands for, such as a family or "they".
 */
export function subjectsFor({ subjectText, subject }: Clause): string[] {
  const owner = /^(.+?)'s (?:whole |entire )?family$/u.exec(subjectText)?.[1];
  const group = /^(?:they|someone|somebody)$/.test(subject) ? ["we", NAMELESS] : [];
  const each = / and /u.test(subjectText)
    ? subjectText.split(/ and /u).filter((one) => /^\p{Lu}|^user$/u.test(one))
    : [];
  return [
    subjectText,
    ...(owner === undefined ? [] : [owner]),
    ...group,
    ...(subject === "we" ? [NAMELESS] : []),
    ...each,
  ];
}
