/** Rules for couples: who is one, is married or has parted. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { say, upTo } from "./draft.ts";
import { type Row, rowsWith } from "./row.ts";

const PARTNER = /^(?:to|with|from) (.+)$/iu;

/** The persons that a subject joins by "and", such as "Claire and I". */
export function subjectsOf({ subjectText }: Clause): string[] {
  return subjectText.split(/ and /iu);
}

/** Makes the claims that each person of the subject is in a relationship. */
export function related(clause: Clause, state: string, partner = "", change: Claim["change"] = null): Claim[] {
  return subjectsOf(clause).map((subject, i, both) => {
    const other = partner === "" && state === "split up" && both.length === 2 ? both[1 - i]! : partner;
    return say(
      clause,
      "relationship",
      other === "" ? state : `${state} ${state === "married" ? "to" : "with"} ${other}`,
      {
        subject,
        change,
      },
    );
  });
}

/** That two people are a couple, are married or have parted. */
export const RELATIONS: readonly Row[] = [
  {
    name: "is dating",
    verbs: "date",
    is: "ongoing",
    claims: (clause) => related(clause, "dating", upTo(clause.rest)),
    says: ["I'm dating Ana. → user relationship dating with Ana"],
    saysNot: ["The wall dates from 1200."],
  },
  ...rowsWith({ is: "settled", when: ({ form, isPassive }) => form === "past" || isPassive }, [
    {
      name: "is married",
      verbs: "marry",
      is: "passive",
      when: ({ isPast }) => !isPast,
      claims: (clause) => related(clause, "married", PARTNER.exec(clause.rest)?.[1] ?? ""),
      says: ["Ana is married. → Ana relationship married", "Ana is married to Ben. → Ana relationship married to Ben"],
      saysNot: ["Ana marries Ben."],
    },
    {
      name: "married",
      verbs: "marry",
      claims: (clause) => related(clause, "married", PARTNER.exec(clause.rest)?.[1] ?? upTo(clause.rest), "replaced"),
      says: [
        "Ana has married Ben. → Ana relationship married to Ben (replaced)",
        "Ana got married to Ben. → Ana relationship married to Ben (replaced)",
        "Ana and I married. → Ana relationship married (replaced); user relationship married (replaced)",
      ],
      saysNot: ["Ana is married. → Ana relationship married"],
    },
    {
      name: "is divorced",
      verbs: "divorce",
      claims: (clause) =>
        clause.isPassive && !clause.isPast ? related(clause, "divorced") : related(clause, "divorced", "", "replaced"),
      says: [
        "Ana is divorced. → Ana relationship divorced",
        "Ana {was divorced|divorced} in May. → Ana relationship divorced (replaced)",
        "Ana has divorced Ben. → Ana relationship divorced (replaced)",
      ],
      saysNot: ["Ana divorces Ben."],
    },
    {
      name: "broke up",
      verbs: "break split",
      match: /^up\b/iu,
      claims: (clause) => related(clause, "split up", "", "replaced"),
      says: [
        "Ana and Ben have {broken|split} up. → Ana relationship split up with Ben (replaced); Ben relationship split up with Ana (replaced)",
        "Ana has split up with Ben. → Ana relationship split up (replaced)",
      ],
      saysNot: ["Ana split the bill."],
    },
    {
      name: "got engaged",
      verbs: "get",
      match: /^engaged\b/iu,
      claims: (clause) => related(clause, "engaged", "", "replaced"),
      says: [
        "Ana and Ben got engaged in May. → Ana relationship engaged (replaced); Ben relationship engaged (replaced)",
      ],
      saysNot: ["Ana got tired."],
    },
    {
      name: "separated",
      verbs: "separate",
      match: /^(?!(?:the|an?|my|our|his|her|their) ).{0,11}$/iu,
      claims: (clause) => related(clause, "divorced", "", "replaced"),
      says: [
        "Ana and Ben have separated. → Ana relationship divorced (replaced); Ben relationship divorced (replaced)",
      ],
      saysNot: ["Ana has separated the eggs."],
    },
  ]),
];
