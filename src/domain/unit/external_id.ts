/** The name that a caller's own system has for a unit. It is part of the unit's content, and no version removes it. */

interface ExternallyNamed {
  readonly externalId?: unknown;
}

/** The content of a unit's next version with the unit's present name, or without one if it has none. */
export function keepExternalId<B extends object>(now: ExternallyNamed, next: B): B {
  const { externalId: _, ...body } = next as B & ExternallyNamed;
  return (now.externalId === undefined ? body : { ...body, externalId: now.externalId }) as B;
}
