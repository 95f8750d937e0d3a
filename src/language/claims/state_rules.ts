/** Rules for "is": states, roles, values, names of things, and who has a role. */
import { isBest, isTeam } from "./change_rules.ts";
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { ENDED, say, upTo } from "./draft.ts";
import { home } from "./home_rules.ts";
import { subjectsOf } from "./relation_rules.ts";
import { holder, isOccupation, isPerson, role } from "./role_rules.ts";
import type { Row } from "./row.ts";
import { findState, isRelationship } from "./states.ts";
import { cleanValue, firstValue, maskOf, maskValues, withoutDottedTimes } from "./values.ts";

/** The text after "is", without a word that only says how much. */
function phraseOf({ rest }: Clause): string {
  return rest.replace(/^(?:very|quite|strictly|fully|completely|entirely) /iu, "");
}

/** Makes a row for "is" whose pattern the text after it matches. */
function is(
  row: Pick<Row, "name" | "isLoose" | "says" | "saysNot" | "when" | "claims"> & { readonly as: RegExp },
): Row {
  return {
    name: row.name,
    ...(row.isLoose && { isLoose: true }),
    says: row.says,
    ...(row.saysNot && { saysNot: row.saysNot }),
    ...(row.when && { when: row.when }),
    verbs: "be",
    claims: (clause) => {
      const found = row.as.exec(phraseOf(clause));
      return found === null ? null : row.claims(clause, found);
    },
  };
}

function diet(clause: Clause, predicate: string, value: string): Claim[] {
  return [say(clause, predicate, upTo(value).replace(/ at all$/iu, ""))];
}

const FAVOURITE = /^(my|our) (?:new |current )?(?:absolute )?(favou?rite \p{L}+.*)$/iu;

/** "Rooibos is my favourite tea", "Paper Plane has become my favourite café". */
export const FAVOURITES: readonly Row[] = [
  {
    name: "is somebody's favourite",
    verbs: "be become",
    is: "affirmed active settled",
    when: ({ lemma, form, isPast, subject }) =>
      (lemma === "be" ? !isPast : form === "past") && !/^(?:user|we|you|they)$/.test(subject),
    head: FAVOURITE,
    claims: (clause, [, , favourite]) => {
      const isNew = clause.lemma === "become" || /^(?:my|our) new /iu.test(clause.rest);
      return [
        say({ ...clause, subjectText: clause.speaker }, "is", clause.subjectText, {
          subject: `${clause.speaker}'s ${favourite}`,
          respect: "preference",
          ...(isNew && { change: "replaced" }),
        }),
      ];
    },
    says: [
      "Rooibos is {my|our|my current|my absolute} {favourite|favorite} tea. → user's $2 tea is (preference) Rooibos",
      "Rooibos is my new favourite tea. → user's favourite tea is (preference) Rooibos (replaced)",
      "Rooibos has become my favourite tea. → user's favourite tea is (preference) Rooibos (replaced)",
    ],
    saysNot: ["We are my favourite band.", "My favourite tea is Rooibos.", "I'm my favourite person."],
  },
];

/** The confidence of a state that is not in the list: it is less sure what such a state excludes. */
const UNLISTED = 0.6;

/** Things of which "green" says that they work. */
const SIGNALS =
  /\b(?:builds?|ci|pipelines?|tests?|main|branch|deploy\w*|checks?|jobs?|runs?|suite|status|light|signal|dashboard)\b/iu;
const COLOUR =
  /^(?:dark |light |bright )?(?:black|white|red|green|blue|yellow|orange|purple|pink|brown|gr[ea]y|turquoise|beige)$/iu;

const HOLDER_OF =
  /^((?:the|our|my|his|her|their|your) (?!same\b|best\b(?! friend)|only\b|most\b|reason\b|kind\b).+)$/iu;
const OTHERS_HOLDER = /^(\p{Lu}[\p{L}'-]*'s \p{Ll}.+)$/u;
const ATTRIBUTE =
  /\b(?:colou?r|band|song|album|film|movie|book|food|dish|drink|fruit|animal|season|sport|team|subject|number|language|airline|brand|genre|game|city|country|artist|singer|author|hobby|job|title|position|employer|email|password|code|nickname|name|codename|username|version|manager|supervisor|leader|mentor|owner|maintainer|contact|roommate|flatmate|partner|doctor|dentist|therapist|coach|teacher|ceo|cto|cfo|editor|captain|president|mayor|status|channel|framework|database|provider|vendor|supplier|bank|host|goal|priority|policy|default|format|encoding|region|zone|plan|tier|size|answers?|theme|topic|motto|slogan|flower|venue|gateway|queue|engine|browser|shell|distro|licen[cs]e|insurer|operator|currency|capital|destination|route|sponsor|model|token|winner|opponent|speaker|prize|layout|font|background|cover|headline|favou?rite)\b/iu;

/** "I'm at Netflix": more likely a firm than a place, which has an article or is "in". */
const AT_NAME = /^at (\p{Lu}[\p{L}\d&.-]*(?: \p{Lu}[\p{L}\d&.-]*)?)[.!]?$/u;
/** Matches states that look like places: "in maintenance mode", "under review". */
const IS_STATE =
  /^(?:in (?:\p{L}+ )?(?:mode|plaster|surgery|transit|preparation|planning|testing|treatment|orbit|dispute|session|use|production|order|operation|development|negotiations?|talks|labou?r|therapy|rehab)|under (?!the |my |our |his |her |a )\p{L}+|on (?:ice|fire|loan|trial|probation|tour|air|display|standby|duty|call|the (?:phone|line|way|road|move|run|mend)|foot|a (?:call|break|trip))|at (?:risk|war|large|rest|work|capacity))\b/iu;

/** Where a speaker is for longer than a moment: what has a name. In a car or a meeting nobody lives. */
const IS_SPEAKER = /^(?:user|we|they)$/,
  SPEAKER_AT = /^(?:in|at|on|near|next to|close to) (?:the )?(?:\p{Ll}+ floor\b|\p{Lu})/u;

/** What something or somebody is. */
export const STATES: readonly Row[] = [
  is({
    name: "is off a diet",
    as: /^off (?:an? |the |my |his |her |their )?(.*\bdiet)\b/iu,
    claims: (clause, [, what]) => [say(clause, "diet", what!, ENDED)],
    says: [
      "I'm off {a|the|my} keto diet. → user not diet keto diet (ended)",
      "They are off their keto diet. → nothing",
      "Ben is off his diet. → Ben not diet diet (ended)",
    ],
    saysNot: ["I'm off sugar."],
  }),
  is({
    name: "is a vegetarian",
    as:
      /^(?:an? )?(?:strict |lifelong |full |total |complete |committed )?(vegetarian|vegan|pescatarian|flexitarian|teetotal(?:ler)?|carnivore)\b/iu,
    claims: (clause, [, what]) => diet(clause, "diet", what!.toLowerCase()),
    says: [
      "I'm {vegetarian|vegan|pescatarian|flexitarian|teetotal|a teetotaller|a carnivore}. → user diet {vegetarian|vegan|pescatarian|flexitarian|teetotal|teetotaller|carnivore}",
      "I'm {a strict|a lifelong|a full|a total|a complete|a committed|strictly|fully|officially|completely|entirely|quite|very} vegan. → user diet vegan",
    ],
    saysNot: ["The vegan place is new."],
  }),
  is({
    name: "is on a diet",
    as: /^on (.*\bdiet)\b/iu,
    claims: (clause, [, what]) => diet(clause, "diet", what!.toLowerCase()),
    says: ["I'm on {a|the|} keto diet. → user diet keto diet"],
    saysNot: ["I'm on a train."],
  }),
  is({
    name: "is allergic to",
    as: /^(?:(?:severely|highly|mildly) )?(?:allergic|intolerant) to (.+)$/iu,
    claims: (clause, [, what]) => diet(clause, "is allergic to", what!),
    says: [
      "I'm {allergic|severely allergic|highly allergic|mildly allergic|intolerant} to nuts. → user is allergic to nuts",
      "I'm not allergic to nuts at all. → user not is allergic to nuts",
    ],
    saysNot: ["I'm allergic."],
  }),
  is({
    name: "is intolerant",
    as: /^(\p{L}+)[- ]intolerant\b/iu,
    claims: (clause, [, what]) => diet(clause, "is allergic to", what!),
    says: ["I'm {lactose-intolerant|lactose intolerant}. → user is allergic to lactose"],
    saysNot: ["I'm intolerant."],
  }),
  is({
    name: "is in a listed state",
    as: /^/u,
    when: (clause) =>
      !/colou?r|favou?rite/iu.test(clause.subjectText) &&
      (!/^(?:red|green)\b/iu.test(phraseOf(clause)) || SIGNALS.test(clause.subjectText)),
    claims: (clause) => {
      const phrase = phraseOf(clause);
      const found = findState(phrase);
      if (found === null) return null;
      const { state } = found;
      const rest = state === "back" ? "" : found.rest;
      if (isRelationship(state)) {
        const value = /^(?:to|with|from) /iu.test(rest) ? upTo(phrase) : state;
        return subjectsOf(clause).map((subject) => say(clause, "relationship", value, { subject }));
      }
      const scope = rest.replace(/^[,.!]+/, "").replace(/[.!]+$/, "").trim();
      return [
        say(clause, "status", scope === "" ? state : `${state}: ${scope}`, {
          change: /^back\b/.test(state) ? "began" : null,
        }),
      ];
    },
    says: [
      "The project is on hold, pending money. → project status on hold: pending money",
      "The shop is {on hold|in progress}. → shop status $1",
      "The shop is open {on Sundays|to visitors|from May 5|for lunch}. → shop status {open: on Sundays|open [visitor]|open: from May 5|open [lunch]}",
      "I'm {single|engaged to Ana|in a relationship with Ana}. → user relationship $1",
      "Ana and Ben are {single|a couple}. → Ana relationship {single; Ben relationship single|couple; Ben relationship couple}",
      "Ben is back from Oslo. → Ben status back (began)",
      "The {build|CI|pipeline|test|main|branch|deployment|check|job|run|suite|status|light|signal|dashboard} is {green|red}. → $1 status $2",
    ],
    saysNot: ["The door is {green|red}.", "My favourite {colour|shop} is open.", "The color is clear."],
  }),
  is({
    name: "is down or up to a level",
    as: /^/u,
    when: (clause) => !isPerson(clause),
    claims: (clause) => {
      const level = /^(?:down|up) (?:to|at) (.+)$/iu.exec(timeIn(phraseOf(clause)))?.[1];
      if (level === undefined || !/^0(?:number|money)\b/u.test(maskValues(level).frame)) return null;
      const claim = say(clause, "is", level, { respect: "measure", change: "adjusted" });
      // "is up to 650 downloads per episode" means that it has so many.
      return / \p{Ll}{3,}/u.test(level) ? [claim, { ...claim, respect: "possession", predicate: "has" }] : [claim];
    },
    says: [
      "The rent is {down|up} {to|at} 900 euros. → rent is (measure) 900 euros (adjusted); rent has 900 euros (adjusted)",
      "The show is up to 650 downloads per episode. → show is (measure) 650 downloads per episode (adjusted); show has 650 downloads per episode (adjusted)",
    ],
    saysNot: ["The rent is down to Ben."],
  }),
  is({
    name: "is a number or a time",
    as: /^/u,
    claims: (clause) => {
      const phrase = phraseOf(clause);
      const plain = timeIn(phrase);
      const first = firstTyped(plain);
      if (first === null) return null;
      const measure = (value: string, subject = clause.subjectText) => [
        say(clause, "is", value, { subject, respect: "measure" }),
      ];
      if (first.kind === "clock" && isBest(clause.subjectText) && !/m\b/iu.test(first.text)) return measure(plain);
      // "is at 24 kilos now"
      if (/^at \d\S* ?(?:kilos?|kg|kilograms?|stone|lbs?|pounds)\b/iu.test(phrase)) {
        return measure(plain.replace(/^at /iu, ""), `${clause.subjectText} weight`);
      }
      return first.isTime || /^at \d{1,2}\b(?!:)/iu.test(phrase) ? [say(clause, "happens", plain)] : measure(plain);
    },
    says: [
      "The price is 12 euros. → price is (measure) 12 euros",
      "The version is 1.10. → version is (measure) 1.10",
      "The standup is {at 9.30|9.30 on Mondays|at 9}. → standup happens {9.30|9.30 on Mondays|9}",
      "The report is {due|scheduled} {on|at|in|for|by} Friday. → report happens Friday",
      "The report is planned for Friday. → report happens Friday",
      "The fair is {on|in|by} May 5. → fair happens May 5",
      "My best {mile|split} is 6:20. → user's best $1 is (measure) 6:20",
      "I'm at 80 {kilos|kg|kilograms|stone|lbs|pounds}. → user weight is (measure) 80 $1",
    ],
    saysNot: [
      "The office is room 12.",
      "The office is floor 3.",
      "The office is 12 King Street.",
      "The price is high.",
    ],
  }),
  is({
    name: "is a member of",
    as: /^/u,
    claims: (clause) => {
      const phrase = phraseOf(clause);
      const group = /^(?:an? |the )?(?:\p{L}+ )?(?:member|part) of (.+)$/iu.exec(phrase)?.[1] ??
        (isTeam(phrase) ? /^(?:in|on) (.+)$/iu.exec(phrase)?.[1] : undefined) ??
        /^on (.+ list .+|.+ list)[.!]*$/iu.exec(phrase)?.[1] ??
        /^an? (?:\p{L}+ )??(\p{Lu}[\p{L}\d]*) member[.!]*$/u.exec(phrase)?.[1];
      if (group === undefined || /^(?:project|floor)/iu.test(group)) return null;
      return [say(clause, "is a member of", upTo(group))];
    },
    says: [
      "I'm {a member|a new member|part|an active member|the youngest member} of the choir. → user is a member of choir",
      "I'm {in|on} the data team. → user is a member of data team",
      "I'm on the {waiting list|guest list of the fair}. → user is a member of $1",
      "I'm a {Rotary|keen Rotary} member. → user is a member of Rotary",
    ],
    saysNot: ["I'm part of {project teams|floor plans}."],
  }),
  is({
    name: "is at a company",
    isLoose: true,
    as: AT_NAME,
    when: (clause) => isPerson(clause) && !/^(?:we|they)$/.test(clause.subject),
    claims: (clause, [, company]) => [say(clause, "works at", upTo(company!), { confidence: UNLISTED })],
    says: [
      "My {wife|husband|mother|mom|mum|father|dad|brother|sister|son|daughter|uncle|aunt|cousin|nephew|niece|grandma|grandpa|grandmother|grandfather|boyfriend|girlfriend|fiancé|fiancée|partner|roommate|flatmate|friend|neighbour|boss|colleague|intern} is at Netflix. → user's $1 works at Netflix?",
      "Ana is at Netflix. → Ana works at Netflix?",
      "I'm at {Netflix|Deutsche Bank}. → user works at $1?",
    ],
    saysNot: ["{CFO|API} is at Netflix.", "We're at Netflix.", "I'm at the bank."],
  }),
  is({
    name: "is in a place",
    isLoose: true,
    as:
      /^(?:(?:in|at|on|under|behind|beside|near|inside|outside|above|below|next to|close to) (?!(?:time|trouble|love|charge|favou?r|contact|touch|doubt|danger|pain|need|shape|top|my mind|general|average|particular)\b)(.+)|by (the (?:\p{Ll}+ )?(?:door|window|wall|entrance|exit|gate|fireplace|sink|stairs|desk|bed|road|river|sea|lake|pool|station|lift|front|back|fence))\b)/iu,
    // Who is at the shop does not live there.
    when: (clause) => !IS_STATE.test(phraseOf(clause)) && !(isPerson(clause) && /^at /iu.test(phraseOf(clause))),
    claims: (clause, [, place, beside]) =>
      IS_SPEAKER.test(clause.subject) && !SPEAKER_AT.test(phraseOf(clause)) ? [] : [home(clause, (place ?? beside)!)],
    says: [
      "The printer is {in|at|on|under|behind|beside|near|inside|outside|above|below|next to|close to} the hall. → printer lives in hall",
      "I'm {in|near|next to|close to} Lisbon. → user lives in Lisbon",
      "{I'm|We're|They're} {in the car|in a meeting|on the night shift}. → nothing",
      "I'm {in the Berlin office|on the third floor}. → user lives in {Berlin office|third floor}",
      "My desk is by the {door|window|wall|entrance|exit|gate|fireplace|sink|stairs|desk|bed|road|river|sea|lake|pool|station|lift|front|back|fence|old door}. → user's desk lives in $1",
    ],
    saysNot: [
      "The printer is {in test mode|in plaster|in intensive care|in surgery|in quarantine|in transit|in preparation|in planning|in testing|in treatment|in orbit|in debate|in dispute|in session|in use|in production|in stock|in order|in operation|in development|in negotiations|in talks|in labour|in therapy|in rehab|under review|on strike|on ice|on sale|on loan|on trial|on probation|on tour|on air|on display|on standby|on the phone|on the line|on the way|on the road|on the move|on the run|on the mend|on foot|on a call|on a break|on a trip|under attack|at risk|at war|at large|at rest|at work|at capacity}.",
      "The plan is in {time|trouble|love|charge|favour|contact|touch|doubt|danger|pain|need|shape|general|fact|particular}.",
      "The idea is on {top|fire|call|duty|holiday|vacation|leave|my mind|average}.",
    ],
  }),
  is({
    name: "holds a role",
    as: /^/u,
    when: (clause) => isPerson(clause) && clause.subjectText.split(" ").length <= 3,
    claims: (clause) => {
      const phrase = phraseOf(clause);
      const owned = HOLDER_OF.exec(phrase)?.[1] ?? OTHERS_HOLDER.exec(phrase)?.[1];
      if (owned === undefined || firstValue(owned) !== undefined) return null;
      return /^(?:his|her|their) /iu.test(owned) ? null : [holder(clause, owned, null, null)];
    },
    says: [
      "Ana is {the|our|my|your} dentist. → {dentist|dentist|user dentist|your dentist} is (role) Ana",
      "Ana is Ben's dentist. → Ben's dentist is (role) Ana",
      "Ana is my best friend. → user best friend is (role) Ana",
    ],
    saysNot: ["Ana is the {one|same|best|first|only|most|reason|kind} of all.", "Ana is his dentist."],
  }),
  is({
    name: "is something by profession",
    isLoose: true,
    as: /^\p{Ll}/u,
    when: (clause) => {
      const phrase = phraseOf(clause);
      const isShort = /^(?:an?|the) /iu.test(phrase) ||
        /^(?!\p{L}+ly )\S+(?: \S+)?(?: (?:of|at) .*)?$/iu.test(phrase) || /^\S+ for \p{Lu}/u.test(phrase);
      return isPerson(clause) && isShort && !/^(?!nursing )\p{L}+ing /u.test(phrase) && isOccupation(phrase) &&
        !holds(clause);
    },
    claims: (clause) => {
      const phrase = phraseOf(clause);
      const at = /^(.+?) at (\p{Lu}.+)$/u.exec(phrase);
      const works = role(clause, at?.[1] ?? phrase);
      return at === null ? [works] : [say(clause, "works at", upTo(at[2]!)), works];
    },
    says: [
      "Ana is {a driver|a tailor|an artist|a librarian|an accountant|a student adviser|an analyst|a postman|a policewoman|a nurse|team lead|department head|a fire chief|a chef|a clerk|an intern|a judge|a pilot|a cook|a guide|a coach|a host|a nanny|a monk|a priest|a vet|a CEO|a CTO|a CFO|a COO|a VP|a director|a captain|a president|a chair|an apprentice|a fellow|a dean|a mayor|an architect|a scrum master|a barista|a medic|an attorney|an admin|a trainee|an administrator|a secretary|a solicitor|a waitress|an actress|a referee|a moderator|a freelancer|a sales representative|an executive|an officer|an associate|a paralegal|a contact|an assistant|a correspondent}. → Ana works as {driver|tailor|artist|librarian|accountant|student adviser|analyst|postman|policewoman|nurse|team lead|department head|fire chief|chef|clerk|intern|judge|pilot|cook|guide|coach|host|nanny|monk|priest|vet|CEO|CTO|CFO|COO|VP|director|captain|president|chair|apprentice|fellow|dean|mayor|architect|scrum master|barista|medic|attorney|admin|trainee|administrator|secretary|solicitor|waitress|actress|referee|moderator|freelancer|sales representative|executive|officer|associate|paralegal|contact|assistant|correspondent}",
      "Ana is {head of sales|nurse at Leeds|cook for Shell|a nurse in Leeds}. → Ana works {as head of sales|at Leeds; Ana works as nurse|as cook [shell]|as nurse in Leeds}",
      "Ana is {a nurse|an engineer|a nurse at Shell|head of sales}. → Ana works {as nurse|as engineer|at Shell; Ana works as nurse|as head of sales}",
      "Ana is captain. → Ana works as captain",
    ],
    saysNot: [
      "Ana is a {godfather|godmother|godparent|grandfather|grandmother|brother|sister|daughter|parent|player|owner|customer|lover|drinker|eater|smoker|swimmer|reader|believer|listener|morning person|winner|teenager|foreigner|beginner|person|diver|supporter|patient|client|friend|neighbour|partner|roommate|resident|adult}.",
      "Ana is a {mother|member|runner|student|sucker|loser}.",
      "CBT-I is an effective treatment.",
      "Ana is {eager|clever|bitter|proper|super|higher|lower}.",
    ],
  }),
  is({
    name: "is the name of",
    as: /^/u,
    when: ({ subjectText }) => CALLED.test(subjectText) && !OTHER_NAME.test(CALLED.exec(subjectText)![1]!),
    claims: (clause) => {
      const value = shortOf(phraseOf(clause));
      const subject = CALLED.exec(clause.subjectText)![1]!.replace(/'s$/u, "");
      return value === null ? null : [say(clause, "is called", value, { subject })];
    },
    says: ["My dog's name is Rex. → user's dog is called Rex"],
    saysNot: ["My {first|last|middle|family|maiden|code|user|domain|nick} name is Rex."],
  }),
  is({
    name: "has a value",
    as: /^/u,
    // About a person, "is" can say too many different things.
    when: (clause) => !isPerson(clause) || clause.subjectText.includes(" "),
    claims: (clause) => {
      const value = shortOf(phraseOf(clause));
      if (value === null) return null;
      if (COLOUR.test(value)) return [say(clause, "is", value)];
      const isProper = /[\p{Lu}\p{N}@#_]/u.test(value);
      if (!isProper && !ATTRIBUTE.test(clause.subjectText)) return null;
      const respect = /\bfavou?rite|preferred\b/iu.test(clause.subjectText) ? "preference" : "attribute";
      return [say(clause, "is", cleanValue(value), { respect })];
    },
    says: [
      "The {team|number|name|favourite} of the club is pottery. → {team of the club is|number of the club is|name of the club is|favourite of the club is (preference)} pottery",
      "The {colour|band|song|album|film|movie|book|food|dish|drink|fruit|animal|season|sport|subject|language|airline|brand|genre|game|city|country|artist|singer|author|employer|email|password|code|nickname|codename|username|version|manager|supervisor|leader|mentor|owner|maintainer|contact|roommate|flatmate|partner|doctor|dentist|therapist|coach|teacher|CEO|CTO|CFO|editor|captain|president|mayor|status|channel|framework|database|provider|vendor|supplier|bank|host|goal|priority|policy|default|format|encoding|region|zone|plan|tier|size|answer|theme|topic|motto|slogan|flower|venue|gateway|queue|engine|browser|shell|distro|licence|license|insurer|operator|currency|capital|destination|route|sponsor|model|token|winner|opponent|speaker|prize|layout|font|background|cover|headline} of the club is pottery. → $1 of the club is pottery",
      "The door is {black|white|red|green|blue|yellow|orange|purple|pink|brown|grey|gray|turquoise|beige|dark red|light red|bright red}. → door is $1",
      "Our vendor is Acme. → vendor is Acme",
      "My {favourite|favorite|preferred} tea is Rooibos. → user's $1 tea is (preference) Rooibos",
      "My hobby is pottery. → user's hobby is pottery",
    ],
    saysNot: ["Ana is Norwegian.", "The view is superb."],
  }),
];

/** What a person has in "the dentist is Ana's", if the phrase names a role. */
function holds(clause: Clause): boolean {
  const phrase = phraseOf(clause);
  const owned = HOLDER_OF.exec(phrase)?.[1] ?? OTHERS_HOLDER.exec(phrase)?.[1];
  return owned !== undefined && clause.subjectText.split(" ").length <= 3 && firstValue(owned) === undefined;
}

const CALLED = /^(.+?)(?:'s)? names?$/iu;
const OTHER_NAME = /\b(?:first|last|middle|family|maiden|code|user(?!'s)|domain|nick)\b/iu;

/** The value that a phrase names, if it is a short one. */
function shortOf(phrase: string): string | null {
  const said = upTo(phrase);
  const value = said.split(" ").length > 8 ? said.replace(/ with .+$/iu, "") : said;
  return value === "" || value.split(" ").length > 8 ? null : value;
}

/** The time or number in a phrase, without the words that lead to it: "due on Friday". */
function timeIn(phrase: string): string {
  return upTo(phrase).replace(
    /^(?:due|scheduled|planned|on|at|in|for|by) (?:(?:on|at|in|for|by) )?/iu,
    "",
  );
}

/** The number or time with which a phrase begins; null: it begins with none. */
function firstTyped(plain: string) {
  const masked = maskValues(plain);
  // "The meeting is at 9.30" and "is 9.30 on Mondays" tell a time, "the version is 1.10" does not.
  const tellsTime = masked.values.length > 1;
  const { frame, values: [first] } = tellsTime ? masked : withoutDottedTimes(masked);
  if (first === undefined || !frame.startsWith(maskOf(first.kind))) return null;
  const isPlace = first.kind === "number" && /^\d+\p{L}? \p{Lu}\p{Ll}/u.test(plain);
  const isTime = first.kind === "day" || first.kind === "clock" ||
    (first.kind === "rhythm" && frame === maskOf("rhythm") && !/^\d{2}/u.test(plain));
  return isPlace ? null : { ...first, isTime };
}
