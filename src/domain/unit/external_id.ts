/** The name that a caller's own system has for a unit. It stands in the unit's content, and no version takes it away. */

interface Named {
  readonly externalId?: unknown;
}

/** The content of a unit's next version with the name that the unit has now: none, if it has none. */
export function keepExternalId<B extends object>(now: Named, next: B): B {
  const { externalId: _, ...body } = next as B & Named;
  return (now.externalId === undefined ? body : { ...body, externalId: now.externalId }) as B;
}
