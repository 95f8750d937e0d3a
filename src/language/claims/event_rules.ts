/** Rules for what happens to things: states that events bring about. */
import { draw, type Rule, upTo } from "./draft.ts";
import { isPerson } from "./people_rules.ts";
import { findState } from "./states.ts";
import { cleanValue, firstValue } from "./values.ts";

/** The state that an event brings about, by its verb. */
export const EVENT_STATES: Readonly<Record<string, string>> = {
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
  shelve: "shelved",
  scrap: "scrapped",
  ship: "shipped",
  dispatch: "shipped",
  deliver: "delivered",
  recover: "recovered",
  lift: "lifted",
  repeal: "repealed",
  reinstate: "reinstated",
  restore: "restored",
  terminate: "terminated",
  shut: "closed",
  sell: "sold",
  settle: "settled",
  unblock: "cleared",
  unfreeze: "resumed",
  reactivate: "activated",
  revert: "reverted",
  renovate: "finished",
  rebuild: "finished",
};

/** Matches things that pass or fail, such as tests and builds. */
const CHECKED = /\b(?:tests?|builds?|checks?|pipelines?|ci|jobs?|suites?)$/iu;
const COLOUR = /^(?:black|white|red|green|blue|yellow|orange|purple|pink|brown|gr[ea]y|turquoise|beige)$/iu;

/** States that an event brings about: "was approved", "has been signed", "works again". */
export const readEvent: Rule = (clause) => readWorking(clause) ?? readMade(clause) ?? readHappened(clause);

/** "works again", "is running", "the tests pass". */
const readWorking: Rule = (clause) => {
  const { lemma, rest, isPassive, isProgressive } = clause;
  if (isProgressive) {
    if (!/^(?:work|run)$/.test(lemma) || !/^(?:properly|fine|well|)[.!]?$/iu.test(rest) || isPerson(clause)) {
      return null;
    }
    const value = lemma === "run" ? clause.isDenied ? "stopped" : "running" : clause.isDenied ? "broken" : "working";
    return [draw({ ...clause, isDenied: false }, { respect: "status", predicate: "status", value })];
  }
  if (
    /^(?:pass|fail)$/.test(lemma) && clause.form !== "past" && cleanValue(rest) === "" &&
    CHECKED.test(clause.subjectText)
  ) {
    const value = (lemma === "pass") === clause.isDenied ? "failing" : "passing";
    return [draw({ ...clause, isDenied: false }, { respect: "status", predicate: "status", value })];
  }
  if (lemma !== "work" || isPassive || !/^(?:properly|fine|well|)[.!]?$/iu.test(rest)) return null;
  const value = clause.isDenied ? "broken" : "working";
  return [draw({ ...clause, isDenied: false }, { respect: "status", predicate: "status", value })];
};

/** "starts at 9", "painted the door red". */
const readMade: Rule = (clause) => {
  const { lemma, rest, isPassive } = clause;
  const begins = /^(?:start|begin)$/.test(lemma) && !isPassive && clause.form !== "past" && !isPerson(clause)
    ? /^(?:at|on|in) (.+)$/iu.exec(rest)?.[1]
    : undefined;
  if (begins !== undefined && /^(?:clock|day)$/.test(firstValue(begins)?.kind ?? "")) {
    return [draw(clause, { respect: "time", predicate: "happens", value: upTo(begins) })];
  }
  if (lemma === "paint" && !isPassive && clause.form === "past") {
    const painted = /^((?:the|our|my) .+?) (\p{Ll}+)[.!]?$/u.exec(rest);
    const isColour = painted !== null && COLOUR.test(painted[2]!);
    if (!isColour) return null;
    const subject = painted[1]!.replace(/^my /iu, `${clause.speaker} `);
    return [draw(clause, { subject, respect: "attribute", predicate: "is", value: painted[2]!, change: "replaced" })];
  }
  return null;
};

const readHappened: Rule = (clause) => {
  const { lemma, rest, isPassive } = clause;
  if (clause.isProgressive) return null;
  const state = lemma === "sell" && /^out\b/iu.test(rest) ? "sold out" : EVENT_STATES[lemma];
  const bare = cleanValue(rest.replace(/\b(?:yesterday|this (?:morning|afternoon|evening))\b/iu, "")).replace(
    /^(?:in full|down|permanently|out)$/iu,
    "",
  );
  if (
    state !== undefined &&
    (isPassive ||
      /^(?:reopen|resume|close|open|heal|recover|shut)$/.test(lemma) && (lemma !== "open" || clause.form === "past")) &&
    (bare === "" || /^(?:by|from|and) /iu.test(rest))
  ) {
    if (clause.isDenied) {
      return [draw(clause, { respect: "status", predicate: "status", value: state, polarity: false })];
    }
    const happened = isPassive && (clause.isPast || clause.isPerfect) || clause.form === "past" && !isPassive;
    return [draw(clause, { respect: "status", predicate: "status", value: state, change: happened ? "began" : null })];
  }
  if (state !== undefined && isPassive && !clause.isDenied && /^(?:to|on|in|for|at) /iu.test(rest)) {
    const change = clause.isPast || clause.isPerfect ? "began" : null;
    return [draw(clause, { respect: "status", predicate: "status", value: `${state}: ${cleanValue(rest)}`, change })];
  }
  if (lemma === "end" && clause.form === "past" && /^[.!]?$/.test(rest)) {
    return [draw(clause, { respect: "status", predicate: "status", value: "finished", change: "began" })];
  }
  if (isPassive && lemma === "take" && /^(?:down|offline)\b/iu.test(rest)) {
    return [draw(clause, { respect: "status", predicate: "status", value: "offline", change: "began" })];
  }
  if (isPassive && lemma === "put" && findState(rest) !== null) {
    return [draw(clause, { respect: "status", predicate: "status", value: findState(rest)!.state, change: "began" })];
  }
  if (/^(?:turn|switch)$/.test(lemma) && isPassive && /^(?:on|off)\b/iu.test(rest)) {
    const where = cleanValue(rest).replace(/^o(?:n|ff)\b ?/iu, "");
    const value = `${/^on/iu.test(rest) ? "enabled" : "disabled"}${
      /^(?:in|on|for|at) /iu.test(where) ? `: ${where}` : ""
    }`;
    return [draw(clause, { respect: "status", predicate: "status", value, change: "began" })];
  }
  if (lemma === "graduate" && clause.form === "past") {
    return [
      draw(clause, { respect: "activity", predicate: "study", value: "", polarity: false, change: "ended" }),
      draw(clause, { respect: "status", predicate: "status", value: "graduated", change: "began" }),
    ];
  }
  if (lemma === "find" && /^a job\b/iu.test(rest)) {
    return [draw(clause, { respect: "status", predicate: "status", value: "employed", change: "began" })];
  }
  if (lemma === "give" && /^birth\b/iu.test(rest)) {
    return [draw(clause, { respect: "status", predicate: "status", value: "gave birth", change: "began" })];
  }
  return null;
};
