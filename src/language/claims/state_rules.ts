/** Rules for "is": states, roles, values, names of things, and who has a role. */
import { isBest, isTeam } from "./change_rules.ts";
import type { Clause } from "./clause.ts";
import { draw, type Rule, upTo } from "./draft.ts";
import { holder, home, isOccupation, isPerson, subjectsOf } from "./people_rules.ts";
import { findState, isRelationship } from "./states.ts";
import { cleanValue, firstValue, maskOf, maskValues, withoutDottedTimes } from "./values.ts";

const DIET =
  /^(?:an? )?(?:strict |lifelong |full |total |complete |committed )?(vegetarian|vegan|pescatarian|flexitarian|teetotal(?:ler)?|carnivore)\b/iu;
const ON_DIET = /^on (?:an? |the )?(.*\bdiet)\b/iu;
const ALLERGIC = /^(?:(?:severely|highly|very|mildly) )?(?:allergic|intolerant) to (.+)$/iu;
const INTOLERANT = /^(\p{L}+)[- ]intolerant\b/iu;
const PLACED =
  /^(?:in|at|on|under|behind|beside|near|inside|outside|above|below|next to|close to|based in|located in|located at) (?!(?:time|trouble|love|charge|favou?r|contact|touch|doubt|danger|pain|need|shape|top|fire|call|duty|holiday|vacation|leave|my mind|general|average|fact|particular)\b)(.+)$/iu;
const MEMBER = /^(?:an? |the )?(?:\p{L}+ )?(?:member|part) of (.+)$/iu;
const HOLDER_OF =
  /^((?:the|our|my|his|her|their|your) (?!one\b|same\b|best\b(?! friend)|first\b|only\b|most\b|reason\b|kind\b).+)$/iu;
const OTHERS_HOLDER = /^(\p{Lu}[\p{L}'-]*'s \p{Ll}.+)$/u;
const ATTRIBUTE =
  /\b(?:colou?r|band|song|album|film|movie|book|food|dish|drink|fruit|animal|season|sport|team|subject|number|language|airline|brand|genre|game|city|country|artist|singer|author|hobby|job|title|position|employer|address|email|password|code|nickname|name|codename|username|version|manager|supervisor|boss|lead|leader|mentor|owner|maintainer|contact|friend|roommate|flatmate|partner|doctor|dentist|therapist|coach|teacher|ceo|cto|cfo|editor|head|captain|chair|president|mayor|status|channel|framework|database|provider|vendor|supplier|bank|host|goal|priority|policy|default|format|encoding|region|zone|plan|tier|size|answers?|theme|topic|motto|slogan|flower|venue|gateway|queue|engine|browser|shell|distro|licen[cs]e|insurer|operator|currency|capital|destination|route|sponsor|model|token|winner|opponent|speaker|prize|layout|font|background|cover|headline|favou?rite)\b/iu;

/** Reads the text after "is". */
export const readState: Rule = (clause) => {
  if (clause.lemma !== "be") return null;
  const { rest } = clause;
  const phrase = rest.replace(/^(?:very|quite|strictly|an official|officially|fully|completely|entirely) /iu, "");
  return readDiet(clause, phrase) ?? readNamedState(clause, phrase) ?? readTyped(clause, phrase) ??
    readMembership(clause, phrase) ?? readPlace(clause, phrase) ?? readRoleOf(clause, phrase) ??
    readAttribute(clause, phrase) ?? readOtherState(clause, phrase);
};

const FAVOURITE = /^(my|our) (?:new |current )?(?:absolute )?(favou?rite \p{L}+.*)$/iu;

/** "Rooibos is my favourite tea", "Paper Plane has become my favourite café". */
export const readFavourite: Rule = (clause) => {
  const { lemma, isDenied, isPassive, isProgressive, subject } = clause;
  const isBecome = lemma === "become" && clause.form === "past";
  if (isDenied || isPassive || isProgressive || (lemma !== "be" && !isBecome) || clause.isPast && lemma === "be") {
    return null;
  }
  const said = FAVOURITE.exec(upTo(clause.rest));
  if (said === null || /^(?:user|we|you|they)$/.test(subject)) return null;
  const isNew = isBecome || /^(?:my|our) new /iu.test(clause.rest);
  return [
    draw({ ...clause, subjectText: clause.speaker }, {
      subject: `${clause.speaker}'s ${said[2]}`,
      respect: "preference",
      predicate: "is",
      value: clause.subjectText,
      ...(isNew && { change: "replaced" as const }),
    }),
  ];
};

/** Beginnings of phrases that are not states or say too little. */
const NO_STATE =
  /^(?:the|an?|my|our|his|her|their|its|your|this|that|these|those|not|no|all|so|too|as|like|what|why|how|where|when|who|one|some|any|more|less|very|about|of|from|to|by|for|here|there|up to|worth|able|good|bad|great|nice|new|old|big|small|important|sure|true|glad|happy|sorry|much|many|mine|ours)\b/iu;

/** Reads a state of a few words that no list contains: "asleep", "in maintenance mode", "being negotiated". */
const readOtherState = (clause: Clause, phrase: string) => {
  const value = cleanValue(upTo(phrase));
  if (value === "" || NO_STATE.test(value) || value.split(" ").length > 4 || /[\p{Lu}\p{N}]/u.test(value)) return null;
  return [draw(clause, { respect: "status", predicate: "status", value, confidence: UNLISTED })];
};

/** The confidence of a state that is not in the list: it is less sure what such a state excludes. */
const UNLISTED = 0.6;

const readDiet = (clause: Clause, phrase: string) => {
  const off = /^off (?:an? |the |my |his |her |their )?(.*\bdiet)\b/iu.exec(phrase)?.[1];
  if (off !== undefined) {
    return [draw(clause, { respect: "diet", predicate: "diet", value: off, polarity: false, change: "ended" })];
  }
  const say = (
    predicate: string,
    value: string,
  ) => [draw(clause, { respect: "diet", predicate, value: upTo(value).replace(/ (?:after all|at all)$/iu, "") })];
  const diet = DIET.exec(phrase)?.[1] ?? ON_DIET.exec(phrase)?.[1];
  if (diet !== undefined) return say("diet", diet.toLowerCase());
  const allergen = ALLERGIC.exec(phrase)?.[1] ?? INTOLERANT.exec(phrase)?.[1];
  return allergen === undefined ? null : say("is allergic to", allergen);
};

/** Things of which "green" says that they work. */
const SIGNALS =
  /\b(?:builds?|ci|pipelines?|tests?|main|branch|deploy\w*|checks?|jobs?|runs?|suite|status|light|signal|dashboard)\b/iu;
const COLOUR =
  /^(?:dark |light |bright )?(?:black|white|red|green|blue|yellow|orange|purple|pink|brown|gr[ea]y|turquoise|beige)$/iu;

const readNamedState = (clause: Clause, phrase: string) => {
  const isPainted = /^(?:red|green)\b/iu.test(phrase) && !SIGNALS.test(clause.subjectText);
  const found = isPainted || /colou?r|favou?rite/iu.test(clause.subjectText) ? null : findState(phrase);
  if (found === null) return null;
  const { state } = found;
  const rest = state === "back" ? "" : found.rest;
  if (isRelationship(state)) {
    const partner = /^(?:to|with|from) (.+)$/iu.exec(rest)?.[1];
    return subjectsOf(clause).map((subject) =>
      draw(clause, {
        subject,
        respect: "relation",
        predicate: "relationship",
        value: partner === undefined ? state : upTo(phrase),
      })
    );
  }
  const scope = rest.replace(/^[,.!]+|[.!]+$/g, "").trim();
  const value = scope === "" ? state : `${state}: ${scope}`;
  return [
    draw(clause, { respect: "status", predicate: "status", value, change: /^back\b/.test(state) ? "began" : null }),
  ];
};

/** Reads a number or a time. */
const readTyped = (clause: Clause, phrase: string) => {
  const plain = upTo(phrase).replace(
    /^(?:due|scheduled|planned|set|fixed|on|at|in|for|by) (?:(?:on|at|in|for|by) )?/iu,
    "",
  );
  const level = /^(?:down|up|back|now) (?:to|at) (.+)$/iu.exec(plain)?.[1];
  if (level !== undefined && /^0(?:number|money|percent)\b/u.test(maskValues(level).frame) && !isPerson(clause)) {
    const claim = draw(clause, { respect: "measure", predicate: "is", value: level, change: "adjusted" });
    // "is up to 650 downloads per episode" means that it has so many.
    const possessed = { respect: "possession", predicate: "has" } as const;
    return / \p{Ll}{3,}/u.test(level) ? [claim, { ...claim, ...possessed }] : [claim];
  }
  const masked = maskValues(plain);
  // "The meeting is at 9.30" and "is 9.30 on Mondays" tell a time, "the version is 1.10" does not.
  const tellsTime = masked.values.length > 1 ||
    /^(?:\p{L}+ )*(?:at|from|by|until|till|before|after|around|about|between) \d/iu.test(phrase);
  const { frame, values } = tellsTime ? masked : withoutDottedTimes(masked);
  const [first] = values;
  if (first === undefined || !frame.startsWith(maskOf(first.kind))) return null;
  if (/^(?:room|floor)/iu.test(plain) || (first.kind === "number" && /^\d+\p{L}? \p{Lu}\p{Ll}/u.test(plain))) {
    return null;
  }
  const isRecord = first.kind === "clock" && isBest(clause.subjectText) && !/m\b/iu.test(first.text);
  if (isRecord) return [draw(clause, { respect: "measure", predicate: "is", value: plain })];
  const isTime = first.kind === "day" || first.kind === "clock" ||
    (first.kind === "rhythm" && frame === maskOf("rhythm"));
  // "is at 24 kilos now"
  const isWeight = /^at \d\S* ?(?:kilos?|kg|kilograms?|stone|lbs?|pounds)\b/iu.test(phrase);
  if (isWeight) {
    const subject = `${clause.subjectText} weight`;
    return [draw(clause, { subject, respect: "measure", predicate: "is", value: plain.replace(/^at /iu, "") })];
  }
  const isAt = /^at \d{1,2}\b(?!:)/iu.test(phrase);
  if (isTime || isAt) {
    return [draw(clause, { respect: "time", predicate: "happens", value: isAt && !isTime ? `${plain}` : plain })];
  }
  return [draw(clause, { respect: "measure", predicate: "is", value: plain })];
};

const readMembership = (clause: Clause, phrase: string) => {
  const group = MEMBER.exec(phrase)?.[1] ?? (isTeam(phrase) ? /^(?:in|on) (.+)$/iu.exec(phrase)?.[1] : undefined) ??
    /^on (.+ list .+|.+ list)[.!]*$/iu.exec(phrase)?.[1] ?? /^enroll?ed (?:at|in) (.+)$/iu.exec(phrase)?.[1] ??
    /^an? (?:\p{L}+ )??(\p{Lu}[\p{L}\d]*) member[.!]*$/u.exec(phrase)?.[1];
  if (group === undefined || /^(?:project|floor)/iu.test(group)) return null;
  return [draw(clause, { respect: "membership", predicate: "is a member of", value: upTo(group) })];
};

const readPlace = (clause: Clause, phrase: string) => {
  const employer = /^with (\p{Lu}.+)$/u.exec(phrase)?.[1];
  if (employer !== undefined) {
    return [draw(clause, { respect: "employment", predicate: "works at", value: upTo(employer) })];
  }
  const at = isPerson(clause) && !/^(?:we|they)$/.test(clause.subject) ? AT_NAME.exec(phrase)?.[1] : undefined;
  if (at !== undefined) {
    return [draw(clause, { respect: "employment", predicate: "works at", value: upTo(at), confidence: UNLISTED })];
  }
  const place = PLACED.exec(phrase)?.[1] ?? BESIDE.exec(phrase)?.[1];
  if (place === undefined || IS_STATE.test(phrase)) return null;
  return [home(clause, place)];
};

/** "I'm at Netflix": more likely a firm than a place, which has an article or is "in". */
const AT_NAME = /^at (\p{Lu}[\p{L}\d&.-]*(?: \p{Lu}[\p{L}\d&.-]*)?)[.!]?$/u;
const BESIDE =
  /^by (the (?:\p{Ll}+ )?(?:door|window|wall|entrance|exit|gate|fireplace|sink|stairs|desk|bed|road|river|sea|lake|pool|station|lift|front|back|fence))\b/iu;

/** Matches states that look like places: "in maintenance mode", "under review". */
const IS_STATE =
  /^(?:in (?:\p{L}+ )?(?:mode|plaster|intensive care|surgery|quarantine|transit|preparation|planning|testing|treatment|phase|stage|orbit|debate|dispute|doubt|session|use|production|stock|order|operation|development|negotiations?|talks|labou?r|therapy|rehab)|under (?!the |my |our |his |her |a )\p{L}+|on (?:strike|ice|sale|fire|loan|trial|probation|tour|air|display|standby|duty|call|the (?:phone|line|way|road|move|run|mend)|(?:my|his|her|their) way|foot|a (?:call|break|trip))|at (?:risk|war|large|rest|work|capacity))\b/iu;

const readRoleOf = (clause: Clause, phrase: string) => {
  const isName = isPerson(clause);
  const owned = HOLDER_OF.exec(phrase)?.[1] ?? OTHERS_HOLDER.exec(phrase)?.[1];
  if (isName && owned !== undefined && clause.subjectText.split(" ").length <= 3 && firstValue(owned) === undefined) {
    if (/^(?:his|her|their) /iu.test(owned)) return null;
    return [holder(clause, owned, null, null)];
  }
  if (!isName || !/^(?:an? |the )?\p{Ll}/u.test(phrase) || !isOccupation(phrase)) return null;
  if (!/^(?:an?|the) /iu.test(phrase) && !/ (?:of|at|for|in) /iu.test(phrase) && phrase.split(" ").length > 2) {
    return null;
  }
  const at = /^(.+?) at (\p{Lu}.+)$/u.exec(phrase);
  const works = draw(clause, {
    respect: "role",
    predicate: "works as",
    value: upTo(at?.[1] ?? phrase).replace(/^(?:an?|the) /iu, ""),
  });
  if (at === null) return [works];
  return [draw(clause, { respect: "employment", predicate: "works at", value: upTo(at[2]!) }), works];
};

const readAttribute = (clause: Clause, phrase: string) => {
  const said = upTo(phrase);
  const value = said.split(" ").length > 8 ? said.replace(/ with .+$/iu, "") : said;
  if (value === "" || value.split(" ").length > 8) return null;
  const called = /^(.+?)(?:'s)? names?$/iu.exec(clause.subjectText);
  if (called !== null && !/\b(?:first|last|middle|family|maiden|code|user|domain|nick)\b/iu.test(called[1]!)) {
    return [
      draw(clause, {
        subject: called[1]!.replace(/'s$/u, ""),
        respect: "name",
        predicate: "is called",
        value,
      }),
    ];
  }
  const named = /^(?:called|named) (.+)$/iu.exec(phrase);
  if (named !== null) return [draw(clause, { respect: "name", predicate: "is called", value: upTo(named[1]!) })];
  // About a person, "is" can say too many different things.
  if (isPerson(clause) && !/ /u.test(clause.subjectText)) return null;
  const isProper = /[\p{Lu}\p{N}@#_]/u.test(value.replace(/^(?:the|an?|Dr\.?) /u, ""));
  if (COLOUR.test(value)) return [draw(clause, { respect: "attribute", predicate: "is", value })];
  if (!isProper && !ATTRIBUTE.test(clause.subjectText)) return null;
  const respect = /\bfavou?rite|preferred\b/iu.test(clause.subjectText) ? "preference" : "attribute";
  return [draw(clause, { respect, predicate: "is", value: cleanValue(value) })];
};
