/** Rules for things: which tools somebody uses, where things are kept, what they cost and weigh. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { type Draft, ENDED, say, upTo } from "./draft.ts";
import { type Row, rowsWith } from "./row.ts";
import { cleanValue, maskValues } from "./values.ts";

/** Makes the claim that somebody uses a tool; "as my editor" limits it. */
export function uses(clause: Clause, said: string, more: Partial<Draft> = {}): Claim {
  const as = /^(.+?) as (?:my|our|the|an?|his|her|their|its) (.+)$/iu.exec(upTo(said));
  return as === null
    ? say(clause, "uses", upTo(said), more)
    : say({ ...clause, lead: `${clause.lead} ${as[2]}` }, "uses", upTo(as[1]!), more);
}

/** "Vite replaced Webpack" does not say whose tool Webpack was; likely it was the tool of the speakers. */
function noLongerOurs(clause: Clause, tool: string): Claim[] {
  return ["we", clause.speaker].map((subject) =>
    say(clause, "uses", cleanValue(tool), { subject, ...ENDED, confidence: 0.6 })
  );
}

/** Matches an object that is only a name: "Redux", "Google Fonts". */
export const NAME_ALONE = /^(?:our |the )?(\p{Lu}[^\s,;.!]*(?: (?:\p{Lu}|\d)[^\s,;.!]*){0,2})[.!]?$/u;

/** Which tool somebody uses, and where they keep something. */
export const TOOLS: readonly Row[] = [
  {
    name: "uses",
    verbs: "use employ adopt",
    is: "active plain",
    // "using" alone of the verbs says so while it goes on; a dog is adopted, not used.
    when: ({ lemma, rest, isProgressive }) =>
      lemma === "use" || (!isProgressive && !(lemma === "adopt" && /^(?:an?|another|some|\d+) /iu.test(rest))),
    match: /^(?!(?:to|the same)\b)/iu,
    claims: (clause) => [uses(clause, clause.rest, clause.lemma === "adopt" ? { change: "began" } : {})],
    says: [
      "We {use|employ|are using} Vim. → we uses Vim",
      "We adopted Vim. → we uses Vim (began)",
      "I use Vim as {my|our|the|an|a|his|her|their|its} editor. → user uses Vim [editor]",
    ],
    saysNot: [
      "We use to walk.",
      "We use the same editor.",
      "We are employing Ben.",
      "We adopted {a|an old|another|3|some} cat.",
    ],
  },
  ...rowsWith({
    when: ({ lemma, isProgressive, isPerfect }) =>
      !isProgressive || lemma === "use" || (isPerfect && /^(?:keep|store|hide|leave)$/.test(lemma)),
  }, [
    {
      name: "a team works in a tool",
      verbs: "work",
      is: "present",
      when: ({ subjectText }) => /\bteams?$|\bwe$|designers$|developers$/iu.test(subjectText),
      match: /^(?:in|with) (\p{Lu}\p{L}+)[.!]?$/u,
      claims: (clause, [, tool]) => [uses(clause, tool!)],
      says: [
        "{We work|Our team works|The designers work|The developers work} in Figma. → {we|team|designers|developers} uses Figma",
        "We work with Figma. → we uses Figma",
      ],
      saysNot: ["The nurses work in Leeds."],
    },
    {
      name: "talks over a tool",
      verbs: "talk communicate speak",
      match: /\b(?:over|via) (\p{Lu}.*)/u,
      claims: (clause, [, tool]) => [uses(clause, tool!)],
      says: ["We {talk|communicate|speak} {over|via} Slack. → we uses Slack"],
      saysNot: ["We talk over lunch."],
    },
    {
      name: "keeps something in a place",
      verbs: "host store keep save hide stash leave lock",
      is: "active present",
      claims: (clause) => {
        const kept = KEPT.exec(upTo(clause.rest).replace(/^all (?:of )?(?=(?:my|our|the) )/iu, ""));
        return kept === null
          ? null
          : [say(clause, "lives in", kept[2]!, { subject: kept[1]!.replace(/^my /iu, `${clause.subjectText} `) })];
      },
      says: [
        "I {host|store|keep|save|hide|stash|leave|lock} my keys in the drawer. → user keys lives in drawer",
        "We keep our tools {in|on|at|under|inside|behind|outside|beside|near|next to|in front of} the shed. → tools lives in {shed|shed|shed|shed|shed|shed|shed|shed|shed|shed|front of the shed}",
        "We keep {my|the|all|all of my|all our} tools in the shed. → {we tools|tools|all tools|we tools|tools} lives in shed",
      ],
      saysNot: ["I keep my word.", "I kept my keys in the drawer."],
    },
    {
      name: "relies on",
      verbs: "rely",
      match: /^on (.+)/iu,
      claims: (clause, [, tool]) => [uses(clause, tool!)],
      says: ["We rely on Vim. → we uses Vim"],
      saysNot: ["We rely heavily on Vim."],
    },
    {
      name: "is written in",
      verbs: "write rewrite build",
      is: "passive",
      match: /^(?:in|with) (.+)/iu,
      claims: (clause, [, language]) => [
        {
          ...uses(clause, language!, clause.lemma === "rewrite" ? { change: "replaced" } : {}),
          predicate: "is written in",
        },
      ],
      says: [
        "The parser is {written|rewritten|built} {in|with} Rust. → parser is written in {Rust|Rust (replaced)|Rust}",
      ],
      saysNot: ["The house was built by Ben."],
    },
    {
      name: "runs on",
      verbs: "run",
      is: "active",
      match: /^(?!on (?:\S+ )?(?:\S+ )?(?:mornings?|evenings?|afternoons?|days?|\p{L}+days?)\b)(?:on|under) (.+)$/iu,
      claims: (clause, [, system]) => [{ ...uses(clause, system!), predicate: "runs on" }],
      says: ["The site runs {on|under} Linux. → site runs on Linux"],
      saysNot: [
        "I run on {Mondays|most days|cold winter mornings|Sunday evenings|free afternoons}.",
        "I run from home.",
      ],
    },
    {
      name: "runs a named program",
      verbs: "run",
      is: "active",
      match: /^\p{Lu}/u,
      claims: (clause) => [uses(clause, clause.rest)],
      says: ["The laptop runs {Ubuntu|Debian 12}. → laptop uses $1"],
      saysNot: ["I run every day."],
    },
    {
      name: "deploys with",
      verbs: "deploy",
      match: /^with (.+)/iu,
      claims: (clause, [, tool]) => [{ ...uses(clause, tool!), scope: "deploy" }],
      says: ["We deploy with Helm. → we uses Helm [deploy]"],
      saysNot: ["We deploy on Fridays."],
    },
    {
      name: "replaced one's own thing",
      verbs: "replace",
      is: "active",
      match: /^(?:my|his|her|their) (.+?) (?:with|by) (.+)$/iu,
      claims: (clause, [, old, next]) => [
        say(clause, "has", old!, ENDED),
        say(clause, "has", upTo(next!).replace(/^(?:an?|the) /iu, ""), { change: "began" }),
        uses(clause, next!, { change: "replaced", from: old! }),
      ],
      says: [
        "I've replaced my bike {with|by} {a trike|an e-bike|the trike}. → user not has bike (ended); user has {trike (began); user uses trike|e-bike (began); user uses e-bike|trike (began); user uses trike} (replaced, from bike)",
        "They replaced their bikes with trikes. → nothing",
      ],
      saysNot: ["We've replaced Jenkins with Drone."],
    },
    {
      name: "replaced a tool",
      verbs: "replace",
      is: "active",
      match: /^(?:our |the )?(.+?) (?:with|by) (.+)$/iu,
      claims: (clause, [, old, next]) => [uses(clause, next!, { change: "replaced", from: old! })],
      says: [
        "We've replaced {Jenkins|our Jenkins|the Jenkins} {with|by} Drone. → we uses Drone (replaced, from Jenkins)",
      ],
      saysNot: ["We've replaced Jenkins."],
    },
    {
      name: "took the place of a tool",
      verbs: "replace",
      is: "active past",
      match: NAME_ALONE,
      claims: (clause) => noLongerOurs(clause, clause.rest),
      says: [
        "Vite has replaced {Webpack|our Webpack|the Google Closure Compiler}. → we not uses {Webpack (ended)?; user not uses Webpack|our Webpack (ended)?; user not uses our Webpack|Google Closure Compiler (ended)?; user not uses Google Closure Compiler} (ended)?",
      ],
      saysNot: ["Vite has replaced the bundler."],
    },
    {
      name: "a tool was replaced",
      verbs: "replace phase drop decommission remove abandon retire",
      is: "passive past affirmed",
      when: ({ isPast, isPerfect, subjectText }) => (isPast || isPerfect) && NAME_ALONE.test(subjectText),
      match: /^(?:$|[.!]|out\b|with |by )/iu,
      claims: (clause) => noLongerOurs(clause, clause.subjectText),
      says: [
        "Webpack {was|has been} {replaced|dropped|decommissioned|removed|abandoned|retired}. → we not uses Webpack (ended)?; user not uses Webpack (ended)?",
        "Webpack was {replaced with Vite|replaced by Vite|phased out}. → we not uses Webpack (ended)?; user not uses Webpack (ended)?",
      ],
      saysNot: ["The bundler was replaced.", "Webpack was dropped from the list."],
    },
    {
      name: "dropped a tool for another",
      verbs: "drop abandon ditch",
      match: /^(.+?) (?:in favou?r of|for) (.+)$/iu,
      claims: (clause, [, old, next]) => [uses(clause, next!, { change: "replaced", from: old! })],
      says: [
        "We've {dropped|abandoned|ditched} Jenkins {in favour of|in favor of|for} Drone. → we uses Drone (replaced, from Jenkins)",
      ],
      saysNot: ["We've dropped the price."],
    },
  ]),
];

const KEPT = /^((?:our|my|the|all) .+?) (?:in|on|at|under|inside|behind|outside|beside|near|next to) (?!for )(.+)$/iu;

/** What something costs or weighs, or how long it lasts. */
export const MEASURES = rowsWith({ is: "active present", when: ({ rest }) => maskValues(rest).values.length > 0 }, [
  {
    name: "costs",
    verbs: "cost",
    claims: (clause) => [say(clause, "is", upTo(clause.rest), { respect: "measure" })],
    says: ["A ticket costs 12 euros. → ticket is (measure) 12 euros"],
    saysNot: ["A ticket costs a lot.", "A ticket cost 12 euros."],
  },
  {
    name: "weighs",
    verbs: "weigh",
    claims: (clause) => [
      say(clause, "is", upTo(clause.rest), { subject: `${clause.subjectText} weight`, respect: "measure" }),
    ],
    says: ["The parcel weighs 3 kilos. → parcel weight is (measure) 3 kilos"],
    saysNot: ["The parcel weighs a lot."],
  },
  {
    name: "lasts",
    verbs: "last",
    match: /^(?:for )?(?:\d|\p{L}+ (?:second|minute|hour|day|week|month|year)s?\b)/u,
    claims: (clause) => [say(clause, "is", upTo(clause.rest), { respect: "measure" })],
    says: [
      "The course lasts {3 weeks|for 3 weeks}. → course is (measure) $1",
      "The course lasts two {seconds|minutes|hours|days|weeks|months|years}. → course is (measure) two $1",
    ],
    saysNot: ["The course lasts until May 5."],
  },
]);
