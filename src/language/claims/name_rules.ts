/** Rules for names: what a person or a thing is called, and what it is renamed to. */
import type { Clause } from "./clause.ts";
import { say, upTo } from "./draft.ts";
import type { Row } from "./row.ts";
import { BY, FROM_TO, objectBefore, TO } from "./change_rules.ts";

/** Names: "is called", "was renamed to", "goes by". */
export const NAMES: readonly Row[] = [
  {
    name: "is called",
    verbs: "call name",
    is: "passive",
    match: /^(?!(?:off|for|in|on|as|to|up|by|the)\b)/iu,
    claims: (clause) => [say(clause, "is called", upTo(clause.rest))],
    says: ["The dog is {called|named} Rex. → dog is called Rex"],
    saysNot: [
      "Ben was named {for the post|in the report|on the list|as a suspect|to the board|by Ana|captain|head of sales|the best}.",
      "I was called {up|off}.",
    ],
  },
  {
    name: "goes by a name",
    verbs: "go",
    match: /^by (.+)/iu,
    claims: (clause, [, name]) => [say(clause, "is called", upTo(name!))],
    says: ["Robert goes by Bob. → Robert is called Bob"],
    saysNot: ["Robert goes to Leeds."],
  },
  {
    name: "is known as",
    verbs: "know",
    is: "passive",
    match: /^as (.+)/iu,
    claims: (clause, [, name]) => [say(clause, "is called", upTo(name!))],
    says: ["Robert is known as Bob. → Robert is called Bob"],
    saysNot: ["Robert is known for his cakes."],
  },
  {
    name: "was renamed",
    verbs: "rename rebrand rechristen retitle",
    is: "passive",
    claims: (clause) => {
      const { from, to, rest } = renamed(clause);
      const name = to ?? rest;
      return name === "" ? null : [say(clause, "is called", upTo(name), { change: "renamed", from: from ?? null })];
    },
    says: [
      "The pub was {renamed|rebranded|rechristened|retitled} The Swan. → pub is called Swan (renamed)",
      "The pub was renamed {to|as} The Swan. → pub is called Swan (renamed)",
      "The pub was renamed from The Crown to The Swan. → pub is called Swan (renamed, from Crown)",
    ],
    saysNot: ["The pub was renamed."],
  },
  {
    name: "renamed itself",
    verbs: "rename rebrand",
    is: "active",
    when: (clause) => /^(?:itself|themselves|himself|herself)?$/iu.test(objectBefore(renamed(clause).rest) ?? ""),
    claims: (clause) => {
      const { from, by } = renamed(clause);
      return by === undefined || clause.form !== "past"
        ? null
        : [say(clause, "is called", upTo(by), { change: "renamed", from: from ?? null })];
    },
    says: [
      "The firm has {rebranded|rebranded itself} {to Vellum|as Vellum}. → firm is called Vellum (renamed)",
      "Ben has renamed himself to Bo. → Ben is called Bo (renamed)",
      "Ana has renamed herself to Bo. → Ana is called Bo (renamed)",
      "They have renamed themselves to Vellum. → nothing",
    ],
    saysNot: ["The firm has rebranded."],
  },
  {
    name: "renamed a thing",
    verbs: "rename rebrand rechristen retitle",
    is: "active",
    claims: (clause) => {
      const { from, by, rest } = renamed(clause);
      const object = objectBefore(rest);
      if (by === undefined || object === null) return null;
      const subject = object.replace(/^my /iu, `${clause.speaker} `);
      return [say(clause, "is called", upTo(by), { subject, change: "renamed", from: from ?? null })];
    },
    says: [
      "We've {renamed|rebranded|rechristened|retitled} the pub to The Swan. → pub is called Swan (renamed)",
      "I've renamed my blog to Vellum. → user blog is called Vellum (renamed)",
    ],
    saysNot: ["We've renamed the pub."],
  },
  {
    name: "we call it",
    verbs: "call",
    is: "active",
    match: /^((?:the|our|my) \p{Ll}+) (\p{Lu}[\p{L}\d]*)/u,
    claims: (clause, [, thing, name]) => [
      say(clause, "is called", name!, { subject: thing!.replace(/^my /iu, `${clause.subjectText} `) }),
    ],
    says: ["We call {the|our|my} cat Biscuit. → {cat|cat|we cat} is called Biscuit"],
    saysNot: ["We call the doctor."],
  },
];

function renamed(clause: Clause) {
  const rest = clause.rest.replace(/(^| )as (?=\S)/iu, "$1to ");
  const fromTo = FROM_TO.exec(rest);
  return { rest, from: fromTo?.[1], to: fromTo?.[2] ?? TO.exec(rest)?.[1], by: BY.exec(rest)?.[1] };
}
