/** Guesses from a thing to a related one: from food to allergies, from bosses to their reports, from tools to activities. */
import type { Claim, Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { mark } from "./guess_draft.ts";
import { DOERS } from "./people_guesses.ts";
import { isPerson } from "./people_rules.ts";
import { isKindOf, isProper } from "./phrases.ts";
import { contentStems, isSameValue, stemsOf } from "./values.ts";
import { lemmaOfIng } from "./verbs.ts";

/** "Lena can drink milk again", "Ben may eat salt again", "Raj has two coffees a day now". */
function guessEaten(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew, form } = clause;
  if (isDenied || !isNew || form === "past" || !/^(?:eat|drink|have|tolerate|digest)$/.test(lemma)) return [];
  const food = upTo(rest);
  const stems = contentStems(food);
  const isOf = (value: string) =>
    stems.some((stem) => stemsOf(value.replaceAll("-", " ")).includes(stem)) || isKindOf(food, value);
  return [
    ...mark(clause, {
      predicates: ["is allergic to", "diet", "avoid", "skip"],
      value: food,
      outdates: ({ value, polarity }) => polarity && isOf(value),
    }),
    ...mark(clause, {
      predicates: ["eats", "drink"],
      value: food,
      outdates: ({ value, polarity }) => !polarity && isOf(value),
    }),
  ];
}

/** "My arm has healed" after "I have a broken arm". */
function guessHealed(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, form, subjectText } = clause;
  const owned = /^(.+)'s (\p{Ll}+)$/u.exec(subjectText);
  const isWell = form === "past" && /^(?:heal|recover|fix|repair|mend)$/.test(lemma) ||
    lemma === "be" && /^(?:fine|healed|okay|fixed|better)\b/iu.test(rest);
  if (isDenied || owned === null || !isWell) return [];
  const bad = /\b(?:broken|sprained|sore|flat|injured|swollen|bad|leaking|bruised|twisted|torn)\b/iu;
  return mark(clause, {
    subject: owned[1]!,
    predicates: ["has"],
    value: `healed ${owned[2]}`,
    outdates: ({ value, polarity }) => polarity && bad.test(value),
  });
}

const CHIEFS = ["boss", "manager", "supervisor", "team lead", "lead"];
const AIDES = ["assistant", "secretary", "employee", "driver", "nanny", "agent", "lawyer", "trainer", "deputy"];
const LODGERS = ["roommate", "flatmate", "housemate", "neighbour", "lodger", "tenant"];
/** "I report to Dana now", "Mark no longer works for Ellen", "Sara stopped mentoring me", "Tom moved out". */
function guessBond(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew, hasEnded, form, subjectText, speaker } = clause;
  const roles = (owner: string, names: readonly string[], value: string, outdates: (older: Claim) => boolean) =>
    names.flatMap((name) => mark(clause, { subject: `${owner}${name}`, predicates: ["is"], value, outdates }));
  const isWho = ({ value, polarity }: Claim) => polarity && isSameValue(value, subjectText);
  const chief = lemma === "report" && isNew && !isDenied ? /^to (\p{Lu}.*)$/u.exec(upTo(rest))?.[1] : undefined;
  if (chief !== undefined) {
    return roles(`${subjectText}'s `, CHIEFS, chief, ({ value, polarity }) => polarity && !isSameValue(value, chief));
  }
  if (!isPerson(clause)) return [];
  const former = lemma === "work" && isDenied && hasEnded
    ? /^(?:for|with) (me|us|\p{Lu}\p{L}+)[.!]?$/u.exec(rest)?.[1]
    : undefined;
  if (former !== undefined) {
    const owner = former === "me" ? `${speaker}'s ` : former === "us" ? "" : `${former}'s `;
    return roles(owner, [...AIDES, ...CHIEFS], "another person", isWho);
  }
  const stopped = /^(?:stop|quit|cease)$/.test(lemma) && form === "past"
    ? /^(\p{L}+ing) (me|us|\p{Lu}\p{L}+)[.!]?$/u.exec(rest)
    : null;
  const role = stopped === null ? undefined : DOERS[lemmaOfIng(stopped[1]!)];
  if (role !== undefined) {
    const owner = stopped![2] === "me" ? `${speaker}'s ` : stopped![2] === "us" ? "" : `${stopped![2]}'s `;
    return roles(owner, [role], "another person", isWho);
  }
  const isOut = lemma === "move" && form === "past" && !isDenied && /^(?:out|away)\b(?! of)/iu.test(rest);
  if (!isOut || subjectText === speaker || clause.subject === "we") return [];
  return [`${speaker}'s `, ""].flatMap((owner) => roles(owner, LODGERS, "another person", isWho));
}

/** "The pool is off limits for guests now", "dogs are welcome on the beach now". */
function guessAdmission(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew, subjectText } = clause;
  if (lemma !== "be" || !isNew || isDenied) return [];
  const closed = /^(?:off limits|closed|out of bounds) (?:for|to) (?:the |our |all )?(\p{Ll}+)[.!]?$/iu.exec(rest)?.[1];
  if (closed !== undefined) {
    return ["use", "enter", "visit"].flatMap((verb) =>
      mark(clause, {
        subject: closed,
        predicates: ["may"],
        value: `${verb} ${subjectText}`,
        outdates: ({ value, polarity }) =>
          polarity && contentStems(subjectText).every((stem) => stemsOf(value).includes(stem)),
      })
    );
  }
  const where = /^(?:welcome|admitted|let in) ?(.*)$/iu.exec(upTo(rest))?.[1];
  return where === undefined
    ? []
    : mark(clause, { predicates: ["may"], value: where, outdates: ({ polarity }) => !polarity });
}

const KEEPS = "store keep host save put hold track manage back have".split(" ");

/** Names after "in" that are no tool: languages, colours, states, places, months. */
export const NO_TOOL =
  /^(?:English|German|French|Spanish|Italian|Dutch|Polish|Russian|Chinese|Japanese|Latin|Blue|Red|Green|Black|White|Progress|Review|Draft|Europe|Germany|London|Paris|Berlin|Rome|(?:January|February|March|April|May|June|July|August|September|October|November|December))$/u;

/** "We chat on Teams now" after "our chat is Slack", "our files are in Drive now" after "we store files in Dropbox". */
function guessChannel(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew, isPassive, form, subjectText, speaker } = clause;
  if (isDenied || !isNew) return [];
  const means = /^(?:on|in|with|via|over|using|through|by) (\p{Ll}?\p{Lu}.*)$/u.exec(upTo(rest))?.[1];
  if (means === undefined) return [];
  const other = ({ value, polarity }: Claim) => {
    const old = /\b(?:on|in|with|via|over|using|through|by) (\p{Ll}?\p{Lu}.*)$/u.exec(value)?.[1];
    return polarity && old !== undefined && !NO_TOOL.test(old) && !isSameValue(old, means);
  };
  if (isPassive) {
    return mark(clause, { predicates: ["go", "run", "come", "work"], value: `through ${means}`, outdates: other });
  }
  if (lemma === "be" && !isPerson(clause)) {
    const object = subjectText.replace(/^.*'s /u, "");
    const stems = contentStems(object);
    const isOwn = !subjectText.includes("'s ") || subjectText === `${speaker}'s ${object}`;
    // Only the speaker's own notes and files count.
    if (!isOwn) return [];
    const keeps = /\bnotes$/iu.test(object) ? [...KEEPS, "take", "write", "make"] : KEEPS;
    const used = NO_TOOL.test(means) ? [] : mark(clause, {
      subject: speaker,
      predicates: ["uses"],
      value: means,
      outdates: ({ value, scope, polarity }) =>
        polarity && isProper(value) && !isSameValue(value, means) && stems.length > 0 &&
        stems.every((stem) => scope.split(" ").includes(stem)),
    });
    return [
      ...used,
      ...["we", speaker].flatMap((subject) =>
        mark(clause, {
          subject,
          predicates: keeps,
          value: `${object} in ${means}`,
          outdates: (older) => other(older) && stems.every((stem) => stemsOf(older.value).includes(stem)),
        })
      ),
    ];
  }
  if (form === "past" || !isPerson(clause)) return [];
  return ["", `${subjectText}'s `].flatMap((owner) =>
    [lemma, `${lemma} tool`, `${lemma} system`, `${lemma}er`].flatMap((what) =>
      mark(clause, {
        subject: `${owner}${what}`,
        predicates: ["is"],
        value: means,
        outdates: ({ value, polarity }) => polarity && isProper(value) && !isSameValue(value, means),
      })
    )
  );
}

/** Groups of people that a rule without a named group may be about. */
const RIGHT_HOLDERS = [
  "guests",
  "visitors",
  "you",
  "we",
  "users",
  "people",
  "employees",
  "staff",
  "students",
  "members",
  "tenants",
  "customers",
  "residents",
  "interns",
  "players",
  "kids",
  "children",
  "passengers",
  "patients",
];

/** "Smoking on the balcony is forbidden now": the statement does not say who may no longer do it. */
function guessForbidden(clause: Clause): Guessed[] {
  const { subjectText, lemma, rest, isDenied } = clause;
  const doing = /^(\p{L}+ing)\b ?(.*)$/iu.exec(subjectText);
  const isRule = /^(?:forbid|prohibit|ban|allow|permit)$/.test(lemma) && clause.isPassive ||
    lemma === "be" && /^(?:not )?(?:okay|ok|fine|illegal|legal|off limits|against the rules)\b/iu.test(rest);
  if (doing === null || !isRule) return [];
  const isAllowed = /^(?:allow|permit)$/.test(lemma) !== isDenied;
  return RIGHT_HOLDERS.flatMap((subject) =>
    mark(clause, {
      subject,
      predicates: ["may"],
      value: `${lemmaOfIng(doing[1]!)} ${doing[2]}`,
      outdates: ({ polarity, value }) =>
        polarity !== isAllowed && contentStems(doing[2]!).every((stem) => stemsOf(value).includes(stem)),
    })
  );
}

/** "I support Chelsea now": a person supports one club at a time. */
function guessFan(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew, form, subjectText } = clause;
  // Those who say "we support Ruby now" may support Python as well.
  if (isDenied || !isPerson(clause) || clause.subject === "we") return [];
  const club = form !== "past" && isNew && /^(?:support|root|cheer|vote|follow)$/.test(lemma)
    ? /^(?:for )?(?:the )?(\p{Lu}.*)$/u.exec(upTo(rest))?.[1]
    : undefined;
  if (club === undefined) return [];
  const isOther = ({ value, polarity }: Claim) =>
    polarity && isProper(value) && !isSameValue(value.replace(/^for (?:the )?/iu, ""), club);
  return [
    ...mark(clause, { predicates: [lemma], value: rest, outdates: isOther }),
    ...["team", "club", "football club", "football team", "party"].flatMap((what) =>
      mark(clause, {
        subject: `${subjectText}'s favourite ${what}`,
        predicates: ["is"],
        value: club,
        outdates: isOther,
      })
    ),
  ];
}

/** Guesses which older claims about related things a clause likely replaces. */
export function guessLinked(clause: Clause): Guessed[] {
  return [
    ...guessEaten(clause),
    ...guessHealed(clause),
    ...guessBond(clause),
    ...guessForbidden(clause),
    ...guessAdmission(clause),
    ...guessChannel(clause),
    ...guessFan(clause),
  ];
}
