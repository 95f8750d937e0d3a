/** The condition that a row has tags. */
import type { Sql } from "../tx.ts";

type Fragment = ReturnType<Sql>;

/**
 * Tags are asked for in NFC and stored so. Those that an earlier build stored, or that came with an item whose form its hash
 * covers, may be in NFD.
 * @param column such as `u.tags` @param every whether all tags are needed; one is enough otherwise
 */
export function hasTags(sql: Sql, column: string, tags: readonly string[], every = false): Fragment {
  const held = sql.unsafe(column);
  const any = (some: readonly string[]) => sql`${held} && ${some as string[]}::text[]` as Fragment;
  if (!every) return any(tags.flatMap(formsOf));
  const plain = tags.filter((tag) => formsOf(tag).length === 1);
  return tags.map(formsOf).filter((forms) => forms.length > 1).reduce<Fragment>(
    (all, forms) => sql`${all} and ${any(forms)}` as Fragment,
    sql`${held} @> ${plain}::text[]` as Fragment,
  );
}

function formsOf(tag: string): string[] {
  const other = tag.normalize("NFD");
  return other === tag ? [tag] : [tag, other];
}
