/** Rules for whom somebody works for, and what they belong to. */
import type { Claim } from "./claim.ts";
import { isTeam } from "./change_rules.ts";
import type { Clause } from "./clause.ts";
import { draw, type Rule, upTo } from "./draft.ts";
import { role, subjectsOf } from "./people_rules.ts";
import { cleanValue, firstValue } from "./values.ts";

const COMPANY = /^(?:the )?\p{Lu}/u;
const GROUP_WORD =
  /\b(?:club|team|choir|band|church|gym|society|association|party|union|group|league|board|committee|school|university|college|programme|program|course|class|list)\b/iu;
const NO_PLACE = /^(?:early|late|home|school|work|at|in|by|to|the (?:meeting|call|party|room|house|table|office)|a )/iu;

/** Verbs for activities besides work. */
const ASIDE =
  /\b(?:on the side|in (?:my|his|her|their) (?:spare|free) time|part[- ]time|as a (?:side job|second job|hobby|volunteer)|(?:on|at) (?:the )?weekends?|(?:on|every) (?:\p{L}+day)s?(?: \p{L}+)?|at nights?|in the (?:evening|morning|afternoon|holiday)s?|(?:in|during|over) (?:the )?(?:summer|winter|holidays)|now and then|sometimes|this week)[.!]?$/iu;

function work(clause: Clause, value: string, change: Claim["change"] = null): Claim {
  return draw(clause, { respect: "employment", predicate: "works at", value: upTo(value), change });
}

function left(clause: Clause, value: string): Claim[] {
  const common = {
    value: upTo(value).replace(/ to (?:join|work|start|found|become|pursue) .*$/iu, ""),
    polarity: false,
    change: "ended",
  } as const;
  return [
    draw(clause, { respect: "employment", predicate: "works at", ...common }),
    draw(clause, { respect: "membership", predicate: "is a member of", ...common }),
    draw(clause, { respect: "residence", predicate: "lives in", ...common }),
    draw(clause, { respect: "membership", predicate: "plays for", ...common }),
  ];
}

/** Reads for whom somebody works, and what they belong to. */
export const readWork: Rule = (clause) => {
  const { lemma, rest, isPassive, isProgressive } = clause;
  const at = /^(?:at|for) (.+)$/iu.exec(rest)?.[1];
  const isAside = ASIDE.test(rest);
  if (lemma === "work" && at !== undefined && !firstValue(at)) {
    const as = /^(.+?) as (.+)$/iu.exec(upTo(at));
    return as === null ? [work(clause, at)] : [work(clause, as[1]!), role(clause, as[2]!)];
  }
  if (lemma === "work" && /^as /iu.test(rest)) {
    // "works as a nurse at St Mary's"
    const place = isAside ? null : /^as (.+?) (?:at|for|with) ((?:the |an? )?\p{Lu}.+)$/u.exec(upTo(rest));
    return place === null ? [role(clause, rest.slice(3))] : [role(clause, place[1]!), work(clause, place[2]!)];
  }
  const field = lemma === "work" && clause.form !== "past" && !isAside
    ? /^in (?!the |shifts |an? |my |our )[\p{Ll} ]+ (?:at|for) (\p{Lu}.+)$/u.exec(upTo(rest))?.[1]
    : undefined;
  if (field !== undefined) return [work(clause, field)];
  if (lemma === "employ" && isPassive) return [work(clause, rest.replace(/^(?:at|by|with) /iu, ""))];
  if (/^(?:hire|headhunt|poach|recruit)$/.test(lemma) && isPassive && /^by /iu.test(rest)) {
    return [work(clause, rest.slice(3), "replaced")];
  }
  const group = lemma === "belong"
    ? /^to (.+)$/iu.exec(rest)?.[1]
    : lemma === "sit"
    ? /^on (the .+)$/iu.exec(rest)?.[1]
    : undefined;
  if (group !== undefined) {
    return [draw(clause, { respect: "membership", predicate: "is a member of", value: upTo(group) })];
  }
  if (lemma === "play" && /^for \p{Lu}/u.test(rest) && clause.form !== "past") {
    return [draw(clause, { respect: "membership", predicate: "plays for", value: upTo(rest.slice(4)) })];
  }
  const school = lemma === "go" && clause.form !== "past"
    ? /^to (\p{Lu}.*\b(?:School|High|Elementary|College|University|Academy|Kindergarten)\b.*)$/u.exec(rest)?.[1]
    : undefined;
  if (school !== undefined) return [draw(clause, { respect: "activity", predicate: "attend", value: upTo(school) })];
  if (lemma === "reassign" && clause.isPassive && /^to /iu.test(rest)) {
    return [
      draw(clause, { respect: "activity", predicate: "assign", value: upTo(rest.slice(3)), change: "handed_over" }),
    ];
  }
  if (isProgressive) return null;
  if (lemma === "retire" && !(isPassive && (clause.isPast || clause.isPerfect)) && rest.replace(/[.!]/g, "") === "") {
    return [
      draw(clause, { respect: "employment", predicate: "works at", value: "", polarity: false, change: "ended" }),
      draw(clause, { respect: "status", predicate: "status", value: "retired", change: "began" }),
    ];
  }
  if (lemma === "start" && /^(?:working )?(?:at|for|with) \p{Lu}/u.test(rest)) {
    return [work(clause, rest.replace(/^(?:working )?\S+ /iu, ""), "replaced")];
  }
  if (clause.form !== "past") return null;
  const job0 = readLostJob(clause);
  if (job0 !== null) return job0;
  const toJoin = lemma === "leave" ? /^(?:the )?(.+?) to join (.+)$/iu.exec(rest) : null;
  if (toJoin !== null && COMPANY.test(toJoin[2]!)) {
    return [
      draw(clause, {
        respect: "employment",
        predicate: "works at",
        value: upTo(toJoin[2]!),
        change: "replaced",
        from: toJoin[1]!,
      }),
    ];
  }
  const forNext = /^(?:the )?(\p{Lu}[\p{L}&.' -]*?) for (\p{Lu}.+)$/u.exec(rest);
  if (lemma === "leave" && forNext !== null) {
    return [
      draw(clause, {
        respect: "employment",
        predicate: "works at",
        value: upTo(forNext[2]!),
        change: "replaced",
        from: forNext[1]!,
      }),
    ];
  }
  if (lemma === "dump" && /^\p{Lu}/u.test(rest)) return splitUp(clause);
  if (lemma === "call" && /^off (?:the|their) (?:engagement|wedding)\b/iu.test(rest)) return splitUp(clause);
  if (lemma === "leave" || lemma === "quit") {
    if (/^(?:smok|drink|play|work|eat|us)\p{L}*ing\b/u.test(rest) || /ing\b/.test(rest.split(" ")[0]!)) return null;
    if (NO_PLACE.test(rest) || /\b(?:early|late|at noon|open|yesterday)\b/iu.test(rest)) return [];
    return COMPANY.test(rest) || GROUP_WORD.test(rest) ? left(clause, rest) : null;
  }
  if (/^(?:resign|withdraw)$/.test(lemma) && /^(?:from|as) /iu.test(rest)) {
    return left(clause, rest.replace(/^\S+ /u, ""));
  }
  if (
    isPassive && /^(?:lay|fire|dismiss|remove|expel|discharge|kick|take|strike|let)$/.test(lemma) &&
    /\bfrom |^(?:out|off) of |^off /iu.test(rest)
  ) {
    return left(clause, rest.replace(/^.*?\bfrom |^(?:out|off) of |^off /iu, ""));
  }
  if (lemma === "drop" && /^out of /iu.test(rest)) {
    const studies = /^out of (.*?) ?(?:school|university|college|degree|course|programme|program)\b/iu.exec(rest)?.[1];
    const value = cleanValue((studies ?? "").replace(/^(?:my|his|her|their|the)\b/iu, ""));
    const quit = draw(clause, { respect: "activity", predicate: "study", value, polarity: false, change: "ended" });
    return [...left(clause, rest.slice(7)), ...(studies === undefined ? [] : [quit])];
  }
  if (lemma === "join" && !/\b(?:call|meeting|discussion|conversation)\b/iu.test(rest)) {
    return isTeam(rest) || GROUP_WORD.test(rest)
      ? [draw(clause, { respect: "membership", predicate: "is a member of", value: upTo(rest), change: "began" })]
      : COMPANY.test(rest)
      ? [work(clause, rest, "replaced")]
      : null;
  }
  if (lemma === "sign" && /^with \p{Lu}/u.test(rest)) {
    return [
      draw(clause, {
        respect: "membership",
        predicate: "plays for",
        value: upTo(rest.slice(5)),
        change: "replaced",
        confidence: 0.7,
      }),
    ];
  }
  const job = /^(?:get|take|start|find|land|accept)$/.test(lemma)
    ? /^an? (?:new )?(?:job|position) (?:at|with) (.+)$/iu.exec(rest)
    : null;
  return job === null ? null : [
    work(clause, job[1]!, "replaced"),
    draw(clause, { respect: "status", predicate: "status", value: "employed", change: "began" }),
  ];
};

/** "lost her job at the bakery", "handed in my notice", "Pebble laid me off". */
function readLostJob(clause: Clause): Claim[] | null {
  const { lemma, rest, isPassive } = clause;
  const ended = (subject: string, value: string) =>
    draw(clause, {
      subject,
      respect: "employment",
      predicate: "works at",
      value: upTo(value),
      polarity: false,
      change: "ended",
    });
  if (isPassive) {
    const fired = lemma === "make" ? /^redundant(?: (?:by|at) (.+))?/iu.exec(rest) : null;
    const by = /^(?:lay|fire|dismiss|let)$/.test(lemma) ? /^(?:off |go )?by (.+)/iu.exec(rest)?.[1] : fired?.[1];
    if (by !== undefined) return [ended(clause.subjectText, by)];
    return fired === null ? null : [ended(clause.subjectText, "")];
  }
  const job = /^(?:lose|quit|leave)$/.test(lemma)
    ? /^(?:my|his|her|their) (?:job|position|post)(?: (?:at|with) (.+))?[.!]?$/iu.exec(rest)
    : lemma === "hand"
    ? /^in (?:my|his|her|their) (?:notice|resignation)(?: (?:at|to|with) (.+))?[.!]?$/iu.exec(rest)
    : null;
  if (job !== null) return [ended(clause.subjectText, job[1] ?? "")];
  const sacked = /^(?:lay|fire|dismiss|let)$/.test(lemma)
    ? /^(me|\p{Lu}\p{L}+)(?: off| go)?[.!]?$/u.exec(rest)?.[1]
    : undefined;
  return sacked === undefined || (/^(?:lay|let)$/.test(lemma) && !/ (?:off|go)/.test(rest))
    ? null
    : [ended(sacked === "me" ? clause.speaker : sacked, clause.subjectText)];
}

function splitUp(clause: Clause): Claim[] {
  return subjectsOf(clause).map((subject) =>
    draw(clause, { subject, respect: "relation", predicate: "relationship", value: "split up", change: "replaced" })
  );
}
