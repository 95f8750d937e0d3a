/** A claim: what a statement says about one subject in one respect. */

/** The respects in which a claim can speak of its subject. */
export const RESPECTS = [
  "residence",
  "employment",
  "role",
  "tool",
  "preference",
  "possession",
  "relation",
  "membership",
  "measure",
  "time",
  "status",
  "permission",
  "diet",
  "name",
  "attribute",
  "activity",
] as const;
export type Respect = (typeof RESPECTS)[number];

/**
 * How a claim says that something has changed: a state began or ended, one value replaced another, a value was moved in
 * time, a number was adjusted, a thing was given another name, a role or a thing was handed over, or something was
 * called off as a whole.
 */
export const CHANGES = [
  "began",
  "ended",
  "replaced",
  "rescheduled",
  "adjusted",
  "renamed",
  "handed_over",
  "cancelled",
] as const;
export type ClaimChange = (typeof CHANGES)[number];

export interface Claim {
  /** The subject as the statement has it, without an article; `user` where the speaker has no name. */
  readonly subject: string;
  /** The key by which subjects are compared. */
  readonly subjectKey: string;
  readonly respect: Respect;
  /** The predicate in its normal form, such as `lives in`, whichever words the statement uses. */
  readonly predicate: string;
  /** The value as the statement has it; empty where all values are meant. */
  readonly value: string;
  /** False: the statement denies it. */
  readonly polarity: boolean;
  readonly change: ClaimChange | null;
  /** The former value, as the statement names it; null: it names none. */
  readonly from: string | null;
  /** The stems of what the claim is limited to, such as a purpose, a place or a part, in order; empty: nothing. */
  readonly scope: string;
  /** The statement says that the value is added to those that held already. */
  readonly isAddition: boolean;
  /** 0 to 1: how sure the reading is. */
  readonly confidence: number;
  /**
   * Whether the subject has one such value at a time, as the author or the workspace says. Absent when neither says so;
   * the rules then decide.
   */
  readonly exclusive?: boolean;
}

/** The subject of "I" if the statement does not name its speaker. */
export const NAMELESS = "user";

/**
 * `ends`: the newer claim says that the older one has ended. `outdates`: the older claim is hardly true any more when
 * the newer one is, but the newer statement does not say that anything has changed. `none`: both can be true.
 */
export type ClaimRelation = "none" | "outdates" | "ends";
