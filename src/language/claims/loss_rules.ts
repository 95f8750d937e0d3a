/** What somebody no longer has: lost, sold, given away, cancelled. */
import type { Clause } from "./clause.ts";
import { ENDED, say, upTo } from "./draft.ts";
import type { Row } from "./row.ts";
import { ACCESS, right, splitOwner } from "./right_rules.ts";
import { has } from "./possession.ts";
const CANCELLED = { polarity: false, change: "cancelled" } as const;

const LOST = /^(?:away |up |in )?(?:my|our|his|her|their|its|the) /iu;

/** What is no longer owned, because it was cancelled, lost or sold. */
export const LOSSES: readonly Row[] = [
  {
    name: "lost access",
    verbs: "lose",
    is: "past",
    match: /^(?:(?:my|his|her|their|our|all) )?(.+)$/iu,
    claims: (clause, [, thing]) => {
      const access = ACCESS.exec(thing!)?.[1];
      return access === undefined ? null : right(clause, upTo(access), false, "ended");
    },
    says: [
      "I've lost {access|my access|all access|write permission|all rights} to the vault. → user not may {access|access|access|write permission|rights} to the vault (ended)",
      "They have lost {their|our} access. → they not may access (ended)",
    ],
    saysNot: ["I've lost my keys."],
  },
  {
    name: "closed an account",
    verbs: "cancel delete terminate close end",
    is: "past",
    match:
      /^(?:my|his|her|their|our|its|the) (.*\b(?:account|subscription|membership|profile|contract|plan|policy))(?: (?:to|with|at|for) (?:the )?(\p{Lu}.+))?[.!]?$/u,
    claims: (clause, [, thing, from]) =>
      from === undefined ? [has(clause, thing!, CANCELLED)] : [
        has(clause, `${from.replace(/[.!]$/, "")} ${thing}`, CANCELLED),
        say(clause, "subscribe", upTo(from), CANCELLED),
      ],
    says: [
      "I've {cancelled|deleted|terminated|closed|ended} my Spotify {account|subscription|membership|profile|contract|plan|policy}. → user not has Spotify $2 (cancelled)",
      "I've cancelled my subscription {to|with|at|for} the Times. → user not has Times subscription (cancelled); user not subscribe Times (cancelled)",
      "We've cancelled {our|the} phone contract. → we not has phone contract (cancelled)",
    ],
    saysNot: ["I've closed the door."],
  },
  {
    name: "let something lapse",
    verbs: "let",
    match: /^(?:my|his|her|their|our|its) (.+) (?:lapse|expire)[.!]?$/iu,
    claims: (clause, [, thing]) => [has(clause, thing!, CANCELLED)],
    says: ["I've let my gym membership {lapse|expire}. → user not has gym membership (cancelled)"],
    saysNot: ["I let my dog sleep."],
  },
  {
    name: "cancelled something of one's own",
    verbs: "cancel",
    is: "past",
    match: /^(?:my|his|her|their|our|its) /iu,
    claims: (clause) => [has(clause, clause.rest, CANCELLED)],
    says: ["I've cancelled {my|our} cleaner. → user not has cleaner (cancelled)"],
    saysNot: ["I've cancelled the meeting."],
  },
  {
    name: "no longer has",
    verbs: "sell give lose donate trade return scrap",
    is: "past",
    match: LOST,
    claims: (clause) => {
      // Keys are found again, and of old things there are others.
      if (/\bold \p{L}+|weight|keys?\b/iu.test(lostThing(clause))) return [];
      const next = TRADED.exec(clause.rest)?.[2];
      const gone = has(clause, lostThing(clause), ENDED);
      return next === undefined ? [gone] : [gone, has(clause, next, { change: "began" })];
    },
    says: [
      "I've sold my old bike. → nothing",
      "I've lost {my key|my keys|the weight}. → nothing",
      "I've {sold|lost|donated|returned|scrapped} {my|our|the} piano. → user not has piano (ended)",
      "I've given {away|up} my piano. → user not has piano (ended)",
      "I've traded in my piano {for a guitar|at the shop}. → user not has piano {(ended); user has guitar (began|at the shop (ended})",
    ],
    saysNot: ["I've sold a lot."],
  },
  {
    name: "expired",
    verbs: "expire",
    is: "past",
    claims: (clause) => {
      const expired = say(clause, "status", "expired", { change: "began" });
      if (!clause.subjectText.includes("'s ")) return [expired];
      const [subject, thing] = splitOwner(clause.subjectText);
      return [say(clause, "has", thing, { subject, ...ENDED }), expired];
    },
    says: [
      "The voucher has expired. → voucher status expired (began)",
      "My visa has expired. → user not has visa (ended); user's visa status expired (began)",
    ],
    saysNot: ["The voucher expires in May."],
  },
  {
    name: "somebody's animal or relative died",
    verbs: "die pass",
    is: "past",
    when: ({ lemma, rest, subjectText }) => (lemma === "die" || /^away\b/iu.test(rest)) && subjectText.includes("'s "),
    claims: (clause) => {
      const [subject, thing] = splitOwner(clause.subjectText);
      const value = thing.replace(/ \p{Lu}.*$/u, "");
      return [say(clause, "has", value, { subject, ...ENDED })];
    },
    says: ["My {dog|dog Rex} {died|passed away}. → user not has dog (ended)"],
    saysNot: ["Rex died.", "My dog passed the test."],
  },
];

const TRADED = /^in (.+?) for (.+)$/iu;

/** The thing that somebody lost, sold or gave away. */
function lostThing({ rest }: Clause): string {
  return (TRADED.exec(rest)?.[1] ?? rest).replace(/^(?:away|up|in) /iu, "");
}
