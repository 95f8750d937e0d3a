/** Finds the names that somebody may have meant who wrote one that nothing has. Pure. */

/** Names that are offered, and the least share of letters and pairs of letters that they have in common with the other one. */
const NEAR_MAX = 2, SHARE_MIN = 0.55;
/** A second name has at least this part of the share of the first. */
const SECOND = 0.9;
const PREFIX = /^SVC_/;

/** The known names that a misspelt or half remembered one may mean, the likeliest first. */
export function findNearNames(name: string, known: ReadonlySet<string>): string[] {
  const own = partsOf(name);
  const near = [...known].map((other) => {
    const parts = partsOf(other);
    return { other, share: 2 * own.intersection(parts).size / (own.size + parts.size) };
  }).filter(({ share }) => share >= SHARE_MIN).sort((a, b) => b.share - a.share);
  return near.filter(({ share }) => share >= SECOND * near[0]!.share).slice(0, NEAR_MAX).map(({ other }) => other);
}

/** Each letter of a name without its prefix, and each two that follow each other. */
function partsOf(name: string): Set<string> {
  const letters = [...name.replace(PREFIX, "")];
  return new Set([...letters, ...letters.slice(1).map((letter, at) => `${letters[at]}${letter}`)]);
}
