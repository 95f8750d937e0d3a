/** Rules for what happens to things: what is called off, and the states that events bring about. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { ENDED, say, upTo } from "./draft.ts";
import { isPerson } from "./role_rules.ts";
import { type Row, rowsWith } from "./row.ts";
import { findState } from "./states.ts";
import { cleanValue, firstValue } from "./values.ts";

/** The state that an event brings about, by its verb. */
const EVENT_STATES: Readonly<Record<string, string>> = {
  reopen: "reopened",
  approve: "approved",
  reject: "rejected",
  decline: "declined",
  sign: "signed",
  pay: "paid",
  fill: "filled",
  discharge: "discharged",
  deprecate: "deprecated",
  close: "closed",
  fix: "fixed",
  repair: "repaired",
  resolve: "resolved",
  publish: "published",
  enable: "enabled",
  disable: "disabled",
  suspend: "suspended",
  pause: "paused",
  archive: "archived",
  activate: "activated",
  deactivate: "deactivated",
  merge: "merged",
  complete: "completed",
  finish: "finished",
  resume: "resumed",
  open: "open",
  heal: "healed",
  clear: "cleared",
  lock: "locked",
  unlock: "unlocked",
  solve: "solved",
  break: "broken",
  ship: "shipped",
  dispatch: "shipped",
  deliver: "delivered",
  recover: "recovered",
  lift: "lifted",
  reinstate: "reinstated",
  restore: "restored",
  terminate: "terminated",
  shut: "closed",
  sell: "sold",
  settle: "settled",
  unblock: "cleared",
  reactivate: "activated",
  revert: "reverted",
  renovate: "finished",
  rebuild: "finished",
};

function status(clause: Clause, value: string, change: Claim["change"] = null): Claim[] {
  return [say(clause, "status", value, { change })];
}

/** The claims of something that was called off: it has no time, and its state says so. */
function calledOff(clause: Clause): Claim[] {
  const off = { change: "cancelled", confidence: 0.9 } as const;
  const called = { ...clause, modal: null };
  return [
    say(called, "happens", "", { ...off, polarity: false }),
    say(called, "status", "cancelled", { ...off, polarity: true }),
  ];
}

/** What will not take place. */
export const CANCELLATIONS: readonly Row[] = [
  {
    name: "is off",
    verbs: "be",
    is: "affirmed",
    match: /^off[.!]?$/iu,
    claims: (clause) => [
      say(clause, "happens", "", { polarity: false, change: "cancelled", confidence: 0.7 }),
      ...status(clause, "off"),
    ],
    says: ["The {wedding|game} is off. → $1 not happens (cancelled)?; $1 status off"],
    saysNot: ["The laptop is off limits."],
  },
  {
    name: "was cancelled",
    verbs: "cancel scrap shelve",
    is: "passive",
    claims: (clause) => clause.isDenied ? [] : calledOff(clause),
    says: [
      "The picnic {was|has been} {cancelled|scrapped|shelved}. → picnic not happens (cancelled); picnic status cancelled (cancelled)",
      "The picnic is no longer cancelled. → nothing",
    ],
    saysNot: ["I cancelled the picnic."],
  },
  {
    name: "was called off",
    verbs: "call",
    is: "passive",
    match: /^off\b/iu,
    claims: (clause) => clause.isDenied ? [] : calledOff(clause),
    says: ["The picnic was called off. → picnic not happens (cancelled); picnic status cancelled (cancelled)"],
    saysNot: ["The dog is called Rex."],
  },
  {
    name: "will not happen",
    verbs: "happen",
    is: "denied",
    claims: calledOff,
    says: ["The picnic {will not|won't} happen. → picnic not happens (cancelled); picnic status cancelled (cancelled)"],
    saysNot: ["The picnic happens on Sunday."],
  },
];

/** Things that pass or fail. */
const CHECKED = /\b(?:tests?|builds?|checks?|pipelines?|ci|jobs?|suites?)$/iu;
const COLOUR = /^(?:black|white|red|green|blue|yellow|orange|purple|pink|brown|gr[ea]y|turquoise|beige)$/iu;
const WELL = /^(?:properly|fine|well|)[.!]?$/iu;

function works(clause: Clause, [good, bad]: readonly [string, string]): Claim[] {
  return status({ ...clause, isDenied: false }, clause.isDenied ? bad : good);
}

/** The state that the event of a clause brings about. */
function stateOf({ lemma, rest }: Clause): string {
  return lemma === "sell" && /^out\b/iu.test(rest) ? "sold out" : EVENT_STATES[lemma]!;
}

const STATE_VERBS = Object.keys(EVENT_STATES).join(" ");

/** States that events bring about: "works again", "was approved", "has been signed". */
export const EVENTS: readonly Row[] = [
  {
    name: "is working",
    verbs: "work run",
    is: "ongoing",
    when: (clause) => !isPerson(clause),
    match: WELL,
    claims: (clause) => works(clause, clause.lemma === "run" ? ["running", "stopped"] : ["working", "broken"]),
    says: [
      "The {lift|heating} is {working|working fine|working properly|working well} again. → $1 status working (began)",
      "The server is running. → server status running",
      "The server isn't running. → server status stopped",
      "The lift is not working. → lift status broken",
    ],
    saysNot: ["Ben is working.", "The script is running on my laptop."],
  },
  {
    name: "checks pass or fail",
    verbs: "pass fail",
    is: "settled present",
    when: ({ rest, subjectText }) => cleanValue(rest) === "" && CHECKED.test(subjectText),
    claims: (clause) => works(clause, clause.lemma === "pass" ? ["passing", "failing"] : ["failing", "passing"]),
    says: [
      "The {test|tests|build|check|pipeline|CI|job|suite} {passes|fails}. → $1 status {passing|failing}",
      "The tests {do not pass|don't fail} any more. → tests status {failing|passing} (ended)",
    ],
    saysNot: ["The days pass.", "The tests passed."],
  },
  {
    name: "works",
    verbs: "work",
    is: "settled active",
    match: WELL,
    claims: (clause) => works(clause, ["working", "broken"]),
    says: [
      "The lift works {again|fine|properly|well}. → lift status {working (began)|working|working|working}",
      "The lift doesn't work. → lift status broken",
    ],
    saysNot: ["The lift works with a key.", "I work at Shell."],
  },
  {
    name: "starts at a time",
    verbs: "start begin",
    is: "active present",
    when: (clause) => !isPerson(clause),
    match: /^(?:at|on|in) (.+)$/iu,
    claims: (clause, [, time]) =>
      /^(?:clock|day)$/.test(firstValue(time!)?.kind ?? "") ? [say(clause, "happens", upTo(time!))] : null,
    says: ["The {class|course} {starts|begins} {at 9:30|on Monday|in May}. → $1 happens {9:30|Monday|May}"],
    saysNot: ["The path starts at the gate.", "I start at 9:30."],
  },
  {
    name: "was painted in a colour",
    verbs: "paint",
    is: "active past",
    match: /^((?:the|our|my) .+?) (\p{Ll}+)[.!]?$/u,
    claims: (clause, [, thing, colour]) =>
      COLOUR.test(colour!)
        ? [
          say(clause, "is", colour!, {
            subject: thing!.replace(/^my /iu, `${clause.speaker} `),
            change: "replaced",
          }),
        ]
        : null,
    says: [
      "We painted {the|our|my} door {black|white|red|green|blue|yellow|orange|purple|pink|brown|grey|gray|turquoise|beige}. → {door|door|user door} is $2 (replaced)",
    ],
    saysNot: ["We painted the door quickly.", "I painted a portrait."],
  },
  ...rowsWith({ is: "settled" }, [
    {
      name: "an event brought about a state",
      verbs: STATE_VERBS,
      claims: (clause) => {
        const { lemma, form, rest, isPassive, isDenied } = clause;
        const bare = cleanValue(rest.replace(/\b(?:yesterday|this (?:morning|afternoon|evening))\b/iu, ""))
          .replace(/^(?:in full|down|permanently|out)$/iu, "");
        const isOfSubject = isPassive ||
          /^(?:reopen|resume|close|open|heal|recover|shut)$/.test(lemma) && (lemma !== "open" || form === "past");
        const happened = isPassive ? clause.isPast || clause.isPerfect : form === "past";
        if (isOfSubject && (bare === "" || /^(?:by|from|and) /iu.test(rest))) {
          return isDenied
            ? [say(clause, "status", stateOf(clause), { polarity: false })]
            : status(clause, stateOf(clause), happened ? "began" : null);
        }
        // "closed on Mondays"
        return isPassive && !isDenied && /^(?:to|on|in|for|at) /iu.test(rest)
          ? status(clause, `${stateOf(clause)}: ${cleanValue(rest)}`, happened ? "began" : null)
          : null;
      },
      says: [
        "The bill was paid and filed. → bill status paid (began)",
        "The request was {approved|rejected|declined|resolved|archived|completed|settled|reverted}. → request status $1 (began)",
        "The service was {reopened|deprecated|closed|fixed|repaired|enabled|disabled|suspended|paused|activated|deactivated|merged|finished|resumed|opened|cleared|locked|unlocked|solved|broken|restored|terminated|shut|unblocked|reactivated|recovered|published|reinstated}. → service status {reopened|deprecated|closed|fixed|repaired|enabled|disabled|suspended|paused|activated|deactivated|merged|finished|resumed|open|cleared|locked|unlocked|solved|broken|restored|terminated|closed|cleared|activated|recovered|published|reinstated} (began)",
        "The {order|lease} was {signed|paid|filled|shipped|dispatched|delivered|sold}. → $1 status {signed|paid|filled|shipped|shipped|delivered|sold} (began)",
        "The ban was lifted. → ban status lifted (began)",
        "The house has been {renovated|rebuilt}. → house status finished (began)",
        "The patient was discharged {yesterday|this morning|this afternoon|this evening}. → patient status discharged (began)",
        "The shop has {reopened|closed|shut|opened}. → shop status {reopened|closed|closed|open} (began)",
        "The wound has healed. → wound status healed (began)",
        "Ben has recovered. → Ben status recovered (began)",
        "Trading has resumed. → Trading status resumed (began)",
        "The tickets are sold out. → tickets status sold out",
        "The bill was paid {in full|by Ana|from the budget}. → bill status paid (began)",
        "The shop was {shut down|closed permanently}. → shop status closed (began)",
        "The contract is no longer signed. → contract not status signed (ended)",
        "The café is closed {on Mondays|in Leeds|for repairs|to visitors|at noon}. → café status {closed: on Mondays|closed: in Leeds|closed [repair]|closed: visitors|closed: at noon?}",
      ],
      saysNot: ["The shop opens at nine.", "I closed the door.", "The café is not closed on Mondays."],
    },
    {
      name: "ended",
      verbs: "end",
      is: "past",
      match: /^[.!]?$/,
      claims: (clause) => status(clause, "finished", "began"),
      says: ["The trial has ended. → trial status finished (began)"],
      saysNot: ["The trial ended in chaos."],
    },
    {
      name: "was taken down",
      verbs: "take",
      is: "passive",
      match: /^(?:down|offline)\b/iu,
      claims: (clause) => status(clause, "offline", "began"),
      says: ["The site was taken {down|offline}. → site status offline (began)"],
      saysNot: ["The photo was taken in June."],
    },
    {
      name: "was put into a state",
      verbs: "put",
      is: "passive",
      when: ({ rest }) => findState(rest) !== null,
      claims: (clause) => status(clause, findState(clause.rest)!.state, "began"),
      says: ["The project was put on hold. → project status on hold (began)"],
      saysNot: ["The vase was put on the table."],
    },
    {
      name: "was turned on or off",
      verbs: "turn switch",
      is: "passive",
      match: /^(on|off)\b ?(.*)$/iu,
      claims: (clause, [, way, after]) => {
        const where = cleanValue(clause.rest).replace(/^off\b ?/iu, "");
        const scope = /^(?:in|on|for|at) /iu.test(where) ? `: ${where}` : "";
        return status(clause, `${/^on/iu.test(way!) ? "enabled" : "disabled"}${after === "" ? "" : scope}`, "began");
      },
      says: [
        "The alarm was {turned|switched} on. → alarm status enabled (began)",
        "The alarm was turned off {in|on|for|at} weekends. → alarm status {disabled: in weekends (began)|disabled: on weekends (began)|disabled (began) [weekend]|disabled: at weekends (began)}",
      ],
      saysNot: ["The alarm was turned down."],
    },
    {
      name: "graduated",
      verbs: "graduate",
      is: "past",
      claims: (clause) => [say(clause, "study", "", ENDED), ...status(clause, "graduated", "began")],
      says: ["Ana has graduated. → Ana not study (ended); Ana status graduated (began)"],
      saysNot: ["Ana graduates in June."],
    },
    {
      name: "found a job",
      verbs: "find",
      match: /^a job\b/iu,
      claims: (clause) => status(clause, "employed", "began"),
      says: ["Ana has found a job. → Ana status employed (began)"],
      saysNot: ["Ana has found a flat."],
    },
    {
      name: "gave birth",
      verbs: "give",
      match: /^birth\b/iu,
      claims: (clause) => status(clause, "gave birth", "began"),
      says: ["Ana has given birth. → Ana status gave birth (began)"],
      saysNot: ["Ana has given a talk."],
    },
  ]),
];
