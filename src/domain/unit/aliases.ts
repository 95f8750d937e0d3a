/**
 * The aliases of units: other names by which recall finds them. They are a member of the body, in order; a unit without
 * aliases has no such member, so that its shared form and its lines are the same as before aliases existed. The content
 * hash leaves them out, except for entities, whose content is their names.
 */
import { tidyNames } from "../../language/names.ts";
import { UNIT_ALIASES_MAX, type UnitType } from "../../schema/unit.ts";
import { rulesOf } from "./rules.ts";

/** The aliases in a unit's body. */
export function aliasesOf(body: unknown): readonly string[] {
  return (body as { readonly aliases?: readonly string[] } | null)?.aliases ?? [];
}

/** The body with these aliases in place of its own: each name once, as it is shown. */
export function withAliases<Body extends object>(body: Body, aliases: readonly string[]): Body {
  const { aliases: _, ...rest } = body as Body & { readonly aliases?: unknown };
  const tidy = tidyNames(aliases);
  return (tidy.length === 0 ? rest : { ...rest, aliases: tidy }) as unknown as Body;
}

/** The aliases of one unit with further ones, as many as a unit may have; its own come first. */
export function joinAliases(own: readonly string[], further: readonly string[]): string[] {
  return tidyNames([...own, ...further]).slice(0, Math.max(own.length, UNIT_ALIASES_MAX));
}

/**
 * The words that the index holds besides a unit's text: its aliases, and the predicates of the claims that rules read
 * in it, so that "Where does Ana work?" finds "Ana has started at Bosch". The text of a unit with a name already holds
 * its aliases.
 */
export function indexedBeside(type: UnitType, body: unknown): readonly string[] {
  const { claims = [] } = body as { readonly claims?: readonly { readonly predicate: string }[] };
  return rulesOf(type).isNamed ? [] : [...aliasesOf(body), ...claims.map(({ predicate }) => predicate)];
}

/** Whether the index holds two versions of a unit as the same document: same text, and same further words. */
export function isIndexedAlike(a: Indexed, b: Indexed): boolean {
  const [own, other] = [a, b].map(({ type, body }) => indexedBeside(type, body));
  return a.text === b.text && JSON.stringify(own) === JSON.stringify(other);
}

interface Indexed {
  readonly type: UnitType;
  readonly text: string;
  readonly body: unknown;
}
