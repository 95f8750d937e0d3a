/**
 * The meaning of the states of units. A state means the same in every type, so that recall, worth and truth maintenance need
 * not know the types. Each type uses a subset of these states.
 */

interface StateMeaning {
  /** The unit is in force: recall returns it, and worth and statistics count it. */
  readonly inForce?: true;
  /** The unit was in force until it ended; recall returns it if the query asks about an earlier time. */
  readonly ended?: true;
  /**
   * The unit was invalidated, so units that rest on it become stale. States such as `archived` do not invalidate a
   * unit.
   */
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
export const UNIT_STATES = Object.keys(STATES) as [UnitState, ...UnitState[]];

function statesThat(holds: (meaning: StateMeaning) => true | undefined): readonly UnitState[] {
  return (Object.keys(STATES) as UnitState[]).filter((state) => holds(STATES[state]) === true);
}

/** States in which a unit is recalled unless more is asked for. */
export const LIVE_STATUSES = statesThat(({ inForce }) => inForce);
/** States of units that may have been in force at an earlier time. */
export const ENDED_STATUSES = statesThat(({ ended }) => ended);
/** States of invalidated units: units that rest on them are stale. */
export const FALLEN_STATUSES = statesThat(({ fell }) => fell);
