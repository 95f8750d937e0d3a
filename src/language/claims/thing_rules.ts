/** Rules for what is used, liked, eaten and done. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { type Draft, ENDED, say, upTo } from "./draft.ts";
import { isPerson } from "./people_rules.ts";
import { type Row, rowsWith } from "./row.ts";
import { cleanValue, maskValues } from "./values.ts";
import { ingOf, isEvent, lemmaOfIng, pastOf } from "./verbs.ts";

function uses(clause: Clause, said: string, more: Partial<Draft> = {}): Claim {
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
const NAME_ALONE = /^(?:our |the )?(\p{Lu}[^\s,;.!]*(?: (?:\p{Lu}|\d)[^\s,;.!]*){0,2})[.!]?$/u;

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
      name: "is on a plan",
      verbs: "pay have",
      is: "present",
      match: /^(?:for )?((?:the|a) (?:\S+ ){1,2}(?:plan|tier))\b/iu,
      claims: (clause, [, plan]) => [say(clause, "is a member of", plan!)],
      says: [
        "We pay for {the Pro|the free|a family} {plan|tier}. → we is a member of {Pro|free|family} $2",
        "I have a family plan. → user is a member of family plan",
      ],
      saysNot: ["We pay for the plan."],
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

/** Verbs for what somebody did with a thing before they gave it up. */
const HABITS = ["drink", "learn", "play", "study", "practise"];

/** Rewords "stopped using X" as "does not use X any more"; null: the clause says no such thing. */
export function readStopping(clause: Clause): Clause | null {
  const { lemma, rest } = clause;
  if (clause.isProgressive || clause.form !== "past" || clause.isPassive || clause.isDenied) return null;
  const doing = /^(?:stop|quit)$/.test(lemma)
    ? /^(\p{L}+ing)\b ?(.*)$/iu.exec(rest)
    : lemma === "give"
    ? /^up (\p{L}+ing)\b ?(.*)$/iu.exec(rest)
    : null;
  if (doing === null) return null;
  const verb = lemmaOfIng(doing[1]!);
  return {
    ...clause,
    lemma: verb,
    rest: doing[2]!,
    form: "base",
    isPast: false,
    isDenied: true,
    hasEnded: true,
    hasStopped: true,
  };
}

const EACH_TIME = / ?\b(?:at \S|every |(?:once|twice|\S+ times) a )/iu;

/** Makes the claim that somebody does something from now on, in the words after "started". */
function started(clause: Clause, verb: string, rest: string): Claim[] {
  const lemma = lemmaOfIng(verb);
  if (lemma === "eat") {
    const eats = eaten(clause, rest, "began");
    if (eats !== null) return eats;
  } else if (EACH_TIME.test(rest)) {
    return [{ ...activity({ ...clause, lemma, isNew: true }, rest), confidence: 0.6 }];
  }
  // A new activity adds to the others; it contradicts only a statement that somebody does not do it.
  return [activity({ ...clause, lemma, rest, isNew: true, isAddition: true }, rest)];
}

function gaveUp(clause: Clause, habit: string): Claim[] {
  const value = upTo(habit);
  return [
    uses(clause, value, ENDED),
    ...["eats", ...HABITS].map((predicate) => say(clause, predicate, value, ENDED)),
  ];
}

/** Matches what is given up and is no habit. */
const NO_HABIT = /\b(?:job|club|team)\b|^(?:(?:my|his|her|their|the|our|on|hope|as|from) |early\b|late\b)/iu;

/** What somebody has stopped, started or done less. */
export const STARTS_AND_STOPS = rowsWith({ is: "settled past" }, [
  {
    name: "dropped what has a name",
    verbs: "drop abandon ditch uninstall decommission retire remove",
    is: "active",
    match: NAME_ALONE,
    claims: (clause, [, tool]) => [uses(clause, tool!, ENDED)],
    says: [
      "We've dropped Drupal 7. → we not uses Drupal 7 (ended)",
      "We've {dropped|abandoned|ditched|uninstalled|decommissioned|retired|removed} {Redux|Google Fonts|our Redux|the Redux}. → we not uses {Redux|Google Fonts|Redux|Redux} (ended)",
    ],
    saysNot: ["We've dropped the plan."],
  },
  {
    name: "phased out what has a name",
    verbs: "phase",
    is: "active",
    when: ({ rest }) => NAME_ALONE.test(rest.replace(/^out /iu, "")),
    claims: (clause) => [uses(clause, NAME_ALONE.exec(clause.rest.replace(/^out /iu, ""))![1]!, ENDED)],
    says: ["We've phased out Redux. → we not uses Redux (ended)"],
    saysNot: ["We've phased out the plan."],
  },
  {
    name: "moved off what has a name",
    verbs: "move migrate switch",
    is: "active",
    match: /^(?:away from|off of|off) (.+)/iu,
    claims: (clause, [how, thing]) => {
      const tool = clause.lemma === "move" && /^away/iu.test(how) ? undefined : NAME_ALONE.exec(thing!)?.[1];
      return tool === undefined ? null : [uses(clause, tool, ENDED)];
    },
    says: [
      "We've {moved|migrated|switched} {off|off of} Jenkins. → we not uses Jenkins (ended)",
      "We've {migrated|switched} away from Jenkins. → we not uses Jenkins (ended)",
    ],
    saysNot: ["We've moved away from Leeds."],
  },
  {
    name: "unsubscribed",
    verbs: "unsubscribe",
    match: /^from (.+)/iu,
    claims: (clause, [, what]) => [say(clause, "subscribe", upTo(what!), ENDED)],
    says: ["I've unsubscribed from the Times. → user not subscribe Times (ended)"],
    saysNot: ["I've unsubscribed."],
  },
  {
    name: "started doing",
    verbs: "start begin resume",
    when: ({ rest }) => !/^working (?:at|for) \p{Lu}/u.test(rest),
    match: /^(\p{L}+ing)\b ?(.+)$/iu,
    claims: (clause, [, verb, rest]) => started(clause, verb!, rest!),
    says: [
      "I've {started|begun|resumed} playing the cello. → user play cello (began, added)",
      "I've started eating {meat|the meat|any meat|only meat|no meat|meat again}. → user {eats|eats|eats|eats|not eats|eats} meat (began)",
      "I've started running {at dawn|every day|once a week|twice a week|three times a week}. → user run $1 (began)?",
    ],
    saysNot: ["I've started a course.", "I've started working {at|for} Shell."],
  },
  {
    name: "went back to doing",
    verbs: "go return come revert",
    match: /^(?:back )?to (\p{L}+ing)\b ?(.+)$/iu,
    claims: (clause, [, verb, rest]) => started(clause, verb!, rest!),
    says: [
      "I've {gone|come} back to playing the cello. → user play cello (began, added)",
      "I've {returned|reverted} to playing the cello. → user play cello (began, added)",
    ],
    saysNot: ["I've gone back to Leeds."],
  },
  {
    name: "cut down to so often",
    verbs: "cut get",
    match: /^(?:back |down |up )(?:to |on )?(\p{L}+ing)\b ?(.*)$/iu,
    claims: (clause, [, verb, often]) =>
      maskValues(often!).values.some(({ kind }) => kind === "rhythm")
        ? [activity({ ...clause, lemma: lemmaOfIng(verb!), rest: often!, isNew: true }, often!)]
        : null,
    says: ["I've {cut back|cut down|got up} {to|on} watering it once a week. → user water it once a week (began)"],
    saysNot: ["I've cut back on smoking."],
  },
  {
    name: "gave up a diet",
    verbs: "give",
    match: /^up (.+)$/iu,
    claims: (clause, [, what]) => {
      const value = upTo(what!).replace(/^(?:my|his|her|their|the|a) /iu, "");
      return /\bdiet$/iu.test(value) ? [say(clause, "diet", value, ENDED)] : null;
    },
    says: ["I've given up {my|his|her|their|the|a} keto diet. → user not diet keto diet (ended)"],
    saysNot: [
      "I've given up coffee. → user not uses coffee (ended); user not eats coffee (ended); user not drink coffee (ended); user not learn coffee (ended); user not play coffee (ended); user not study coffee (ended); user not practise coffee (ended)",
    ],
  },
  {
    name: "gave up a habit",
    verbs: "give",
    match: /^up (.+)$/iu,
    claims: (clause, [, what]) => NO_HABIT.test(upTo(what!)) ? null : gaveUp(clause, what!),
    says: [
      "I've given up coffee. → user not uses coffee (ended); user not eats coffee (ended); user not drink coffee (ended); user not learn coffee (ended); user not play coffee (ended); user not study coffee (ended); user not practise coffee (ended)",
    ],
    saysNot: ["I've given up {my flat|hope of a raise|on him|a good job|a team}."],
  },
  {
    name: "quit a habit",
    verbs: "quit",
    match: /^[^\p{Lu}]+$/u,
    claims: (clause) => NO_HABIT.test(upTo(clause.rest)) ? null : gaveUp(clause, clause.rest),
    says: [
      "I quit coffee. → user not uses coffee (ended); user not eats coffee (ended); user not drink coffee (ended); user not learn coffee (ended); user not play coffee (ended); user not study coffee (ended); user not practise coffee (ended)",
    ],
    saysNot: ["I quit book club.", "I quit {my job|the club|Slack}."],
  },
]);

/** Makes the claim that somebody does something in general: the verb, its object, and where, how or with whom. */
export function activity(clause: Clause, rest: string): Claim {
  const none = /^no (.+)$/iu.exec(rest);
  return say(clause, clause.lemma, upTo(none?.[1] ?? rest), none === null ? {} : { polarity: clause.isDenied });
}

function likes(clause: Clause, value: string, polarity: boolean, change: Claim["change"] = null): Claim[] {
  const liked = upTo(value).replace(/ (?:better|best|more|most)$/iu, "");
  return [say(clause, "likes", liked, { polarity, change })];
}

function prefers(clause: Clause, predicate: "prefers" | "wants"): Claim[] {
  const wish = upTo(clause.rest);
  const over = /^to /iu.test(wish) ? null : /^(.+?) (?:over|to|than) (.+)$/iu.exec(wish);
  return [say(clause, predicate, over === null ? wish : `${over[1]} over ${over[2]}`)];
}

/** What somebody likes, prefers or wants. */
export const TASTES = rowsWith({ is: "settled active" }, [
  {
    name: "can stand",
    verbs: "stand",
    is: "present",
    when: ({ modal }) => modal === "can",
    claims: (clause) => likes(clause, clause.rest, !clause.isDenied),
    says: ["I can't stand {jazz|the noise}. → user not likes {jazz|noise}", "I can stand jazz. → user likes jazz"],
    saysNot: ["I stand at the bar."],
  },
  {
    name: "does not mind",
    verbs: "mind",
    is: "denied present",
    claims: (clause) => likes(clause, clause.rest, true, clause.hasEnded ? "began" : null),
    says: ["I don't mind rain. → user likes rain", "I don't mind rain any more. → user likes rain (began)"],
    saysNot: ["I mind the shop."],
  },
  {
    name: "went off",
    verbs: "go",
    match: /^off (.+)/iu,
    claims: (clause, [, what]) => likes(clause, what!, false, "ended"),
    says: ["I've gone off jazz. → user not likes jazz (ended)"],
    saysNot: ["I've gone to Leeds."],
  },
  {
    name: "came to like",
    verbs: "come",
    match: /^to (?:like|love|enjoy) (.+)$/iu,
    claims: (clause, [, what]) => likes(clause, what!, !clause.isDenied, "began"),
    says: ["I've come to {like|love|enjoy} jazz. → user likes jazz (began)"],
    saysNot: ["I've come to Leeds."],
  },
  {
    name: "got tired of",
    verbs: "get",
    match: /^(?:tired|sick|bored) of (.+)$/iu,
    claims: (clause, [, what]) => likes(clause, what!, false, "ended"),
    says: ["I've got {tired|sick|bored} of jazz. → user not likes jazz (ended)"],
    saysNot: ["I've got a cat."],
  },
  {
    name: "likes one thing better",
    verbs: "like love enjoy",
    is: "affirmed present",
    head: /^(.+?) (?:better|more) than (.+)$/iu,
    claims: (clause, [, better, worse]) => [say(clause, "prefers", `${better} over ${worse}`)],
    says: ["I {like|love|enjoy} tea {better|more} than coffee. → user prefers tea over coffee"],
    saysNot: ["I like tea."],
  },
  {
    name: "does not care for",
    verbs: "care",
    is: "denied present",
    match: /^for (.+)/iu,
    claims: (clause, [, what]) => likes(clause, what!, false),
    says: ["I don't care for jazz. → user not likes jazz"],
    saysNot: ["I care for my aunt."],
  },
  {
    name: "likes",
    verbs: "like love enjoy",
    is: "present",
    claims: (clause) => likes(clause, clause.rest, !clause.isDenied),
    says: [
      "I {like|love|enjoy} {jazz|jazz best|jazz most|to cook|an argument}. → user likes {jazz|jazz|jazz|cook|argument}",
      "I don't like jazz {better|more}. → user not likes jazz",
    ],
    saysNot: ["I liked jazz."],
  },
  {
    name: "dislikes",
    verbs: "hate dislike",
    is: "present",
    claims: (clause) => likes(clause, clause.rest, clause.isDenied),
    says: ["I {hate|dislike} jazz. → user not likes jazz", "I don't hate jazz. → user likes jazz"],
    saysNot: ["I hated jazz."],
  },
  {
    name: "is a fan of",
    verbs: "be",
    match:
      /^(?:(?:an? )?(?:big |huge |great |real )?fan of|fond of|into|keen on|crazy about|obsessed with|hooked on|addicted to|passionate about) (.+)$/iu,
    claims: (clause, [, what]) => likes(clause, what!, !clause.isDenied),
    says: [
      "I'm {a fan of|a big fan of|a huge fan of|a great fan of|a real fan of|fond of|into|keen on|crazy about|obsessed with|hooked on|addicted to|passionate about} jazz. → user likes jazz",
      "I'm not a fan of jazz. → user not likes jazz",
    ],
    saysNot: ["I'm in Leeds."],
  },
  {
    name: "prefers",
    verbs: "prefer favour favor",
    is: "present",
    claims: (clause) => prefers(clause, "prefers"),
    says: [
      "I {prefer|favour|favor} tea. → user prefers tea",
      "I prefer tea {over|to|than} coffee. → user prefers tea over coffee",
      "I prefer to walk. → user prefers walk",
    ],
    saysNot: ["I preferred tea."],
  },
  {
    name: "wants",
    verbs: "want",
    is: "present",
    match: /^(?!to )/iu,
    claims: (clause) => prefers(clause, "wants"),
    says: ["I want longer answers. → user wants longer answers"],
    saysNot: ["I want to leave."],
  },
]);

function eaten(clause: Clause, rest: string, began: "began" | null): Claim[] | null {
  const food = upTo(rest).replace(/^(?:the|any|only) /iu, "");
  if (food === "") return null;
  const change = began ?? (clause.isNew ? "began" : null);
  const none = (/^no (.+)$/iu.exec(food) ?? /^(\p{L}+)[- ]free$/iu.exec(food))?.[1];
  return none === undefined
    ? [say(clause, "eats", food, { change })]
    : [say(clause, "eats", none, { polarity: clause.isDenied, change })];
}

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

/** What somebody eats. */
export const DIETS_AND_FOOD: readonly Row[] = [
  {
    name: "lost an allergy",
    verbs: "outgrow lose",
    is: "past",
    match: /^(?:my|his|her|their|the) (.+?) (?:allergy|intolerance)\b/iu,
    claims: (clause, [, food]) => [
      say(clause, "is allergic to", food!, ENDED),
      say(clause, "may", `have ${food}`, { change: "began" }),
    ],
    says: [
      "I've {outgrown|lost} {my|the} nut {allergy|intolerance}. → user not is allergic to nut (ended); user may have nut (began)",
      "They have outgrown their nut allergy. → nothing",
    ],
    saysNot: ["I've lost my dog."],
  },
  {
    name: "has an allergy",
    verbs: "have",
    claims: (clause) => {
      const allergy = ALLERGY.exec(cleanValue(upTo(clause.rest)));
      const polarity = !clause.isDenied && !/^no /iu.test(clause.rest);
      return allergy === null ? null : [say(clause, "is allergic to", (allergy[1] ?? allergy[2])!, { polarity })];
    },
    says: [
      "I have a {nut allergy|severe nut allergy|bad nut intolerance|mild nut allergy|strong nut allergy}. → user is allergic to nut",
      "I have an {allergy|intolerance} to nuts. → user is allergic to nuts",
      "I have no nut allergy. → user not is allergic to nut",
    ],
    saysNot: ["I have a dog."],
  },
  {
    name: "went vegan",
    verbs: "become go turn",
    is: "past",
    match: /^(?:an? )?(vegetarian|vegan|pescatarian)(?=[.!,;]|$| (?:in|for|at|after|since|and|when)\b)/iu,
    claims: (clause, [, diet]) => [say(clause, "diet", diet!.toLowerCase(), { change: "replaced" })],
    says: [
      "I've {become|gone|turned} {vegetarian|vegan|pescatarian|a vegan}. → user diet {vegetarian|vegan|pescatarian|vegan} (replaced)",
      "I went vegan {in May|for my health|at 30|after the flu|since then|and feel well|when I moved}. → user diet vegan (replaced)",
    ],
    saysNot: ["I've become vegan-friendly."],
  },
  {
    name: "eats",
    verbs: "eat",
    is: "present",
    when: ({ rest }) => maskValues(rest).values.length === 0,
    claims: (clause) => eaten(clause, clause.rest, null),
    says: [
      "I eat {meat|no meat|gluten-free|gluten free|only fish}. → user {eats meat|not eats meat|not eats gluten|not eats gluten|eats fish}",
      "I don't eat meat. → user not eats meat",
    ],
    saysNot: ["I eat at 7 pm.", "I ate fish."],
  },
];

const ALLERGY =
  /^(?:no )?(?:(?:severe|bad|mild|strong) )?(?:(\S+) (?:allergy|intolerance)|(?:allergy|intolerance) to (.+))$/iu;

const DOING = new Set("lead manage maintain coach chair head oversee supervise teach direct run handle".split(" "));

/** Reads "Tim leads the team" as "the team is led by Tim". */
function doerOf(clause: Clause): Claim[] {
  const object = DOING.has(clause.lemma) && !clause.isPassive && clause.form !== "past"
    ? /^(?:(?:the|our) .+|\p{Lu}\S*(?: \p{Lu}\S*)*[.!]?)$/u.exec(upTo(clause.rest))?.[0]
    : undefined;
  if (object === undefined || maskValues(object).values.length > 0 || !/^\p{Lu}/u.test(clause.subjectText)) return [];
  return [say(clause, clause.lemma, `by ${clause.subjectText}`, { subject: cleanValue(object) })];
}

/**
 * What somebody does. A team has one leader, but a person may lead several teams, so the claim about the team comes
 * first: a fact is found by its first claim.
 */
function does(clause: Clause): Claim[] {
  return [...doerOf(clause), activity(clause, clause.rest)];
}

/** Whether a clause says that something has not happened, or not yet: "has not moved". */
function isUndone({ isDenied, hasEnded }: Clause): boolean {
  return isDenied && !hasEnded;
}

/** What has not been done, or is being done: these rows come before all others. */
export const UNDONE: readonly Row[] = [
  {
    name: "has not done it yet",
    is: "perfect",
    when: (clause) => isUndone(clause) && clause.lemma !== "be",
    match: /^(?:yet)?[.!]?$/iu,
    claims: (clause) => [{ ...activity(clause, ""), confidence: 0.6 }],
    says: ["The parcel hasn't arrived {yet|}. → parcel not arrive?"],
    saysNot: ["The parcel has arrived."],
  },
  {
    name: "has never been to a place",
    verbs: "be",
    is: "perfect active plain",
    when: isUndone,
    match: /^to ((?:\p{Lu}|an? ).*?)(?: in (?:my|his|her|their) (?:whole |entire )?life)?[.!]?$/u,
    claims: (clause, [, place]) => [neverDone(clause, "been to", place!)],
    says: [
      "I've never been to {Japan|a sauna|an opera}. → user not has been to {Japan|sauna|opera}?",
      "I've never been to Japan in my {life|whole life|entire life}. → user not has been to Japan?",
    ],
    saysNot: ["I've never been to school."],
  },
  {
    name: "has never done it",
    is: "perfect active plain past",
    when: (clause) => isUndone(clause) && clause.lemma !== "be",
    match: /^(?!(?:for|since) )/iu,
    claims: (clause) => {
      const value = clause.rest.replace(/,? yet[.!]?$/iu, "").replace(/[.!]+$/u, "");
      return value === "" ? null : [neverDone(clause, pastOf(clause.lemma), value)];
    },
    says: [
      "I've never tried sushi. → user not has tried sushi?",
      "I haven't tried sushi {yet|so far}. → user not has tried {sushi|sushi (began)}?",
    ],
    saysNot: ["I haven't smoked {for Ben's sake|since Monday}."],
  },
  {
    name: "has not changed",
    is: "plain",
    when: (clause) => isUndone(clause) && isEvent(clause.lemma) && (clause.form === "past" || clause.isPassive),
    claims: () => [],
    says: ["The office was not moved. → nothing"],
    saysNot: ["The office was moved."],
  },
  {
    name: "is being done",
    is: "passive affirmed",
    when: ({ isUnderWay }) => isUnderWay,
    claims: (clause) => [say(clause, "status", `being ${pastOf(clause.lemma)}`, { confidence: 0.6 })],
    says: ["The roof is being repaired. → roof status being repaired?"],
    saysNot: ["The roof is repaired."],
  },
  {
    name: "is going on",
    is: "ongoing",
    when: (clause) => !isPerson(clause) && !/^(?:work|run)$/.test(clause.lemma),
    match: /^[.!]?$/,
    claims: (clause) => [say(clause, "status", ingOf(clause.lemma)), activity(clause, "")],
    says: ["The river is rising. → river status rising; river rise"],
    saysNot: ["Ben is leaving.", "The lift is running."],
  },
];

function neverDone(clause: Clause, done: string, value: string): Claim {
  return say(clause, `has ${done}`, upTo(value), { polarity: false, confidence: 0.6 });
}

/** Verbs that only say that something was done. */
const NO_ACTIVITY = new Set(
  "be have say tell know see make do go come get give put ask call leave mention become begin end act".split(" "),
);

/** What somebody does in general: these rows come after all others. */
export const ACTIVITIES: readonly Row[] = [
  {
    name: "stopped doing",
    when: ({ hasStopped }) => hasStopped === true,
    claims: does,
    says: ["I've {stopped|quit} running. → user not run (ended)", "I've given up running. → user not run (ended)"],
    saysNot: ["I run."],
  },
  {
    name: "does it somewhere",
    verbs: "do",
    is: "active present",
    match: /^(?:my|our|his|her|their|the|most) .* (?:in|at|on|with) /iu,
    claims: does,
    says: [
      "I do {my|our|the|most} workouts {in|at|on|with} the garage door. → user do {my workouts|our workouts|workouts|most workouts} $2 the garage door",
    ],
    saysNot: ["I do my best."],
  },
  {
    name: "does a diet",
    verbs: "do",
    is: "active present",
    match: /^(?:an? |the )?(?:keto|paleo|atkins|fasting|[\p{L}-]+ diet|dieting)\b/iu,
    claims: does,
    says: [
      "I do {keto|paleo|atkins|fasting|a raw diet|an egg diet|the grape diet|dieting}. → user do {keto|paleo|atkins|fasting|raw diet|egg diet|grape diet|dieting}",
    ],
    saysNot: ["I do yoga."],
  },
  {
    name: "gets it from somewhere",
    verbs: "get",
    is: "settled active present",
    match: /^(?:my|our|his|her|their|the) .+ (?:from|at) /iu,
    claims: does,
    says: [
      "I get {my|our|the} vegetables {from|at} a farm. → user get {my vegetables|our vegetables|vegetables} $2 a farm",
    ],
    saysNot: ["I get my hair cut."],
  },
  {
    name: "goes somewhere",
    verbs: "go",
    is: "settled present",
    match: /^(?:(?:through|via|over) \p{Lu}|to (?:the|an?|my|our|his|her|their|\p{Lu}))/u,
    claims: does,
    says: [
      "The train goes {through|via|over} Leeds. → train go $1 Leeds",
      "I go to {the|a|an old|my|our|her|his|their} gym. → user go $1 gym",
      "I go to Aldi. → user go Aldi",
    ],
    saysNot: ["I went to the gym."],
  },
  {
    name: "does it at a time",
    is: "present",
    when: ({ lemma, isProgressive, rest }) =>
      NO_ACTIVITY.has(lemma) && !/^(?:be|have)$/.test(lemma) && !(isProgressive && isEvent(lemma)) &&
      maskValues(rest).values.length > 0,
    claims: does,
    says: ["I get up at 7 am. → user get up at 7 am"],
    saysNot: ["Invoices are payable in 20 days.", "I have salad at 1 pm.", "I get up early."],
  },
  {
    name: "does",
    when: ({ lemma, form, isPassive, isProgressive }) =>
      !NO_ACTIVITY.has(lemma) && !(isProgressive && isEvent(lemma)) && (form !== "past" || isPassive),
    claims: does,
    says: [
      "I play the cello. → user play cello",
      "Tim {leads|manages|maintains|coaches|chairs|heads|oversees|supervises|teaches|directs|runs|handles} the team. → team {lead by Tim; Tim lead|manage by Tim; Tim manage|maintain by Tim; Tim maintain|coach by Tim; Tim coach|chair by Tim; Tim chair|head by Tim; Tim head|oversee by Tim; Tim oversee|supervise by Tim; Tim supervise|teach by Tim; Tim teach|direct by Tim; Tim direct|run by Tim; Tim run|handle by Tim; Tim handle} team",
      "Tim leads Atlas. → Atlas lead by Tim; Tim lead Atlas",
      "I'm learning the cello. → user learn cello",
      "The payroll is handled by Ben. → payroll handle by Ben",
    ],
    saysNot: ["I played the cello.", "I'm moving to Leeds."],
  },
];
