/** Rules for what is owned. */
import { say, upTo } from "./draft.ts";
import { TAKEN } from "./change_rules.ts";
import { isPerson } from "./role_rules.ts";
import { rowsWith } from "./row.ts";
import { activity } from "./act_rules.ts";
import { ACCESS, right } from "./right_rules.ts";
import { maskOf, maskValues, stemsOf } from "./values.ts";
import { LOSSES } from "./loss_rules.ts";
import { has } from "./possession.ts";

/** Words after which somebody else gets what is bought. */
export const FOR_ANOTHER =
  / for (?:my|our|his|her|their|the user's) (?:\p{Ll}+ )?(?:son|daughter|kids?|child|children|wife|husband|partner|mother|mum|mom|father|dad|parents|sister|brother|friend|girlfriend|boyfriend|niece|nephew|grand\p{L}+|boss|colleague|neighbou?r)\b(?!'s )/u;

/** To how much somebody is down or up. */
export const LEVELS = rowsWith({ when: isPerson }, [
  {
    name: "is down to a weight",
    verbs: "be",
    head: /^(?:down|up) (?:to|at) (\S+ (?:kilos?|kg|kilograms?|stone|lbs?|pounds))[.!]?$/iu,
    claims: (clause, [, weight]) => [
      say(clause, "is", weight!, { subject: `${clause.subjectText} weight`, respect: "measure", change: "adjusted" }),
    ],
    says: [
      "I'm {down to|up to|up at} 80 {kilos|kg|kilograms|stone|lbs|pounds}. → user weight is (measure) 80 $2 (adjusted)",
    ],
    saysNot: ["I'm down to one coffee."],
  },
  {
    name: "is down to a number",
    verbs: "be",
    match: /^down to (?=\d|\p{L}+ )/iu,
    claims: (clause) => {
      const many = has(clause, clause.rest.slice(8), { change: "adjusted" });
      return / (?:a|per|each|every) (?:day|week|month|year)\b/iu.test(clause.rest)
        ? TAKEN.map((predicate) => ({ ...many, respect: "activity", predicate }))
        : [many];
    },
    says: [
      "We're down to {two|3} cats. → we has $1 cats (adjusted)",
      "I'm down to one coffee {a day|per week|each month|every year}. → user drink one coffee $1 (adjusted); user smoke one coffee $1 (adjusted); user eat one coffee $1 (adjusted); user take one coffee $1 (adjusted); user run one coffee $1 (adjusted); user work one coffee $1 (adjusted)",
    ],
    saysNot: ["I'm down to zero."],
  },
]);

/** What somebody has. */
export const POSSESSIONS = rowsWith({ is: "settled active" }, [
  {
    name: "has a new person for a role",
    verbs: "have get hire find appoint",
    match: /^a new (\p{Ll}+(?: \p{Ll}+)?)(?:,|:| called| named) (\p{Lu}.+)$/u,
    claims: (clause, [, post, person]) => [
      say(clause, "is", upTo(person!), {
        subject: clause.subject === "we" ? `our ${post}` : `${clause.subjectText}'s ${post}`,
        respect: "role",
        change: "replaced",
      }),
    ],
    says: [
      "The retro has a new slot: Thursday at 14:00. → retro's slot is (role) Thursday at 14:00 (replaced)",
      "We {have|got|hired|found|appointed} a new {dentist, Dr Ito|team lead called Ana|coach named Bo}. → {dentist is (role) Dr Ito|team lead is (role) Ana|coach is (role) Bo} (replaced)",
    ],
    saysNot: ["We have a new dog."],
  },
  ...rowsWith({
    when: ({ lemma, rest, isPerfect, isDenied }) =>
      lemma === "have"
        ? !/^to\b/iu.test(rest)
        : isPerfect && !isDenied && / of (?:about |around |over )?[$€£]?\d/u.test(rest),
  }, [
    {
      name: "has an appointment at a time",
      verbs: "have",
      head: /^(?:an? |my |our )?(.+?) (?:on|at|every|each) (.+)$/iu,
      claims: (clause, [, thing, time]) => {
        const { frame, values: [first] } = maskValues(time!);
        if (first === undefined || !frame.startsWith(maskOf(first.kind)) || !/^(?:day|clock)$/.test(first.kind)) {
          return null;
        }
        return [thing!, `${clause.subjectText} ${thing}`].map((subject) => say(clause, "happens", time!, { subject }));
      },
      says: [
        "I have {choir|a yoga class|an art class|my yoga class|our yoga class} on Mondays. → {choir happens Mondays; user choir|yoga class happens Mondays; user yoga class|art class happens Mondays; user art class|yoga class happens Mondays; user yoga class|yoga class happens Mondays; user yoga class} happens Mondays",
        "I have choir {at 9:30|every Friday|each Friday}. → choir happens {9:30; user choir happens 9:30|Friday; user choir happens Friday|Friday; user choir happens Friday}",
      ],
      saysNot: ["I have a house on the hill."],
    },
    {
      name: "has a meeting or a meal",
      verbs: "have",
      match:
        /^(?:an? )?(?:interview|idea|question|appointment|meeting|party|fight|look|dinner|lunch|breakfast|coffee)\b/iu,
      claims: (clause) => [activity(clause, clause.rest)],
      says: [
        "I have {an interview|an idea|a question|an appointment|a meeting|a party|a fight|a look|dinner|lunch|breakfast|coffee} with Ana. → user have {interview|idea|question|appointment|meeting|party|fight|look|dinner|lunch|breakfast|coffee} with Ana",
      ],
      saysNot: ["I have a dog."],
    },
    {
      name: "has a job at a company",
      verbs: "have",
      match: /^an? (new )?(?:job|position) (?:at|with) (.+)$/iu,
      claims: (clause, [, isNew, company]) => [
        say(clause, "works at", upTo(company!), { change: isNew === undefined ? null : "replaced" }),
        say(clause, "status", "employed"),
      ],
      says: [
        "I have a {job|new job|position} {at|with} Shell. → user works at {Shell|Shell (replaced)|Shell}; user status employed",
      ],
      saysNot: ["I have a job in mind."],
    },
    {
      name: "has something for a meal",
      verbs: "have",
      is: "affirmed",
      head: /^(.+?) for (breakfast|lunch|dinner|supper)(?: (?:every|each|most) .+)?[.!]?$/iu,
      claims: (clause, [, food, meal]) =>
        maskValues(food!).values.length > 0 || NO_FOOD.test(food!) ? null : [
          has(clause, clause.rest),
          say(clause, "is", food!, {
            subject: `${clause.subjectText}'s usual ${meal}`,
            respect: "diet",
            confidence: 0.7,
          }),
        ],
      says: [
        "I have {eggs|soup} for {breakfast|lunch|dinner|supper}. → user has $1 [$2]; user's usual $2 is (diet) $1?",
        "I have eggs for breakfast {every day|most days}. → user has eggs [breakfast dai {everi|most}]; user's usual breakfast is (diet) eggs?",
      ],
      saysNot: [
        "I have {time|a few minutes|an hour} for dinner.",
        "I have {nobody|nothing|visitors|clients|customers|friends|people|family|parents|relatives|in-laws|company|colleagues|partners|neighbours|the team|my boss|investors|candidates|plans|meetings|calls|dates|a reservation|tables|bookings|money|vouchers|a budget|an appetite|breaks|rooms|a place|a spot|recipes|ideas|the kids|children|boys|girls|my wife|my husband|my mother|my father|my mum|my mom|my dad|my brother|my sister|my son|my daughter|everyone|everybody|someone|somebody} for dinner.",
        "I have {no time|guests|Ben|a table|a meeting} for dinner.",
      ],
    },
    {
      name: "has something of an amount",
      verbs: "have get",
      is: "affirmed",
      head: /^(?:an? )?([\p{L} -]+?) of ((?:about |around |over )?[$€£]?\d.*)$/iu,
      claims: (clause, [, thing, amount]) => {
        // The words after the amount say which loan, for example, is meant.
        const [, value, which = ""] = /^(.+?)((?: with| at| from| on| in| by| for| to) .+)?$/iu.exec(
          amount! + (/ (?:with) (?:my|his|her) [^,.;]+/iu.exec(clause.rest)?.[0] ?? ""),
        )!;
        const measure = say(clause, "is", value!, {
          subject: clause.subject === "we" ? `our ${thing}` : `${clause.subjectText}'s ${thing}`,
          respect: "measure",
        });
        const scope = [...new Set([...measure.scope.split(" ").filter(Boolean), ...stemsOf(which)])].sort().join(" ");
        return [has(clause, clause.rest), { ...measure, scope }];
      },
      says: [
        "I have a loan of {over|around} 900 euros. → user has loan of $1 900 euros; user's loan is (measure) $1 900 euros",
        "I've got savings of {about|over} 900 euros. → user has savings of $1 900 euros; user's savings is (measure) $1 900 euros",
        "I have a student loan of {12,000 euros|about $12,000}. → user has student loan of $1; user's student loan is (measure) $1",
        "We've got a budget of 900 euros {for food|with my bank}. → we has budget of 900 {euros [food]; budget is (measure) 900 euros [food|euros; budget is (measure) 900 euros [bank}]",
      ],
      saysNot: ["I have a bag of rice."],
    },
    {
      name: "has access",
      verbs: "have",
      match: ACCESS,
      claims: (clause, [whole, access]) =>
        right(clause, upTo(access!), !/^no /iu.test(whole) && !clause.isDenied, null),
      says: [
        "I have {access|admin rights|no permission|a licence|a license} to the vault. → user {may access|may admin rights|not may permission|may licence|may license} to the vault",
        "I don't have access. → user not may access",
      ],
      saysNot: ["I have a dog."],
    },
    {
      name: "has none",
      verbs: "have",
      match: /^no (.+)$/iu,
      claims: (clause, [, thing]) => [has(clause, thing!, { polarity: false })],
      says: ["I have no car. → user not has car"],
      saysNot: ["I have a car."],
    },
    {
      name: "has",
      isLoose: true,
      verbs: "have get",
      // "have added a page" says what somebody did.
      when: ({ rest }) => !/^(?:\p{Ll}+ly )?\p{Ll}{3,}ed\b/u.test(rest),
      claims: (clause) => [has(clause, clause.rest)],
      says: [
        "I have a key {to my flat|for a friend}. → user has key",
        "I have {18|about 18|over 18} of them. → user has {18 of them?|about 18 of them?|over 18 of them}",
        "I have {a|two} cats. → user has {cats|two cats}",
        "I've got 18 of 20 stamps. → user has 18 of 20 stamps",
        "I don't have a car. → user not has car",
        "I have a cat {named|called} Tom. → user has cat",
      ],
      saysNot: ["I have to work.", "I got a cat."],
    },
  ]),
  ...LOSSES,
  {
    // A buyer does not own what they buy for somebody else.
    name: "got something for somebody else",
    verbs: "buy get adopt",
    is: "past",
    match: FOR_ANOTHER,
    claims: () => [],
    says: [
      "I've {got|adopted} a dog for my son. → nothing",
      "I bought a bike for my {son|daughter|kid|kids|child|children|wife|husband|partner|mother|mum|mom|father|dad|parents|sister|brother|friend|girlfriend|boyfriend|niece|nephew|grandson|boss|colleague|neighbour}. → nothing",
      "I bought a bike for {our|his|her|their} little son. → nothing",
    ],
    saysNot: ["I bought a bike for my commute."],
  },
  {
    name: "got something",
    isLoose: true,
    verbs: "buy get adopt own",
    match: /^(?:an?|some|\p{Lu}|\d|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) )/u,
    claims: (clause) => [
      has(clause, clause.rest, clause.form === "past" && clause.lemma !== "own" ? { change: "began" } : {}),
    ],
    says: [
      "I got a spare key made. → user has spare key (began)",
      "I got a spare key {made|cut|installed} today. → user has spare key (began)?",

      "I've {bought|got} {a dog|an axe|some chairs|another dog|Rex|3 dogs}. → user has {dog (began|axe (began|some chairs (began|another dog (began, added|Rex (began|3 dogs (began})",
      "I've adopted a dog. → user has dog (began)",
      "I own {two|three|four|five|six|seven|eight|nine|ten|eleven|twelve} bikes. → user has $1 bikes",
    ],
    saysNot: ["I've got tired."],
  },
  {
    name: "owns",
    verbs: "own possess",
    claims: (clause) => [has(clause, clause.rest)],
    says: ["I {own|possess} the house. → user has house"],
    saysNot: ["I bought the house."],
  },
  {
    name: "drives a car",
    verbs: "drive",
    is: "present",
    match: /^an? /iu,
    claims: (clause) => [has(clause, clause.rest), activity(clause, clause.rest)],
    says: ["I drive {a Tesla|an old Volvo}. → user has {Tesla; user drive Tesla|old Volvo; user drive old Volvo}"],
    saysNot: ["I drive to work.", "I drove a Tesla."],
  },
  {
    name: "rents",
    verbs: "rent",
    match: /^(?:an?|the) /iu,
    claims: (clause) => [has(clause, clause.rest)],
    says: ["I rent {a|an old|the} garage. → user has {garage|old garage|garage}"],
    saysNot: ["I rent from my aunt."],
  },
]);

/** Words that name no food although people "have" them "for lunch": guests, time, a table. */
const NO_FOOD =
  /^(?:no|\p{Lu}\p{L}+$)|\b(?:times?|minutes?|hours?|guests?|visitors?|clients?|customers?|friends?|people|family|parents|relatives|in-laws|company|colleagues?|partners?|neighbou?rs?|teams?|boss|investors?|candidates?|plans?|meetings?|calls?|dates?|reservations?|tables?|bookings?|money|vouchers?|budget|appetite|breaks?|rooms?|places?|spots?|recipes?|ideas?|kids|children|boys|girls|wife|husband|mother|father|mum|mom|dad|brother|sister|son|daughter|everyone|everybody|someone|somebody)\b/u;
