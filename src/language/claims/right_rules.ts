/** Rules for rights and duties. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { say, upTo } from "./draft.ts";
import type { Row } from "./row.ts";

/** Makes the claim that somebody may do something, or has access. */
export function right(
  clause: Clause,
  value: string,
  polarity: boolean,
  change: Claim["change"],
  subject = clause.subjectText,
): Claim[] {
  return [say(clause, "may", value.replace(/^(?:an?|the) /iu, ""), { subject, polarity, change })];
}

/** Splits "Ben's admin rights" into the owner and the thing. */
export function splitOwner(text: string): [string, string] {
  const at = text.lastIndexOf("'s ");
  return [text.slice(0, at), text.slice(at + 3)];
}

/** Matches access, rights and licences, with what they are for. */
export const ACCESS = /^(?:no )?((?:\S+ ){0,2}(?:access|rights|permissions?|licen[cs]e)(?: (?:to|on|for) .+)?)/iu;

/** Matches words that limit a right. */
const LIMIT = / after .+$/iu;

/** The confidence of a duty. It is low, so that a duty of a single day ends no older statement. */
const DUTY = 0.45;

/** Rights that somebody gives, takes away or has, and duties. */
export const RIGHTS: readonly Row[] = [
  {
    name: "somebody's right to do something was revoked",
    verbs: "revoke remove withdraw",
    is: "passive affirmed",
    when: ({ subjectText }) => RIGHT_TO.test(subjectText),
    claims: (clause) => {
      const [, owner, deed] = RIGHT_TO.exec(clause.subjectText)!;
      return right(clause, deed!, false, "ended", owner!);
    },
    says: [
      "Ben's {right|permission|authorisation|authorization} to sign was {revoked|removed|withdrawn}. → Ben not may sign (ended)",
    ],
    saysNot: ["The plan to sign was withdrawn."],
  },
  {
    name: "somebody's access was revoked",
    verbs: "revoke remove withdraw take",
    is: "passive",
    when: ({ lemma, rest, subjectText }) =>
      (lemma !== "take" || /^away\b/iu.test(rest)) && subjectText.includes("'s ") &&
      ACCESS.test(splitOwner(subjectText)[1]),
    claims: (clause) => {
      const [owner, thing] = splitOwner(clause.subjectText);
      return right(clause, thing, false, "ended", owner);
    },
    says: ["Ben's {admin rights|access} {was|were} {revoked|removed|withdrawn|taken away}. → Ben not may $1 (ended)"],
    saysNot: ["The rights were revoked.", "Ben's bike was taken away."],
  },
  {
    name: "revoked somebody's access",
    verbs: "revoke withdraw",
    is: "active",
    match: /'s /u,
    claims: (clause) => {
      const [owner, thing] = splitOwner(upTo(clause.rest));
      return right(clause, thing, false, "ended", owner);
    },
    says: ["We've {revoked|withdrawn} Ben's admin rights. → Ben not may admin rights (ended)"],
    saysNot: ["We've revoked the key."],
  },
  {
    name: "was granted access",
    verbs: "grant give",
    is: "passive",
    match: ACCESS,
    claims: (clause, [, access]) => right(clause, upTo(access!), true, "began"),
    says: ["Ben was {granted|given} access to the vault. → Ben may access to the vault (began)"],
    saysNot: ["Ben was given a key."],
  },
  {
    name: "is allowed",
    verbs: "allow permit",
    is: "passive",
    match: /^(?:(?:from|to) )?(.*)$/iu,
    claims: (clause, [, deed]) => right(clause, deed!, !clause.isDenied, null),
    says: [
      "Dogs are {allowed|permitted} in the office. → Dogs may in the office",
      "Ben isn't allowed to drive. → Ben not may drive",
    ],
    saysNot: ["We allow dogs."],
  },
  {
    name: "is banned",
    verbs: "ban forbid prohibit",
    is: "passive",
    match: /^(?:(?:from|to) )?(.*)$/iu,
    claims: (clause, [, deed]) =>
      right(clause, deed!, clause.isDenied, clause.isNew || clause.isPerfect || clause.isPast ? "ended" : null),
    says: [
      "Ben {is|was|has been} banned from driving. → Ben not may {driving|driving (ended)|driving (ended)}",
      "Dogs are {forbidden|prohibited} in the office. → Dogs not may in the office",
      "Dogs are now banned in the office. → Dogs not may in the office (ended)",
      "Dogs are no longer banned. → Dogs may (ended)",
    ],
    saysNot: ["They ban dogs."],
  },
  {
    name: "need not",
    verbs: "have need",
    is: "denied",
    match: /^to (.+)$/iu,
    claims: (clause, [, deed]) => [say(clause, "must", upTo(deed!), { polarity: false })],
    says: ["I don't {have|need} to wear a tie. → user not must wear a tie"],
    saysNot: ["I don't have a tie."],
  },
  {
    name: "has to",
    verbs: "have",
    is: "plain",
    when: ({ isPast }) => !isPast,
    match: /^to (?!(?:do|say|go|admit|agree|laugh|think)\b)(\p{Ll}{2,}.*)$/u,
    claims: (clause, [, deed]) => [say(clause, "must", upTo(deed!), { confidence: DUTY })],
    says: ["I have to wear a tie. → user must wear a tie?"],
    saysNot: ["I have to {do|say|go|admit|agree|laugh|think|wonder|ask}.", "I had to wear a tie."],
  },
  {
    name: "may or must",
    isLoose: true,
    when: ({ lemma, modal, isPassive }) =>
      /^(?:may|can|must)$/.test(modal ?? "") && !(modal === "can" && lemma === "stand") &&
      !(isPassive && /^give$/.test(lemma)),
    claims: (clause) => {
      const { modal, rest, isDenied } = clause;
      const deed = `${clause.isPassive ? "be " : ""}${clause.lemma} ${upTo(rest)}${LIMIT.exec(rest)?.[0] ?? ""}`.trim();
      return [say(clause, modal === "must" && !isDenied ? "must" : "may", deed, { polarity: !isDenied })];
    },
    says: [
      "Ben {may|can} drive. → Ben may drive",
      "Ben must sign. → Ben must sign",
      "Ben {must not|cannot|may not} drive. → Ben not may drive",
      "Guests can check in after 3 pm. → Guests may check in after 3 pm",
    ],
    saysNot: ["Ben can't stand jazz.", "Ben will drive."],
  },
];

const RIGHT_TO = /^(.+?)'s (?:right|permission|authori[sz]ation) to (.+)$/iu;
