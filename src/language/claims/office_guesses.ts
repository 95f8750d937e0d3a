/** Guesses about who has an office or owns something: only one person does at a time. */
import type { Claim, Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { mark } from "./guess_draft.ts";
import { isPerson } from "./people_rules.ts";
import { isProper } from "./phrases.ts";
import { isSameValue } from "./values.ts";

/** "Leo is head of sales", "Felix chairs the committee": only one person does at a time. */
export function guessOffice(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isPassive, form, subjectText } = clause;
  if (isDenied || isPassive || form === "past" || !isProper(subjectText) || !isPerson(clause)) return [];
  const office = lemma === "be"
    ? /^(?:the )?((?:head|chief|president|captain|chair(?:man|woman|person)?|director|leader|mayor|principal|dean|treasurer|secretary|owner|manager|editor|C[A-Z]O)\b(?: (?:of|for) .+)?)$/u
      .exec(upTo(rest))?.[1]
    : undefined;
  const isOther = ({ value, polarity }: Claim) => polarity && isProper(value) && !isSameValue(value, subjectText);
  if (office !== undefined) {
    return mark(clause, { subject: office, predicates: ["is"], value: subjectText, outdates: isOther });
  }
  if (!/^(?:lead|chair|head|captain|manage|run|coach|direct|own|maintain|host|moderate)$/.test(lemma)) return [];
  const what = /^(?:the|our) (.+)$/iu.exec(upTo(rest))?.[1];
  if (what === undefined) return [];
  return mark(clause, {
    subject: what,
    predicates: [lemma],
    value: `by ${subjectText}`,
    outdates: ({ value, polarity }) => {
      const by = /^by (\p{Lu}.*)$/u.exec(value)?.[1];
      return polarity && by !== undefined && !isSameValue(by, subjectText);
    },
  });
}

const HOLDERS =
  /'s (?:\p{L}+ )?(?:manager|boss|supervisor|landlord|landlady|doctor|dentist|therapist|teacher|tutor|coach|trainer|mentor|adviser|advisor|lawyer|accountant|hairdresser|cleaner|flatmate|roommate|assistant|physiotherapist|GP)$/iu;

/** "My new manager is Desmond" after "my manager is called Yvonne", and the other way round. */
export function guessHolder(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew, subjectText } = clause;
  if (isDenied || !isNew || !/^(?:be|call|name)$/.test(lemma) || !HOLDERS.test(subjectText)) return [];
  const name = upTo(rest).replace(/^(?:called|named) /iu, "");
  if (!/^\p{Lu}/u.test(name)) return [];
  return mark(clause, {
    predicates: ["is", "is called"],
    value: name,
    outdates: ({ value, polarity }) => polarity && isProper(value) && !isSameValue(value, name),
  });
}

/** "I have hired Eva as my assistant". */
export function guessHired(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied, isPassive, subjectText, speaker } = clause;
  const hired =
    !isDenied && !isPassive && form === "past" && /^(?:hire|choose|appoint|pick|name|elect|make|take)$/.test(lemma)
      ? /^(?:on )?(\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?) as (?:(my|our|his|her|their|the) )?(?:new )?(.+)$/u.exec(upTo(rest))
      : null;
  if (hired === null) return [];
  const [, name, whose = "", role] = hired;
  const owner = whose === "my" ? `${speaker}'s ` : /^(?:his|her|their)$/.test(whose) ? `${subjectText}'s ` : "";
  return mark(clause, {
    subject: owner + role,
    predicates: ["is"],
    value: name!,
    outdates: ({ value, polarity }) => polarity && isProper(value) && !isSameValue(value, name!),
  });
}

/** "The repo belongs to Nadine now", "Devon handed the CLI over to Aki". */
export function guessOwner(clause: Clause): Guessed[] {
  const { lemma, rest, form, isDenied, isPassive, subjectText, isNew } = clause;
  if (isDenied) return [];
  const owner = lemma === "belong" && isNew ? /^to (\p{Lu}.+)$/u.exec(upTo(rest))?.[1] : undefined;
  const handed = form === "past" && /^(?:hand|pass|give|turn|transfer|sign|go)$/.test(lemma)
    ? isPassive || lemma === "go"
      ? /^(?:over |on )?to (\p{Lu}.+)$/u.exec(upTo(rest))
      : /^(?:over |on )?(?:the |our )?(.+?) (?:over |on )?to (\p{Lu}.+)$/u.exec(upTo(rest))
    : null;
  const name = owner ?? handed?.at(-1);
  const what = owner !== undefined || handed?.length === 2 ? subjectText : handed?.[1];
  if (name === undefined || what === undefined) return [];
  const roles = owner === undefined
    ? ["owner", "maintainer", "lead", "leader", "manager", "contact", "admin", "editor", "host", "captain"]
    : ["owner", "maintainer"];
  return roles.flatMap((role) =>
    mark(clause, {
      subject: `${role} of ${what}`,
      predicates: ["is"],
      value: name,
      outdates: ({ value, polarity }) => polarity && isProper(value) && !isSameValue(value, name),
    })
  );
}
