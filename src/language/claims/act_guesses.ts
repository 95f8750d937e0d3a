/**
 * Guesses about acts: the older statement is in the other voice or denies the act, or the clause says that it ended.
 */
import { areOpposed } from "../opposites.ts";
import type { Claim, Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { guessDeeds } from "./deed_guesses.ts";
import { mark } from "./guess_draft.ts";
import { guessHired, guessHolder, guessOffice, guessOwner } from "./office_guesses.ts";
import { differsInNumbers, isOtherWay } from "./phrases.ts";
import { contentStems, firstValue, isSameValue, maskValues, stemsOf } from "./values.ts";

/** "Bugs are tracked in GitHub Issues now" after "we track bugs in Bugzilla", and the other way round. */
function guessOtherVoice(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isPassive, subjectText, speaker, form } = clause;
  if (isDenied || clause.isProgressive || !clause.isNew || lemma === "be" || lemma === "have") return [];
  const way = /\b(?:in|on|with|via|by|to|at|over|using|from|through) .+$/iu.exec(upTo(rest))?.[0];
  if (way === undefined) return [];
  const isOther = (object: string) => ({ value, polarity }: Claim) => {
    const old = /^(.*?) ?\b((?:in|on|with|via|by|to|at|over|using|from|through) .+)$/iu.exec(value);
    if (!polarity || old === null) return false;
    const stems = stemsOf(old[1]!);
    return stems.join(" ") === stemsOf(object).join(" ") && isOtherWay(old[2]!, way);
  };
  if (isPassive) {
    const mine = /^(?:user|.+?)'s (.+)$/u.exec(subjectText)?.[1];
    const object = mine ?? subjectText;
    return ["we", speaker, ...(mine === undefined ? [] : [subjectText.slice(0, subjectText.lastIndexOf("'s"))])]
      .flatMap((subject) =>
        mark(clause, { subject, predicates: [lemma], value: `${object} ${rest}`, outdates: isOther(object) })
      );
  }
  const object = form === "past"
    ? undefined
    : /^(?:the |our |my )?((?:\p{L}[\p{L}'-]* ){1,3}?)(?=(?:in|on|with|via|by|to|at|over|using|from|through) )/iu.exec(
      rest,
    )?.[1]?.trim();
  if (object === undefined) return [];
  return mark(clause, { subject: object, predicates: [lemma], value: way, outdates: isOther("") });
}

/** "has been applied" after "has not been applied": what the older statement denied is true now. */
function guessAffirmed(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isPassive, form } = clause;
  if (isDenied || lemma === "be" || lemma === "have" || !(isPassive || form === "past")) return [];
  const said = upTo(rest);
  return [
    ...mark(clause, {
      predicates: [lemma],
      value: said,
      outdates: ({ polarity, value, scope }) =>
        !polarity && scope === "" && (value === "" || stemsOf(value).every((stem) => stemsOf(said).includes(stem))),
    }),
    ...(isPassive ||
        !/^(?:join|enter|get|buy|install|adopt|enrol|enroll|become|receive|find|gain|acquire|sign)$/.test(lemma)
      ? []
      : mark(clause, {
        predicates: ["lives in", "is a member of", "uses", "has", "works at", "status"],
        value: said,
        outdates: ({ polarity, value }) =>
          !polarity && value !== "" && contentStems(value).length > 0 &&
          contentStems(value).every((stem) => stemsOf(said).includes(stem)),
      })),
  ];
}

/** "has toner again", "costs 3 dollars now", "no longer free". */
function guessHasAgain(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew, form } = clause;
  if (isDenied || !isNew || form === "past") return [];
  if (lemma === "have") {
    const thing = contentStems(upTo(rest));
    return thing.length === 0 ? [] : mark(clause, {
      predicates: ["status"],
      value: rest,
      outdates: ({ value }) =>
        /^(?:out of|without|short of|low on|lacking) /iu.test(value) &&
        thing.every((stem) => stemsOf(value).includes(stem)),
    });
  }
  if (lemma !== "cost" && !(lemma === "be" && firstValue(rest)?.kind === "money")) return [];
  return mark(clause, {
    predicates: ["status", "is"],
    value: rest,
    outdates: ({ value, polarity }) => polarity && /^free(?: of charge)?$/iu.test(value),
  });
}

const HOLDS = "hold seat fit store take support accept contain carry serve handle has".split(" ");

/** "The queue can hold 500 jobs now", "we doubled the server's RAM to 32 GB". */
function guessCounts(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew, form, subjectText } = clause;
  if (isDenied) return [];
  const said = upTo(rest);
  const claims: Guessed[] = [];
  if (isNew && form !== "past" && HOLDS.includes(lemma) && maskValues(said).values.length > 0) {
    claims.push(...mark(clause, {
      predicates: HOLDS,
      value: said,
      outdates: ({ value, polarity }) => polarity && differsInNumbers(said, value),
    }));
  }
  const facet = /^(?:the |our )?(.+?)'s (\p{L}+)$/u.exec(subjectText) ??
    /^(?:the |our )?(.+?)'s (\p{L}+)(?= (?:up |down )?to )/u.exec(rest);
  const many = form === "past" ? / to (?:just |about )?([$€£\d].*)$/u.exec(` ${said}`)?.[1] : undefined;
  if (facet !== null && many !== undefined) {
    const [, owner, thing] = facet;
    claims.push(...mark(clause, {
      subject: owner!,
      predicates: ["has", "is"],
      value: `${many} of ${thing}`,
      outdates: ({ value, polarity }) =>
        polarity && contentStems(thing!).every((stem) => stemsOf(value).includes(stem)) &&
        differsInNumbers(`${many} of ${thing}`, value),
    }));
  }
  // "I have a new phone number: 555-9876"
  const fresh = /^(?:have|get)$/.test(lemma)
    ? /^(?:an? |my )?(?:new|different|another) (\p{Ll}+(?: \p{Ll}+)?)(?:,|:|;| -| called| named)? ([^\s].*)$/u.exec(
      said,
    )
    : null;
  if (fresh !== null && /[\p{Lu}\p{N}@]/u.test(fresh[2]!)) {
    claims.push(...mark(clause, {
      subject: clause.subject === "we" ? fresh[1]! : `${subjectText}'s ${fresh[1]}`,
      predicates: ["is"],
      value: fresh[2]!,
      outdates: ({ value, polarity }) => polarity && !isSameValue(value, fresh[2]!),
    }));
  }
  return claims;
}

/**
 * Guesses what has ended: that somebody eats or likes everything or does something at all, or that two are together.
 */
function guessBroken(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, hasEnded, isNew, form } = clause;
  if (isDenied && hasEnded && /^(?:eat|drink|like|play|watch|read)$/.test(lemma)) {
    return mark(clause, {
      predicates: [lemma === "eat" ? "eats" : lemma],
      value: `not ${rest}`,
      outdates: ({ value, polarity }) => polarity && /^(?:everything|anything|all (?:kinds|sorts)\b.*)$/iu.test(value),
    });
  }
  if (isDenied && hasEnded && /^[.!]?$/.test(rest)) {
    return mark(clause, { predicates: [lemma], value: "not", outdates: ({ polarity }) => polarity });
  }
  const diet = !isDenied && /^(?:become|go|turn|be) (?:an? )?(?:vegan|vegetarian|pescatarian)\b/iu;
  if (diet !== false && (form === "past" || isNew) && diet.test(`${lemma} ${rest}`)) {
    return mark(clause, {
      predicates: ["eats"],
      value: rest,
      outdates: ({ value, polarity }) => polarity && /^(?:everything|anything)\b/iu.test(value),
    });
  }
  if (
    !isDenied && form === "past" &&
    /^(?:end|dissolve|break off) (?:their|the|our) (?:\p{L}+ )?(?:partnership|friendship|collaboration|relationship)\b/iu
      .test(`${lemma} ${rest}`)
  ) {
    return mark(clause, {
      predicates: ["status"],
      value: "apart",
      outdates: ({ value, polarity }) =>
        polarity && /^(?:\p{L}+ )?(?:partners|friends|a couple|together)\b/iu.test(value),
    });
  }
  if (!isDenied && form === "past" && /^(?:fall out|quarrel|argue|part ways)\b/iu.test(`${lemma} ${rest}`)) {
    return mark(clause, {
      predicates: ["status"],
      value: "estranged",
      outdates: ({ value, polarity }) => polarity && /^(?:\p{L}+ )?friends\b/iu.test(value),
    });
  }
  return [];
}

/** States that show that an earlier act is undone, each with the verbs of such acts: "the seat is free again". */
const UNDONE: Readonly<Record<string, readonly string[]>> = {
  free: ["take", "occupy", "reserve", "book", "block", "rent"],
  available: ["take", "occupy", "reserve", "book", "block", "rent", "lend", "sell"],
  vacant: ["take", "occupy", "rent", "fill", "let"],
  back: ["lend", "loan", "steal", "borrow", "rent", "take"],
  open: ["block", "lock", "shut", "close", "seal"],
  unlocked: ["lock"],
  fine: ["hurt", "ache", "bleed", "itch", "leak"],
  better: ["hurt", "ache", "bleed", "itch"],
  okay: ["hurt", "ache", "bleed", "itch", "leak"],
};

function guessUndone(clause: Clause): Guessed[] {
  if (clause.lemma !== "be" || clause.isDenied) return [];
  const undone = UNDONE[upTo(clause.rest).toLowerCase().replace(/[.!]$/, "")];
  if (undone === undefined) return [];
  return mark(clause, {
    predicates: undone,
    value: `not ${clause.rest}`,
    outdates: ({ value, polarity }) => polarity && (value === "" || /^by /iu.test(value)),
  });
}

/** "Cal has breakfast every day now", "guests can use it without a password now", "I have Saturdays off now". */
function guessInstead(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew, form } = clause;
  if (isDenied || !isNew || form === "past") return [];
  const claims: Guessed[] = [];
  const has = (stems: readonly string[]) => ({ value, polarity }: Claim) =>
    polarity && stems.length > 0 && stems.every((stem) => stemsOf(value).includes(stem));
  const off = lemma === "have" ? /^(.+?) off\b/iu.exec(rest)?.[1] : undefined;
  if (off !== undefined) {
    claims.push(...mark(clause, { predicates: ["work"], value: `not on ${off}`, outdates: has(stemsOf(off)) }));
  }
  const own = lemma === "have" ? /^(?:my|his|her|our|their) own (\p{L}+)/iu.exec(rest)?.[1] : undefined;
  if (own !== undefined) {
    claims.push(...mark(clause, { predicates: ["share"], value: rest, outdates: has(contentStems(own)) }));
  }
  const without = /\bwithout (?:an? |any |the )?(\p{L}+)/iu.exec(rest)?.[1];
  if (without !== undefined) {
    const predicates = ["need", "require", "take", "use", "wear", "put"];
    claims.push(...mark(clause, { predicates, value: `no ${without}`, outdates: has(contentStems(without)) }));
  }
  if (/^(?:have|eat|take|do|attend|drink)$/.test(lemma)) {
    const object = /^(\p{Ll}+)\b/u.exec(rest)?.[1];
    if (object !== undefined) {
      claims.push(
        ...mark(clause, { predicates: ["skip", "miss", "avoid"], value: rest, outdates: has(contentStems(object)) }),
      );
    }
  }
  if (lemma === "be" && /^(?:sober|teetotal|dry|off the booze)\b/iu.test(rest)) {
    claims.push(
      ...mark(clause, {
        predicates: ["drink"],
        value: rest,
        outdates: ({ value, polarity }) => polarity && value === "",
      }),
    );
  }
  return claims;
}

/** "Max and Lea live apart" after "they live together": the same verb with the opposite word. */
function guessOpposed(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isPassive, form, isNew } = clause;
  const said = upTo(rest);
  const stems = stemsOf(said);
  if (isDenied || isPassive || form === "past" || /^(?:be|have)$/.test(lemma) || stems.length === 0) return [];
  return mark(clause, {
    predicates: [lemma],
    value: said,
    outdates: ({ value, polarity, scope }) => {
      const old = stemsOf(value);
      const [fresh, gone] = [stems.filter((one) => !old.includes(one)), old.filter((one) => !stems.includes(one))];
      return polarity && scope === "" && fresh.length === 1 && gone.length === 1 && areOpposed(fresh[0]!, gone[0]!) &&
        (isNew || stems.length === 1) && maskValues(said).values.length === 0;
    },
  });
}

/** Guesses which older claims a clause likely replaces because of the act in it. */
export function guessActs(clause: Clause): Guessed[] {
  return [
    ...guessOtherVoice(clause),
    ...guessAffirmed(clause),
    ...guessHasAgain(clause),
    ...guessOffice(clause),
    ...guessCounts(clause),
    ...guessBroken(clause),
    ...guessUndone(clause),
    ...guessOwner(clause),
    ...guessHired(clause),
    ...guessHolder(clause),
    ...guessInstead(clause),
    ...guessOpposed(clause),
    ...guessDeeds(clause),
  ];
}
