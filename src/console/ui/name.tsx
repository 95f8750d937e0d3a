/** Names that others gave, within a sentence. */

const MOST = 80;

/** A name as it was given, cut if it is very long; its direction stays its own. */
export function Name({ of, title }: { readonly of: string; readonly title?: string }) {
  return <bdi class="name" title={title}>{of.length > MOST ? `${of.slice(0, MOST)}…` : of}</bdi>;
}
