/** Rules for whom somebody works for, and what they belong to. */
import type { Claim } from "./claim.ts";
import { isTeam } from "./change_rules.ts";
import type { Clause } from "./clause.ts";
import { draw, type Rule, upTo } from "./draft.ts";
import { role } from "./people_rules.ts";
import { firstValue } from "./values.ts";

const COMPANY = /^(?:the )?\p{Lu}/u;
const GROUP_WORD =
  /\b(?:club|team|choir|band|church|gym|society|association|party|union|group|league|board|committee|school|university|college|programme|program|course|class|list)\b/iu;
const NO_PLACE = /^(?:early|late|home|school|work|at|in|by|to|the (?:meeting|call|party|room|house|table|office)|a )/iu;

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

/** For whom somebody works, and what they belong to. */
export const readWork: Rule = (clause) => {
  const { lemma, rest, isPassive, isProgressive } = clause;
  const at = /^(?:at|for) (.+)$/iu.exec(rest)?.[1];
  if (lemma === "work" && at !== undefined && !firstValue(at)) {
    const as = /^(.+?) as (.+)$/iu.exec(upTo(at));
    return as === null ? [work(clause, at)] : [work(clause, as[1]!), role(clause, as[2]!)];
  }
  if (lemma === "work" && /^as /iu.test(rest)) return [role(clause, rest.slice(3))];
  if (lemma === "employ" && isPassive) return [work(clause, rest.replace(/^(?:at|by|with) /iu, ""))];
  if (lemma === "hire" && isPassive && /^by /iu.test(rest)) return [work(clause, rest.slice(3), "replaced")];
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
  if (isProgressive) return null;
  if (lemma === "retire" && rest.replace(/[.!]/g, "") === "") {
    return [
      draw(clause, { respect: "employment", predicate: "works at", value: "", polarity: false, change: "ended" }),
      draw(clause, { respect: "status", predicate: "status", value: "retired", change: "began" }),
    ];
  }
  if (lemma === "start" && /^(?:working )?(?:at|for|with) \p{Lu}/u.test(rest)) {
    return [work(clause, rest.replace(/^(?:working )?\S+ /iu, ""), "replaced")];
  }
  if (clause.form !== "past") return null;
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
  if (lemma === "leave" || lemma === "quit") {
    if (/^(?:smok|drink|play|work|eat|us)\p{L}*ing\b/u.test(rest) || /ing\b/.test(rest.split(" ")[0]!)) return null;
    if (NO_PLACE.test(rest) || /\b(?:early|late|at noon|open|yesterday)\b/iu.test(rest)) return [];
    return COMPANY.test(rest) || GROUP_WORD.test(rest) ? left(clause, rest) : null;
  }
  if (/^(?:resign|withdraw)$/.test(lemma) && /^(?:from|as) /iu.test(rest)) {
    return left(clause, rest.replace(/^\S+ /u, ""));
  }
  if (isPassive && /^(?:lay|fire|dismiss|remove|expel|discharge|kick)$/.test(lemma) && /\bfrom /iu.test(rest)) {
    return left(clause, rest.slice(rest.search(/\bfrom /iu) + 5));
  }
  if (lemma === "drop" && /^out of /iu.test(rest)) return left(clause, rest.slice(7));
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
  const job = lemma === "get" || lemma === "take" || lemma === "start"
    ? /^an? (?:new )?(?:job|position) (?:at|with) (.+)$/iu.exec(rest)
    : null;
  return job === null ? null : [work(clause, job[1]!, "replaced")];
};
