/** Guesses about people: where they work, what they are, whom they are with. */
import { isTeam } from "./change_rules.ts";
import type { Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { endsOf, type Guess, make, mark } from "./guess_draft.ts";
import { isOccupation, isPerson } from "./people_rules.ts";
import { firstValue, isSameValue } from "./values.ts";

const OWN_BUSINESS =
  /^(?:set up|start|found|open|launch|run|have) (?:up )?(?:(?:my|his|her|their) own|an? own) (?:business|company|firm|agency|studio|practice|shop|startup)|^(?:work for (?:my|him|her|them)sel(?:f|ves))|^(?:be|go|become|turn) (?:self-employed|freelance|an? freelancer)/iu;
const EMPLOYED =
  /^(?:start|begin|get|take|find|land|accept|sign|go|come|jump|defect|switch|move|transfer|be|have|earn|join|hire|poach|snap|recruit|head|sell|loan|trade|leave)\b(?: (?:over|across|back|away|out|up|on|ship|working|work|a|an|the|new|better|job|gig|position|post|offer|role|contract|his|her|my|their|living|keep|from|aboard))* (?:at|to|with|for|by|from) (?:the )?(\p{Lu}.*)$/u;

/** "went over to SAP", "jumped ship to Monzo", "earns her living at Lindt", "has set up her own business". */
export function guessWork(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, form } = clause;
  if (isDenied || !isPerson(clause)) return [];
  const said = `${lemma} ${rest}`;
  const own = OWN_BUSINESS.test(said);
  const isEvent = form === "past" || clause.isNew || clause.isPerfect;
  const at = lemma === "be" && isEvent ? /^(?:at|with) (\p{Lu}.*)$/u.exec(rest)?.[1] : undefined;
  // "is working for Danone these days", "is a permanent employee at Ubisoft now"
  const employer0 = clause.isNew
    ? /^(?:work (?:at|for|with)|be (?:an? |the )?(?:\p{L}+ )*?(?:employee|developer|engineer|manager|staff|member of staff) (?:at|of|with)|be employed (?:by|at)) (\p{Lu}.*)$/u
      .exec(said)?.[1]
    : undefined;
  if (employer0 !== undefined) return employed(clause, upTo(employer0));
  if (at !== undefined) {
    return [
      make(clause, { respect: "employment", predicate: "works at", value: upTo(at) }),
      ...employed(clause, upTo(at)),
    ];
  }
  if (
    /^(?:take|go into|opt for|enter|choose) (?:early |an early )?(?:retirement|redundancy|severance)\b/iu.test(said)
  ) {
    return [make(clause, { respect: "employment", predicate: "works at", value: "", polarity: false })];
  }
  const place = isEvent ? EMPLOYED.exec(said)?.[1] : undefined;
  const working = form === "past"
    ? /^(?:start|begin) (?:working|work|a job) (?:at|for|in|with) (.+)$/iu.exec(said)?.[1]
    : undefined;
  const employer = own ? "own business" : place ?? working;
  if (employer === undefined || firstValue(employer)?.kind === "day" || isTeam(employer)) return [];
  // "moved to Lyon" names a town, "switched to Firefox" a tool.
  if (
    !own && /^(?:move|switch|be|have|transfer|come|head)$/.test(lemma) &&
    !/\b(?:job|gig|post|position|living|ship|working)\b/iu.test(said)
  ) {
    return [];
  }
  return [
    make(clause, { respect: "employment", predicate: "works at", value: upTo(employer) }),
    make(clause, { respect: "membership", predicate: "plays for", value: upTo(employer) }),
    make(clause, { respect: "status", predicate: "status", value: "employed" }),
    ...employed(clause, upTo(employer)),
  ];
}

const PROFESSIONS = [
  "teach",
  "lecture",
  "nurse",
  "cook",
  "practise",
  "research",
  "intern",
  "volunteer",
  "coach",
  "work",
];

/** If somebody works for an employer now, older claims that they taught elsewhere or worked for themselves are outdated. */
function employed(clause: Clause, employer: string): Guessed[] {
  return [
    ...mark(clause, {
      predicates: PROFESSIONS,
      value: `at ${employer}`,
      outdates: ({ value, polarity, scope }) => {
        const at = /\b(?:at|for) (\p{Lu}.*)$/u.exec(value)?.[1];
        return polarity && scope === "" && at !== undefined && !isSameValue(at, employer);
      },
    }),
    ...mark(clause, {
      predicates: ["status"],
      value: `employed at ${employer}`,
      outdates: ({ value, polarity }) =>
        polarity &&
        /^(?:self-employed|freelance|freelancing|unemployed|jobless|out of work|between jobs|looking for (?:work|a job)|retired)\b/iu
          .test(value),
    }),
    ...mark(clause, {
      predicates: ["freelance"],
      value: `at ${employer}`,
      outdates: ({ value, polarity }) => polarity && value === "",
    }),
  ];
}

/** Offices, each with the word for its holder. */
const OFFICES: Readonly<Record<string, string>> = {
  ownership: "owner",
  leadership: "leader",
  captaincy: "captain",
  presidency: "president",
  management: "manager",
  chairmanship: "chair",
  maintenance: "maintainer",
};

/** Matches states of people who do not work. */
const IDLE =
  /^(?:retired|unemployed|jobless|out of work|sick|ill|on (?:\p{L}+ )?leave|on holiday|on strike|off work)\b/iu;

/** "has been made engineering manager", "was elected president of the club", "moved up to president". */
export function guessRole(clause: Clause): Guessed[] {
  const { lemma, rest, form, isPassive, isProgressive, isDenied } = clause;
  if (isDenied || isProgressive) return [];
  if (form === "past" && /^(?:go|come|get|return) (?:back )?to work\b/iu.test(`${lemma} ${rest}`)) {
    return mark(clause, {
      predicates: ["status"],
      value: "working",
      outdates: ({ value, polarity }) => polarity && IDLE.test(value),
    });
  }
  if (lemma === "be" && /^(?:retired|a pensioner|unemployed|out of work)\b/iu.test(rest)) {
    return mark(clause, { predicates: ["works as"], value: rest, outdates: ({ polarity }) => polarity });
  }
  if (
    form === "past" && !isPassive &&
    /^(?:(?:step|stand) (?:down|back|aside)|resign|retire)[.!]?$/iu.test(`${lemma} ${rest}`.trim())
  ) {
    return [make(clause, { respect: "role", predicate: "works as", value: "", polarity: false })];
  }
  const resigned = form === "past" && !isPassive
    ? /^hand in (?:my|his|her|their) (?:resignation|notice) as (?:the |our )?(.+)$/iu.exec(upTo(`${lemma} ${rest}`))
      ?.[1]
    : undefined;
  if (resigned !== undefined) {
    return [
      make(clause, { respect: "role", predicate: "works as", value: resigned, polarity: false }),
      ...mark(clause, {
        subject: resigned,
        predicates: ["is"],
        value: "another person",
        outdates: ({ value, polarity }) => polarity && isSameValue(value, clause.subjectText),
      }),
    ];
  }
  const handed = form === "past" && !isPassive && !/^from /iu.test(rest)
    ? /^(?:hand|pass|give|turn|transfer|sign)(?: over| on)? (?:the |our )?(.+?) (?:over |on )?to (\p{Lu}.+)$/u.exec(
      `${lemma} ${rest}`,
    )
    : null;
  if (handed !== null) {
    const to = { value: upTo(handed[2]!), subject: handed[1]!, change: "handed_over" } as const;
    return [
      make(clause, { ...to, respect: "attribute", predicate: "is" }),
      make(clause, { ...to, respect: "activity", predicate: "lead", value: `by ${to.value}` }),
    ];
  }
  const office = /^(ownership|leadership|captaincy|presidency|management|chairmanship|maintenance) of (?:the )?(.+)$/iu
    .exec(clause.subjectText);
  if (office !== null && / to \p{Lu}/u.test(` ${rest}`)) {
    const value = upTo(/\bto (\p{Lu}.+)$/u.exec(rest)![1]!);
    const subject = `${OFFICES[office[1]!.toLowerCase()]} of ${office[2]}`;
    return [make(clause, { respect: "attribute", predicate: "is", value, subject, change: "handed_over" })];
  }
  const event = form === "past" || clause.isNew;
  const to = event
    ? /^(?:(?:up|over|on|back|in) )?(?:to|as|into) (?:being )?(?:an? |the |our )?(.+)$/iu.exec(rest)?.[1] ??
      ((isPassive || lemma === "make") &&
          /^(?:make|elect|name|appoint|choose|vote|crown|hire|take|promote)$/.test(lemma)
        ? rest.replace(/^(?:an? |the |our |on as )/iu, "")
        : undefined) ??
      undefined
    : undefined;
  const asRole = /^.{1,60}? as (?:an? |the |our )?(.+)$/iu.exec(rest)?.[1];
  const works = lemma === "work" ? /^as (?:an? |the )?(.+)$/iu.exec(rest)?.[1] : undefined;
  const is = lemma === "be" && clause.isNew ? /^(?:an? |the |our )(.+)$/iu.exec(rest)?.[1] : undefined;
  const role = upTo(to ?? works ?? asRole ?? is ?? "");
  if (role === "" || !isOccupation(role) || !isPerson(clause)) return [];
  const holder = { respect: "role", predicate: "is", value: clause.subjectText, change: "handed_over" } as const;
  const title = role.replace(/^(?:my|our) /iu, "");
  const lesser = ["acting", "interim", "deputy", "vice", "assistant", "junior", "trainee", "associate"].flatMap((
    rank,
  ) =>
    mark(clause, {
      subject: `${rank} ${title}`,
      predicates: ["is"],
      value: title,
      outdates: ({ value, polarity }) => polarity && isSameValue(value, clause.subjectText),
    })
  );
  return [
    ...lesser,
    make(clause, { respect: "role", predicate: "works as", value: role }),
    make(clause, { ...holder, subject: title }),
    make(clause, { ...holder, subject: title, respect: "attribute" }),
  ];
}

const PARTNER = /\b(?:girlfriend|boyfriend|partner|wife|husband|fianc\u00e9e?|fiancee?|spouse)\b/iu;

/** "tied the knot", "has a girlfriend now", "are not together any more". */
export function guessRelation(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied } = clause;
  const said = `${lemma} ${rest}`;
  const state = /^(?:tie the knot|elope|get hitched|say yes|walk down the aisle|wed)\b/iu.test(said)
    ? "married"
    : /^(?:part|part ways|part company|break it off|call it off|call off|go (?:our|their) separate ways|end things|split|separate|get (?:a )?divorced?|file for divorce|fall out|end (?:the|our|their) (?:relationship|marriage|engagement))\b/iu
        .test(said) ||
        (isDenied && clause.hasEnded &&
          /^be (?:together|a couple|an item|with \p{Lu}\p{L}+|married|engaged|dating)\b/u.test(said)) ||
        (!isDenied && /^be (?:history|separated|divorced|exes)\b/iu.test(said))
    ? "split up"
    : !isDenied && (clause.isNew || clause.form === "past") &&
        /^(?:have|meet|find|get|live with|be living with|see)\b/iu.test(said) && PARTNER.test(rest)
    ? "in a relationship"
    : null;
  if (lemma === "be" && !isDenied && clause.isNew && /^(?:single|divorced|separated|widowed)\b/iu.test(rest)) {
    return ["boyfriend", "girlfriend", "partner", "wife", "husband", "fiancé"].flatMap((partner) =>
      mark(clause, { predicates: ["has"], value: partner, outdates: ({ polarity }) => polarity })
    );
  }
  if (!isDenied && /^remarry\b/iu.test(said)) {
    return mark(clause, {
      predicates: ["relationship"],
      value: "married",
      outdates: ({ value, polarity }) => polarity && /^(?:single|widowed|an? widow|divorced|separated)/iu.test(value),
    });
  }
  if (state === null) return [];
  const subjects = clause.subjectText.split(/ and /iu).filter((one) => one !== "");
  const people = subjects.map((subject) => /^(?:i|me)$/iu.test(subject) ? clause.speaker : subject);
  return people.flatMap((subject, i) => [
    make(clause, { respect: "relation", predicate: "relationship", value: state, subject }),
    ...(state === "split up" && people.length === 2 ? endsOf(clause, subject, people[1 - i]!) : []),
  ]);
}

/** Verbs, each with the role of a person who does this for somebody. */
export const DOERS: Readonly<Record<string, string>> = {
  coach: "coach",
  manage: "manager",
  teach: "teacher",
  mentor: "mentor",
  supervise: "supervisor",
  tutor: "tutor",
  treat: "doctor",
  represent: "lawyer",
  train: "trainer",
  advise: "adviser",
};

/** "Olaf coaches me now". */
export function guessDoer({ lemma, rest, speaker, subjectText, isNew, isDenied }: Clause): Guess[] {
  const doer = DOERS[lemma];
  const whom = /^(me|us|\p{Lu}\p{L}+)[.!]?$/u.exec(rest)?.[1];
  if (doer === undefined || whom === undefined || !isNew || isDenied) return [];
  const owner = whom === "me" ? `${speaker}'s ` : whom === "us" ? "our " : `${whom}'s `;
  return [{ respect: "role", predicate: "is", value: subjectText, subject: owner + doer, change: "handed_over" }];
}

/** Matches words for when, how long or in which way somebody works. */
const WORK_TIME =
  /\b(?:shifts?|nights?|days?|mornings?|evenings?|weekends?|time|freelance|remote|solo|independent|hours)\b/iu;

/** "moved to payments", "switched to day shifts": where somebody works, what they study, or to what they belong now. */
export function guessMoved(clause: Clause): Guess[] {
  const { lemma, rest, form, isDenied } = clause;
  if (
    isDenied || form !== "past" ||
    !/^(?:move|switch|change|transfer|go|put|reassign|assign|promote|relegat|demote|second)$/.test(lemma) ||
    !isPerson(clause) && !isTeam(clause.subjectText)
  ) {
    return [];
  }
  const to = /^(?:over |across |back )?(?:to|into|(?<=^)on) (.+)$/iu.exec(rest)?.[1] ??
    (lemma === "go" ? /^((?:full|part)[- ]time|freelance|remote|solo|independent)\b/iu.exec(rest)?.[1] : undefined);
  if (to === undefined || /\b(?:floor|room|building|hall)\b/iu.test(to) || firstValue(to) !== undefined) return [];
  const value = upTo(to);
  const began = { change: "began" } as const;
  return [
    { respect: "membership", predicate: "is a member of", value },
    ...["study", "play", ...(WORK_TIME.test(value) ? ["work"] : [])]
      .map((predicate): Guess => ({ respect: "activity", predicate, value, ...began })),
    ...["in", "on"].map((at): Guess => ({ respect: "activity", predicate: "work", value: `${at} ${value}`, ...began })),
  ];
}

/** "Adele isn't my favourite singer any more", "Zoe is my lab partner now". */
export function guessHeld(clause: Clause): Guess[] {
  const { lemma, rest, subjectText, speaker, isDenied, isNew, hasEnded } = clause;
  const held = lemma === "be" && (isNew || hasEnded)
    ? /^(?:(my|our|the)|(\p{Lu}[\p{L}-]*'s)) (.+)$/u.exec(upTo(rest))
    : null;
  if (held === null) return [];
  const owner = held[1] === "my" ? `${speaker}'s ` : held[2] === undefined ? "" : `${held[2]} `;
  const subject = owner + held[3];
  return (["attribute", "role", "preference"] as const)
    .map((respect) => ({ respect, predicate: "is", value: subjectText, subject, polarity: !isDenied }));
}
