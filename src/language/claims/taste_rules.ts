/** Rules for what is liked and eaten. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { ENDED, say, upTo } from "./draft.ts";
import { type Row, rowsWith } from "./row.ts";
import { cleanValue, maskValues } from "./values.ts";

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

/** Makes the claim of what somebody eats, or does not eat; null: the text names no food. */
export function eaten(clause: Clause, rest: string, began: "began" | null): Claim[] | null {
  const food = upTo(rest).replace(/^(?:the|any|only) /iu, "");
  if (food === "") return null;
  const change = began ?? (clause.isNew ? "began" : null);
  const none = (/^no (.+)$/iu.exec(food) ?? /^(\p{L}+)[- ]free$/iu.exec(food))?.[1];
  return none === undefined
    ? [say(clause, "eats", food, { change })]
    : [say(clause, "eats", none, { polarity: clause.isDenied, change })];
}

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
