/** Guesses about what somebody has changed for something of the same kind, or does in another way. */
import type { Claim, Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { mark } from "./guess_draft.ts";
import { headOf, isProper } from "./phrases.ts";
import { contentStems, isSameValue, maskValues, stemsOf } from "./values.ts";
import { findVerb, lemmaOfIng } from "./verbs.ts";

const CONSUMED = "drink eat use buy order take wear drive ride read smoke play study read watch cook bake like".split(
  " ",
);
const HABITS = "attend visit bank shop support teach likes prefers wants uses has eats".split(" ");

/** "switched to oat milk" after a statement about any other milk. */
export function guessSwitch(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied, isPassive } = clause;
  if (isDenied || clause.isProgressive) return [];
  const to = form === "past" &&
      /^(?:switch|change|move|go|convert|turn|upgrade|downgrade|graduate|transfer|relocate)$/.test(lemma) && !isPassive
    ? /^(?:over |back |up |down |on )?(?:to|for) (?:an? |the |my |his |her |their )?(.+)$/iu.exec(upTo(rest))?.[1]
    : undefined;
  const value = to?.replace(/ (?:for|when|while|in|at|on) .*$/iu, "");
  const claims: Guessed[] = [];
  if (value !== undefined && value !== "") {
    const head = headOf(value);
    const isOther = ({ value: old, polarity, scope }: Claim) =>
      polarity && scope === "" && head !== "" && headOf(old) === head && !isSameValue(old, value) &&
      contentStems(value).length > 1;
    claims.push(
      ...mark(clause, {
        predicates: [...CONSUMED, ...HABITS, "work", "works at", "sit", "is a member of"],
        value,
        outdates: isOther,
      }),
    );
  }
  // "upgraded to Final Cut for editing videos": another means of what somebody does.
  const means = /^(?:.*?\bto |uses? |using )?(?:an? |the )?(\p{Ll}?\p{Lu}.*?) (?:for|when|while) (\p{L}+ing)\b ?(.*)$/u
    .exec(lemma === "use" ? `to ${upTo(rest)}` : form === "past" ? upTo(rest) : "");
  if (means !== null && (clause.isNew || form === "past")) {
    const object = contentStems(means[3]!);
    claims.push(...mark(clause, {
      predicates: [lemmaOfIng(means[2]!)],
      value: `${means[3]} with ${means[1]}`,
      outdates: ({ value: old, polarity }) => {
        const by = /^(.*?)\b(?:with|in|on|via|by|over|using|from) (\p{Ll}?\p{Lu}.*)$/u.exec(old);
        return polarity && by !== null && !isSameValue(by[2]!, means[1]!) &&
          (object.length === 0 || object.some((stem) => stemsOf(by[1]!).includes(stem)));
      },
    }));
  }
  return claims;
}

const TOOL =
  /\b(?:apps?|applications?|spreadsheets?|notebooks?|diary|journal|planner|calendar|tools?|scripts?|programs?|editor|phone|tablet|laptop|computer|machine|website|browser|pens?|pencils?|typewriter|keyboard|bot|board|database|pipeline|plugin|library|framework|camera|printer|knife|oven|mixer|blender)(?: (?:called|named) \S+)?$/iu;

/** Whether a phrase names a tool: a thing with an article, or a name that is no time. */
export function isTool(phrase: string): boolean {
  if (maskValues(phrase).values.length > 0) return false;
  return (/^(?:an?|the|my|our|his|her|their) /iu.test(phrase) && TOOL.test(phrase)) ||
    /^\p{Ll}?\p{Lu}\S*$/u.test(phrase);
}

/** "I log my mood in an app now" after "I use a diary to log my mood". */
export function guessMeans(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied, isPassive, isNew } = clause;
  const said = isDenied || isPassive || !isNew || form === "past"
    ? null
    : /^(?:(.+?) (?:in|with|on|via|using)|(?:on|via|using)) (.+)$/iu.exec(upTo(rest));
  if (said === null || lemma === "be" || lemma === "have" || !isTool(said[2]!)) return [];
  const deed = [...stemsOf(`${lemma} ${said[1] ?? ""}`)].sort().join(" ");
  return mark(clause, {
    predicates: ["uses"],
    value: said[2]!,
    outdates: ({ value, polarity, scope }) =>
      polarity && [...scope.split(" ")].sort().join(" ") === deed && !isSameValue(value, said[2]!) &&
      (isProper(value) || !/^\p{Ll}?\p{Lu}/u.test(said[2]!)),
  });
}

const TAIL = /^(.+?) ((?:in|on|at|for|with|during|before|after|every|from) .+)$/iu;

/** "I drink tea in the morning now", "Des only eats meat on Sundays now": something else at the same time, or the same at another. */
export function guessSame(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied, isPassive, isNew } = clause;
  const said = TAIL.exec(upTo(rest));
  if (isDenied || isPassive || !isNew || form === "past" || said === null || lemma === "be") return [];
  const [object, tail] = [said[1]!, said[2]!];
  const isTimed = maskValues(tail).values.length > 0;
  return mark(clause, {
    predicates: [lemma, ...(lemma === "eat" ? ["eats"] : [])],
    value: rest,
    outdates: ({ value, polarity, scope }) => {
      const old = TAIL.exec(value);
      if (!polarity || scope !== "" || old === null) return false;
      if (isSameValue(old[2]!, tail)) {
        return /^(?:in|at|for|before|after|during) (?:the )?(?:morning|evening|afternoon|night|lunch|breakfast|dinner|bed|work)\b/iu
          .test(tail) &&
          isProper(old[1]!) === isProper(object) && !isSameValue(old[1]!, object);
      }
      return isTimed && stemsOf(old[1]!).join(" ") === stemsOf(object).join(" ") &&
        maskValues(old[2]!).values.some(({ kind }) => kind === "rhythm") && !isSameValue(old[2]!, tail);
    },
  });
}

const MANNER = /^(.+?) (by \p{Ll}+|\p{Ll}{3,}ly|online|offline|in person|myself|in (?:cash|writing|ink|pencil))$/u;

/** "I sign documents electronically now": the same in another manner. */
export function guessManner(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied, isPassive, isNew } = clause;
  const said = isDenied || isPassive || !isNew || form === "past" ? null : MANNER.exec(upTo(rest));
  if (said === null) return [];
  return mark(clause, {
    predicates: [lemma],
    value: rest,
    outdates: ({ value, polarity, scope }) => {
      const old = MANNER.exec(value);
      return polarity && scope === "" && old !== null && isSameValue(old[1]!, said[1]!) &&
        !isSameValue(old[2]!, said[2]!);
    },
  });
}

const SERVED = "talk rely run work connect integrate speak sync send go depend call".split(" ");

/** "The app uses Adyen for payments now": the app used something else for payments before. */
export function guessPurpose(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew } = clause;
  const said = /^(?:on |with |to |through |via )?(\p{Ll}?\p{Lu}\S*(?: \p{Lu}\S*)?) for (.+)$/u.exec(upTo(rest));
  if (isDenied || !isNew || said === null || !/^(?:use|rely|go|work|talk|run|send|connect|depend)$/.test(lemma)) {
    return [];
  }
  const purpose = [...stemsOf(said[2]!)].sort().join(" ");
  return mark(clause, {
    predicates: ["uses", ...SERVED],
    value: said[0],
    outdates: ({ value, polarity, scope }) =>
      polarity && [...scope.split(" ")].sort().join(" ") === purpose && isProper(value) &&
      !isSameValue(value, said[1]!),
  });
}

const OWN_THING =
  /^(?:my|our|his|her|their) ((?:(?!with|in |on )\p{L}+ )?(?!with|in |on )\p{L}+) ((?:with|without|in|on) .+|\p{L}+)[.!]?$/iu;

/** "I take my coffee with milk now", "I like my eggs poached": another way of having the same thing. */
export function guessWay(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied, isPassive } = clause;
  if (isDenied || isPassive || form === "past") return [];
  const verbs = /^(?:take|drink|eat|have|like|prefer|want|wear|keep|order|love)$/;
  const said = verbs.test(lemma) ? OWN_THING.exec(upTo(rest)) : null;
  if (said === null) return [];
  const [, thing, way] = said;
  const isParticiple = /(?:ed|en)$/iu.test(way!) || findVerb(way!.toLowerCase())?.form === "past";
  if (!clause.isNew && !isParticiple && !WAYS.test(way!)) return [];
  const predicates = "take drink eat have likes prefers wants wear keep order".split(" ");
  return mark(clause, {
    predicates,
    value: rest,
    outdates: ({ value, polarity }) => {
      const old = OWN_THING.exec(value);
      if (old === null) {
        const without = /^with(?:out)? (.+)$/iu.exec(way!);
        const taken = /^(.+?) in (?:my|our|his|her|their) (.+)$/iu.exec(value);
        return polarity && /^without/iu.test(way!) && taken !== null && without !== null &&
          isSameValue(taken[1]!, without[1]!) && headOf(taken[2]!) === headOf(thing!);
      }
      return polarity && stemsOf(old[1]!).join(" ") === stemsOf(thing!).join(" ") && !isSameValue(old[2]!, way!) &&
        isProper(old[2]!) === isProper(way!);
    },
  });
}

/** Ways in which somebody takes food or drink, or keeps a thing. */
const WAYS =
  /^(?:with|without|black|white|rare|medium|raw|hot|cold|warm|short|long|open|closed|strong|weak|sweet|dry|spicy|mild|soft|hard|plain|iced|straight|neat|crispy?)\b/iu;
