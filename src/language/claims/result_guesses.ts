/** Guesses about the results of acts: the state of a thing after an act. */
import type { Claim, Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { EVENT_STATES } from "./event_rules.ts";
import { mark } from "./guess_draft.ts";
import { contrastsStatus } from "./phrases.ts";
import { findState } from "./states.ts";
import { keyOfSubject } from "./subject.ts";
import { pastOf } from "./verbs.ts";

/** States that an act brings about, besides those that the rules know. */
const RESULTS: Readonly<Record<string, string>> = {
  ...EVENT_STATES,
  charge: "full",
  refill: "full",
  restock: "in stock",
  refuel: "full",
  empty: "empty",
  clean: "clean",
  wash: "clean",
  dismiss: "closed",
  discard: "cancelled",
  drop: "cancelled",
  reboot: "running",
  restart: "running",
  arrive: "delivered",
  book: "booked",
  occupy: "occupied",
  vacate: "vacant",
  rent: "taken",
  let: "taken",
  hire: "filled",
  staff: "filled",
  ratify: "approved",
  confirm: "approved",
  launch: "live",
  release: "released",
  rehire: "employed",
  block: "blocked",
  damage: "broken",
  crash: "down",
  cure: "recovered",
  mend: "fixed",
  replace: "fixed",
  wake: "awake",
  thaw: "thawed",
  wind: "finished",
  conclude: "finished",
  find: "found",
  accept: "accepted",
  grant: "granted",
  submit: "submitted",
  file: "filed",
  wrap: "finished",
  dry: "dry",
  buy: "sold",
  expire: "expired",
  lapse: "expired",
  fail: "failed",
  die: "dead",
  succeed: "completed",
  end: "finished",
};
/** States in which a thing does not work. */
const IDLE =
  /^(?:on (?:\p{L}+ )?leave|closed|shut|down|offline|out of (?:order|service|use)|out: of .*|broken|suspended|paused|on hold|on strike|blocked|frozen|dry|read-only|stuck|jammed|cut off|unavailable|locked|dead|off|empty|inactive|idle|in (?:maintenance|repair)\b.*|under (?:maintenance|renovation|repair)|not working)\b/iu;

/** "The museum welcomes visitors again": it is not closed. */
function guessAgain(clause: Clause): Guessed[] {
  const { lemma, rest, isAgain, isDenied, form } = clause;
  if (!isAgain || isDenied || lemma === "be" || (form === "past" && clause.modal === null && !clause.isUnderWay)) {
    return [];
  }
  const value = `${lemma} ${rest}`;
  return [
    ...mark(clause, {
      predicates: ["status", "is"],
      value,
      outdates: (older) => older.polarity && IDLE.test(older.value),
    }),
    ...mark(clause, {
      predicates: [
        "discontinue",
        "cancel",
        "freeze",
        "block",
        "suspend",
        "lock",
        "cut",
        "stop",
        "close",
        "shut",
        "disable",
      ],
      value,
      outdates: (older) => older.polarity && /^(?:off|down|out)?$/iu.test(older.value),
    }),
  ];
}

/** "The street is open to traffic again", "the project has entered the build phase". */
function guessNow(clause: Clause): Guessed[] {
  const { lemma, rest, isNew, isDenied } = clause;
  if (isDenied) return [];
  const phase = /^(?:enter|reach|move into|go into|move on to) (?:the |its )?(.+ (?:phase|stage))\b/iu
    .exec(`${lemma} ${rest}`)?.[1];
  if (phase !== undefined) {
    return mark(clause, {
      predicates: ["status"],
      value: `in the ${phase}`,
      outdates: ({ value, polarity }) => polarity && /\b(?:phase|stage)\b/iu.test(value) && !value.includes(phase),
    });
  }
  const found = lemma === "be" && isNew ? findState(rest) : null;
  if (found === null || !/^(?:(?:to|for) .*)?[.!]?$/iu.test(found.rest)) return [];
  return mark(clause, {
    predicates: ["status"],
    value: rest,
    outdates: ({ value, polarity, scope }) =>
      polarity && scope === "" && !value.includes(": ") && contrastsStatus(found.state, value),
  });
}

/** "We made the repo public": the thing is in another state. */
function guessMade(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied, isPassive, subjectText, speaker } = clause;
  if (isDenied || form !== "past" || !/^(?:make|set|declare|leave|turn|cut|dye|wash)$/.test(lemma)) return [];
  const made = isPassive
    ? [subjectText, /^(\p{Ll}+)[.!]?$/u.exec(rest)?.[1]]
    : (/^(?:the |our |(my )?)(.+?) (\p{Ll}+)[.!]?$/u.exec(rest)?.slice(1) ?? []);
  const [whose, what, state] = isPassive ? [undefined, ...made] : made;
  if (what === undefined || state === undefined) return [];
  return mark(clause, {
    subject: whose === undefined ? what : `${speaker}'s ${what}`,
    predicates: ["status", "is"],
    value: state,
    outdates: ({ value, polarity }) => polarity && contrastsStatus(state, value),
  });
}

/** Matches nouns for work that goes on: "the kitchen renovation is done", "work on the project has resumed". */
const GOING_ON =
  /^(?:(?:work|renovations?|repairs?|construction|maintenance|testing|treatment|building) (?:on|of|at|in|for) (?:the )?(.+)|(?!new )(.+?) (?:renovations?|repairs?|construction|maintenance|works?|refurbishment|upgrade|migration))$/iu;

/** Makes a test: does an older claim name a state that has ended, because the thing is in another state now? */
function isOtherState(state: string, ofWork: boolean): (older: Claim) => boolean {
  return ({ value, polarity, scope }) => {
    if (!polarity || scope !== "") return false;
    if (ofWork && /^(?:finished|completed|closed)$/.test(state)) {
      return /^(?:being \p{L}+|under (?:construction|renovation|repair|maintenance)|in (?:maintenance|repair)|closed)/iu
        .test(value);
    }
    return contrastsStatus(state, value);
  };
}

/** Matches the reason or the duration of a state, which is the present state all the same. */
const LASTING =
  /^(?:(?:for (?:good|the (?:season|summer|winter|year|holidays))|due to|because of|indefinitely|permanently|to (?:traffic|the public|visitors))\b.*)?[.!]?$/iu;
/** Verbs and the earlier deed that each of them undoes. */
const REVERSED: Readonly<Record<string, readonly string[]>> = {
  find: ["lose", "miss", "steal"],
  repair: ["break", "damage"],
  fix: ["break", "damage"],
  unlock: ["lock"],
  open: ["close", "shut", "lock"],
  reopen: ["close", "shut", "lock"],
  clear: ["block"],
};
const PARTICLES: Readonly<Record<string, string>> = {
  "turn down": "rejected",
  "throw out": "rejected",
  "knock back": "rejected",
  "call off": "cancelled",
  "shut down": "closed",
  "close down": "closed",
  "put through": "approved",
  "wave through": "approved",
};
const DELAYED = ["delay", "plan", "schedule", "suspend", "pause", "postpone", "block"];

/** Guesses by what an act brings about: "I charged the battery" after "the battery is empty". */
export function guessResults(clause: Clause): Guessed[] {
  return [
    ...guessAgain(clause),
    ...guessMade(clause),
    ...guessNow(clause),
    ...guessBirth(clause),
    ...listResults(clause),
  ];
}

function guessBirth(clause: Clause): Guessed[] {
  const isBorn = /^have (?:my|her|their|the|an?) (?:baby|child|son|daughter|twins|boy|girl)\b/iu;
  if (!clause.isPast || clause.isDenied || !isBorn.test(`${clause.lemma} ${clause.rest}`)) return [];
  return mark(clause, {
    predicates: ["status"],
    value: "gave birth",
    outdates: ({ value, polarity }) => polarity && /^(?:pregnant|expecting)\b/iu.test(value),
  });
}

/** "I charged the battery", "both sides have signed the contract", "the kitchen renovation is done", "we hired someone for the job". */
function listResults(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied, isPassive, isProgressive, subjectText, speaker } = clause;
  if (isDenied || isProgressive) return [];
  const states = (subject: string, state: string, ofWork = false) =>
    mark(clause, { subject, predicates: ["status"], value: state, outdates: isOtherState(state, ofWork) });
  const state = RESULTS[lemma];
  if (isPassive || form !== "past") {
    const work = GOING_ON.exec(subjectText);
    const done = lemma === "be" && /^(?:over|done|finished|complete|completed)\b/iu.test(rest) || state === "finished";
    const of = work?.[1] ?? work?.[2];
    if (of !== undefined && done) return states(of, "finished", true);
    const isBare = /^(?:(?:by|from|after|yesterday|last|this|out|up|down|again|on) ?.*|and .*)?[.!]?$/iu.test(rest);
    if (!isPassive || !isBare) return [];
    if (!clause.isPast && !clause.isPerfect) {
      const now = state ?? (clause.isNew ? pastOf(lemma) : undefined);
      return now === undefined || !LASTING.test(rest) ? [] : states(subjectText, now);
    }
    const delayed = /^(?:cancel|reschedule|resume|finish|complete|release|launch|lift|approve)$/.test(lemma)
      ? mark(clause, {
        predicates: DELAYED.filter((verb) => verb !== lemma),
        value: state ?? lemma,
        outdates: ({ value, polarity }) => polarity && value === "",
      })
      : [];
    const sent = /^(?:deliver|collect|ship|return)$/.test(lemma)
      ? mark(clause, { predicates: ["lives in"], value: lemma, outdates: ({ polarity }) => polarity })
      : [];
    return [...(state === undefined ? [] : states(subjectText, state)), ...delayed, ...sent];
  }
  const resumed = lemma === "resume" || lemma === "restart" ? GOING_ON.exec(subjectText) : null;
  if (resumed !== null) return states((resumed[1] ?? resumed[2])!, "resumed");
  const turned = /^(?:turn|switch|flip|put)$/.test(lemma)
    ? /^(?:(on|off) (the|my|our) (.+)|(the|my|our) (.+?) (?:back )?(on|off))[.!]?$/iu.exec(upTo(rest))
    : null;
  const own = turned === null ? /^(?:up |down |off |on )?(the|my|our|his|her|their) (.+)$/iu.exec(upTo(rest)) : null;
  const numbered = own === null ? /^(\p{L}+ #?\d[\p{L}\d.-]*)[.!]?$/u.exec(upTo(rest))?.[1] : undefined;
  const whose = own?.[1] ?? turned?.[2] ?? turned?.[4] ?? "";
  const what = own?.[2] ?? numbered ?? turned?.[3] ?? turned?.[5];
  const vacancy = /^(?:hire|find|appoint|recruit)$/.test(lemma)
    ? /^(?:someone|somebody|an? .+|\p{Lu}.+) (?:for|as) (?:the |our )?(?!.*party)(.+)$/iu.exec(upTo(rest))?.[1]
    : undefined;
  if (vacancy !== undefined) return states(vacancy, "filled");
  const brought = turned === null ? state : /^on$/iu.test(turned[1] ?? turned[6]!) ? "on" : "off";
  const ended = /^(?:end|stop|cease|expire|run)$/.test(lemma)
    ? /^(?:support|funding|production|maintenance) (?:for|of) (?:the )?(.+)$/iu.exec(subjectText)?.[1]
    : undefined;
  if (ended !== undefined) {
    return mark(clause, {
      subject: ended,
      predicates: ["support", "fund", "produce", "maintain", "make"],
      value: "ended",
      outdates: ({ value, polarity }) => polarity && (value === "" || /^by /iu.test(value)),
    }).concat(states(ended, "ended"));
  }
  const into = lemma === "move" ? /^into (?:the |our )(.+?)[.!]?$/iu.exec(rest)?.[1] : undefined;
  if (into !== undefined && !/^\p{Lu}|^(?:user|we)$/u.test(subjectText)) {
    return mark(clause, {
      subject: into,
      predicates: ["status"],
      value: "occupied",
      outdates: ({ value, polarity }) =>
        polarity && /^(?:empty|vacant|unoccupied|for rent|to let|available|free)\b/iu.test(value),
    });
  }
  const judged =
    /^(turn down|throw out|knock back|call off|shut down|close down|put through|wave through) (?:the|our|my) (.+?)[.!]?$/iu
      .exec(`${lemma} ${rest}`);
  if (judged !== null) return states(judged[2]!, PARTICLES[judged[1]!.toLowerCase()]!);
  const intransitive = state !== undefined &&
    /^(?:up|down|out|at last|today|yesterday|this .*|on .*|in \p{Lu}\p{Ll}+)?[.!]?$/iu.test(rest);
  if (intransitive) return states(subjectText, state);
  if (what === undefined || brought === undefined) return [];
  const bare = what.replace(/ (?:at last|again|yesterday|this \p{L}+|last \p{L}+|for good)[.!]?$/iu, "");
  const subject = /^my$/iu.test(whose)
    ? `${speaker}'s ${bare}`
    : /^(?:his|her|their)$/iu.test(whose)
    ? `${subjectText}'s ${bare}`
    : bare;
  if (keyOfSubject(subject) === "") return [];
  const undone = (REVERSED[lemma] ?? []).filter(() => turned === null);
  return [
    ...states(subject, brought),
    ...mark(clause, {
      subject,
      predicates: undone,
      value: brought,
      outdates: ({ value, polarity }) => polarity && value === "",
    }),
  ];
}
