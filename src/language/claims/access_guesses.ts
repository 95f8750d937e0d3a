/** Guesses about rights and duties that two statements express in different words. */
import type { Claim, Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { mark } from "./guess_draft.ts";
import { differsInNumbers } from "./phrases.ts";
import { contentStems, stemsOf } from "./values.ts";

/** Verbs for what a person with access to something may do with it. */
const LOOKS = "see view read edit use open query change access enter".split(" ");

interface Access {
  readonly owner: string;
  readonly thing: string;
  readonly isGained: boolean;
}

const ACCESS_TO = /^(?:(?:my|our|his|her|their|any|all|the|full) )*access to (?:the |our |my )?(.+)$/iu;

/** Reads who has lost or gained access to what. Returns null if the clause names no such change. */
function accessOf(clause: Clause): Access | null {
  const { lemma, rest, isDenied, isPassive, subjectText, form } = clause;
  const thing = ACCESS_TO.exec(upTo(rest).replace(/^back /iu, ""))?.[1]?.replace(/[.!]+$/u, "");
  if (thing !== undefined) {
    const isLost = lemma === "lose" && form === "past" && !isDenied || lemma === "have" && isDenied && clause.hasEnded;
    const gains = isPassive ? /^(?:give|grant)$/ : /^(?:get|gain|receive|obtain)$/;
    const isGained = !isDenied && (gains.test(lemma) ? form === "past" : lemma === "have" && clause.isNew);
    return isLost || isGained ? { owner: subjectText, thing, isGained } : null;
  }
  // "Zoe's access to the salary data was revoked"
  const owned = /^(.+)'s access to (?:the |our )?(.+)$/iu.exec(subjectText);
  const isTaken = isPassive && !isDenied && /^(?:revoke|remove|withdraw|take|cancel|disable)$/.test(lemma);
  return owned !== null && isTaken && !GIVEN_BACK.test(rest)
    ? { owner: owned[1]!, thing: owned[2]!, isGained: false }
    : null;
}

/** "Zoe has lost her access to the salary data" after "Zoe can see the salary data", and the other way round. */
function guessAccessChange(clause: Clause): Guessed[] {
  const access = accessOf(clause);
  if (access === null) return [];
  const stems = contentStems(access.thing);
  // "The files" alone does not say which files: the older statement may be about others.
  if (stems.length === 0) return [];
  return ["", ...LOOKS].flatMap((verb) =>
    mark(clause, {
      subject: access.owner,
      predicates: ["may"],
      value: verb === "" ? `access to ${access.thing}` : `${verb} ${access.thing}`,
      outdates: ({ value, polarity }) =>
        polarity !== access.isGained && stems.every((stem) => stemsOf(value).includes(stem)),
    })
  );
}

const NOBODY = /\b(?:hardly|nobody|no one|few)\b/iu;
/** Matches words that may say that somebody gave the right back, or took it only for a while. */
const GIVEN_BACK = /,|\band\b|\b(?:until|temporarily|mistake|accident|for an?)\b/iu;
const OWNED_RIGHT = /^(?:the )?(.+?)(?:'s|(?<=s)') ((?:\S+ )?(?:rights?|access|permissions?))$/iu;

/** "We took away Hugo's admin rights" and "Hugo had his admin rights taken away" after "Hugo has admin rights". */
function guessTakenAway(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isPassive, form, subjectText } = clause;
  if (isDenied || form !== "past" || !/^(?:take|revoke|remove|withdraw)$/.test(lemma)) return [];
  if (NOBODY.test(subjectText) || GIVEN_BACK.test(rest)) return [];
  const what = rest.replace(/[.!]+$/u, "").replace(/^away | away$/iu, "");
  const said = OWNED_RIGHT.exec(isPassive ? subjectText : what);
  if (said === null || isPassive && lemma === "take" && !/^away\b/iu.test(rest)) return [];
  const stems = stemsOf(said[2]!);
  return mark(clause, {
    subject: said[1]!,
    predicates: ["may"],
    value: said[2]!,
    outdates: ({ value, polarity }) => polarity && stems.every((stem) => stemsOf(value).includes(stem)),
  });
}

const CLEARED = /^(?:cleared|entitled|authori[sz]ed|free|permitted|eligible|licensed|qualified) to (.+)$/iu;
const GIVEN = /^(?:the |our |my )?(?:permission|the right|the go-ahead|clearance|authori[sz]ation) to (.+)$/iu;

const GRANTS = /^(?:get|receive|obtain|give|grant|have)$/;

/** "Emma has been cleared to drive the van" and "Emma drives the van now" after "Emma isn't allowed to drive the van". */
function guessCleared(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isPassive, form } = clause;
  if (isDenied) return [];
  const isNow = clause.isNew || clause.isPerfect || form === "past";
  const deed = isPassive && /^(?:clear|entitle|authori[sz]e|permit|license|qualify)$/.test(lemma)
    ? /^to (.+)$/iu.exec(upTo(rest))?.[1]
    : lemma === "be" && isNow
    ? CLEARED.exec(upTo(rest))?.[1]
    : GRANTS.test(lemma) && isNow && (isPassive || !/^(?:give|grant)$/.test(lemma))
    ? GIVEN.exec(upTo(rest))?.[1]
    : clause.isNew && form !== "past" && clause.modal === null
    ? `${lemma} ${upTo(rest)}`
    : undefined;
  if (deed === undefined) return [];
  const stems = stemsOf(deed).join(" ");
  return mark(clause, {
    predicates: ["may"],
    value: deed,
    outdates: ({ value, polarity, scope }) => !polarity && scope === "" && stemsOf(value).join(" ") === stems,
  });
}

/** "Stop booking meetings for me" after "you can book meetings for me", as `instructions.ts` words it: "you no longer book …". */
function guessUnwanted(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, hasEnded, subject, speaker } = clause;
  if (subject !== "you" || !isDenied || !hasEnded || rest === "") return [];
  // A ban with a limit ends only a right with the same limit.
  const stems = stemsOf(rest).filter((stem) => stem !== "for" && stem !== "to");
  if (contentStems(rest).length === 0) return [];
  const isOf = ({ value, scope }: Claim) =>
    stems.every((stem) => stemsOf(value).includes(stem) || scope.split(" ").includes(stem));
  return [
    ...mark(clause, {
      predicates: ["may"],
      value: `${lemma} ${upTo(rest)}`,
      outdates: (older) => older.polarity && stemsOf(older.value)[0] === stemsOf(lemma)[0] && isOf(older),
    }),
    ...mark(clause, { predicates: [lemma], value: upTo(rest), outdates: (older) => older.polarity && isOf(older) }),
    ...mark(clause, {
      subject: speaker,
      predicates: ["likes", "wants", "prefers"],
      value: upTo(rest).replace(/^(?:me|us) /iu, ""),
      outdates: (older) => older.polarity && isOf(older),
    }),
  ];
}

/** "The kids have to be home by ten now" after "the kids have to be home by nine". */
function guessOtherDuty(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew, isPast } = clause;
  const duty = lemma === "have" && isNew && !isDenied && !isPast ? /^to (.+)$/iu.exec(upTo(rest))?.[1] : undefined;
  return duty === undefined ? [] : mark(clause, {
    predicates: ["must"],
    value: duty,
    outdates: ({ value, polarity }) => polarity && differsInNumbers(duty, value),
  });
}

/** Guesses which older claims about rights and duties a clause likely replaces. */
export function guessRights(clause: Clause): Guessed[] {
  return [
    ...guessAccessChange(clause),
    ...guessTakenAway(clause),
    ...guessCleared(clause),
    ...guessOtherDuty(clause),
    ...guessUnwanted(clause),
  ];
}
