/**
 * What the states of units mean. A state means the same in every type, so that recall, worth and truth maintenance need
 * not know the types; a type takes its states from here.
 */

interface StateMeaning {
  /** It counts now: it is recalled, and has its part in worth and statistics. */
  readonly inForce?: true;
  /** It counted at an earlier time, and is recalled where that time is asked about. */
  readonly ended?: true;
  /** What rests on it has lost its ground, and becomes stale. What is only put away was right. */
  readonly fell?: true;
}

const STATES = {
  active: { inForce: true },
  contested: { inForce: true },
  proposed: { inForce: true },
  accepted: { inForce: true },
  probationary: { inForce: true },
  superseded: { ended: true, fell: true },
  expired: { ended: true },
  retracted: { fell: true },
  rejected: { fell: true },
  retired: {},
  merged: {},
  archived: {},
} as const satisfies Readonly<Record<string, StateMeaning>>;

export type UnitState = keyof typeof STATES;

function statesThat(holds: (meaning: StateMeaning) => true | undefined): readonly UnitState[] {
  return (Object.keys(STATES) as UnitState[]).filter((state) => holds(STATES[state]) === true);
}

/** States in which a unit is recalled unless more is asked for. */
export const LIVE_STATUSES = statesThat(({ inForce }) => inForce);
/** States of what was true and may have been so at an earlier moment. */
export const ENDED_STATUSES = statesThat(({ ended }) => ended);
/** States in which a unit bears nothing that rests on it. */
export const FALLEN_STATUSES = statesThat(({ fell }) => fell);
