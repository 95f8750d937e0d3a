/** States that exclude each other: a thing is in one state of each family at a time. */

/** Each family has its states; each state has its words. The first family that holds a phrase wins. */
const FAMILIES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  relationship: [
    ["single", "not in a relationship"],
    ["in a relationship", "dating", "a couple", "couple", "together", "seeing someone"],
    ["engaged"],
    ["married"],
    ["divorced", "separated", "split up", "broken up"],
    ["widowed", "a widow", "a widower", "widow", "widower"],
  ],
  health: [["pregnant", "expecting"], ["no longer pregnant", "gave birth"]],
  occupation: [["unemployed", "jobless", "out of work", "between jobs"], ["employed", "found a job", "got a job"], [
    "retired",
  ]],
  illness: [["sick", "ill", "unwell"], ["recovered", "healthy", "well", "fine", "better"]],
  delivery: [["pending", "processing", "being processed"], ["shipped", "on its way"], ["delivered"], [
    "cancelled",
    "returned",
  ]],
  suspension: [["suspended", "blocked", "locked", "disabled", "deactivated"], ["reinstated", "restored"]],
  validity: [["in effect", "in force", "valid"], [
    "expired",
    "lifted",
    "repealed",
    "invalid",
    "terminated",
    "ended",
    "over",
  ]],
  hospital: [["in hospital", "in the hospital", "hospitalised", "hospitalized"], [
    "discharged",
    "out of hospital",
    "back home",
  ]],
  openness: [
    ["open", "reopened", "resumed", "trading", "open for business", "back in business"],
    ["closed", "shut", "resolved", "done", "finished", "completed", "merged", "fixed", "solved", "paid", "settled"],
    ["on hold", "paused", "suspended", "frozen", "blocked"],
  ],
  activity: [
    ["active", "ongoing", "in progress", "under way", "underway", "running", "live"],
    ["inactive", "archived", "discontinued", "cancelled", "canceled", "dead", "stopped", "shelved", "scrapped"],
    ["on hold", "paused", "suspended", "frozen"],
    ["finished", "completed", "done", "complete"],
  ],
  building: [["under construction", "being built", "under renovation", "being renovated"], [
    "finished",
    "built",
    "completed",
    "finished and open",
    "open",
  ]],
  presence: [
    [
      "on leave",
      "on maternity leave",
      "on parental leave",
      "on paternity leave",
      "on sick leave",
      "on vacation",
      "on holiday",
      "away",
    ],
    ["back", "back at work"],
  ],
  enabled: [["enabled", "switched on", "turned on", "on", "activated"], [
    "disabled",
    "switched off",
    "turned off",
    "off",
    "deactivated",
  ]],
  decision: [
    ["pending", "under review", "in review", "undecided", "awaiting approval"],
    ["approved", "accepted", "granted"],
    ["rejected", "declined", "refused", "denied"],
    ["withdrawn"],
  ],
  signature: [["unsigned", "not signed"], ["signed"]],
  sale: [["for sale", "on sale", "on the market", "up for sale"], ["sold", "off the market"]],
  hiring: [["hiring"], ["not hiring"]],
  supply: [["out of toner", "out of paper", "out of ink", "empty"], ["full", "refilled", "restocked"]],
  payment: [["unpaid", "overdue", "outstanding", "due"], ["paid", "settled"], ["refunded"]],
  working: [
    [
      "working",
      "fine",
      "fixed",
      "repaired",
      "up",
      "healthy",
      "green",
      "passing",
      "back up",
      "back online",
      "trading",
      "up and running",
      "stable",
      "available",
    ],
    [
      "broken",
      "out of order",
      "failing",
      "red",
      "down",
      "out of service",
      "unavailable",
      "defective",
      "flaky",
      "stuck",
      "jammed",
    ],
  ],
  vacancy: [["vacant", "unfilled", "free", "open", "available"], ["filled", "taken", "occupied"]],
  release: [
    ["in alpha"],
    ["in beta", "in preview", "in closed beta", "in private beta", "in public beta"],
    ["generally available", "ga", "released", "live", "out of beta", "in general availability"],
    ["deprecated"],
    ["supported"],
    ["end of life", "retired", "unsupported", "sunset", "discontinued"],
  ],
  draft: [["a draft", "draft", "in draft", "unpublished"], ["published", "final"]],
  stock: [["in stock", "available"], ["sold out", "out of stock"]],
  resolution: [["unresolved", "unsolved", "unfixed"], ["resolved", "solved", "fixed"]],
  injury: [["broken", "injured", "sprained", "swollen"], ["healed", "fine", "better"]],
  passage: [["blocked"], ["cleared", "clear"]],
  line: [["online", "back online", "back up", "up"], ["offline", "down"]],
  lock: [["locked", "blocked"], ["unlocked"]],
  maturity: [["experimental", "unstable"], ["stable"]],
  course: [["on", "under way"], ["over", "ended", "finished", "called off", "cancelled"]],
  health2: [["unhealthy", "degraded"], ["healthy", "recovered", "stable", "fine", "working", "back up"]],
  visibility: [["private"], ["public"]],
  custody: [["in prison", "in jail", "in custody", "behind bars", "under arrest", "detained"], [
    "released",
    "free",
    "out of prison",
    "out of jail",
    "out on bail",
    "acquitted",
  ]],
  consciousness: [["in a coma", "unconscious", "under anaesthesia"], ["awake", "conscious", "out of the coma"]],
  care: [["in intensive care", "in critical condition", "critical"], [
    "out of intensive care",
    "out of danger",
    "discharged",
    "recovered",
    "stable",
  ]],
  isolation: [["in quarantine", "in isolation", "isolating"], ["out of quarantine", "out of isolation"]],
  strike: [["on strike"], ["back at work", "working", "running"]],
  manner: [["remote", "online", "virtual", "held online"], ["in person", "on site", "onsite", "face to face"]],
  duty: [["mandatory", "compulsory", "obligatory"], ["optional", "voluntary"]],
  charge: [["flat", "dead", "discharged", "out of battery", "charging"], ["charged", "full"]],
  traffic: [["blocked", "impassable", "jammed"], ["passable", "clear", "cleared", "free"]],
  sleep: [["asleep", "sleeping"], ["awake", "up"]],
  cleanliness: [["clean", "spotless", "tidy", "tidied"], ["dirty", "filthy", "messy", "untidy"]],
  moisture: [["wet", "soaked", "flooded", "under water"], ["dry"]],
  booking: [["fully booked", "booked out", "booked up", "sold out"], ["available"]],
  presence2: [["missing", "lost", "gone"], ["found", "back", "recovered"]],
  readiness: [["not ready", "unfinished", "incomplete", "half finished", "a work in progress"], [
    "ready",
    "finished",
    "complete",
    "done",
  ]],
  power: [["on", "switched on", "lit"], ["off", "switched off"]],
  connection: [["connected"], ["disconnected", "cut off"]],
  sobriety: [["drunk"], ["sober"]],
  leaking: [["leaking", "leaky"], ["fixed", "repaired", "tight", "dry", "watertight"]],
  legality: [["legal", "lawful"], ["illegal", "unlawful", "outlawed"]],
  cost: [["free of charge", "for free"], ["paid", "chargeable"]],
};

interface State {
  readonly family: string;
  readonly place: number;
}

const STATES = new Map<string, State[]>();
for (const [family, states] of Object.entries(FAMILIES)) {
  for (const [place, words] of states.entries()) {
    for (const word of words) STATES.set(word, [...STATES.get(word) ?? [], { family, place }]);
  }
}
const LONGEST_FIRST = [...STATES.keys()].sort((a, b) => b.length - a.length);
const STATE_START = new RegExp(`^(?:${LONGEST_FIRST.join("|")})(?=$|[\\s.,!])`, "iu");

/** The state with which a phrase begins, and the text after it. */
export function findState(phrase: string): { readonly state: string; readonly rest: string } | null {
  const match = STATE_START.exec(phrase);
  // "on" and "up" are states only where nothing follows.
  if (
    match !== null &&
    /^(?:on|off|up|down|free|due|live|final|dead|red|open|done|over|well|fine|better|ended|returned|ill)$/i.test(
      match[0],
    )
  ) {
    const after = phrase.slice(match[0].length);
    const isWhole = /^[\s.,!]*$/.test(after) || (/^open$/i.test(match[0]) && /^ (?:to|on|from|for) /i.test(after));
    if (!isWhole) return null;
  }
  return match === null ? null : { state: match[0].toLowerCase(), rest: phrase.slice(match[0].length).trim() };
}

/** Whether two states exclude each other: another state of the same family. */
export function excludesState(a: string, b: string): boolean {
  const [statesA, statesB] = [STATES.get(a) ?? [], STATES.get(b) ?? []];
  const shared = statesA.filter((one) => statesB.some((other) => other.family === one.family));
  return shared.length > 0 &&
    shared.every((one) => statesB.every((other) => other.family !== one.family || other.place !== one.place));
}

/** Whether a state is a relationship to somebody else, such as "married". */
export function isRelationship(state: string): boolean {
  return STATES.get(state)?.some(({ family }) => family === "relationship") === true;
}

/** Whether the list of states holds a state. */
export function isListedState(state: string): boolean {
  return STATES.has(state);
}
