/** What may wait for a person. */
import type { ReviewItem, ReviewKind } from "../../../clients/typescript/mod.ts";
import { svc } from "../session.ts";

/** Each kind of item: what it is, and what the sides are called. */
export const REVIEW_KINDS: Readonly<
  Record<ReviewKind, { readonly title: string; readonly subject: string; readonly other: string }>
> = {
  contested_fact: { title: "Two facts contradict each other", subject: "New", other: "Known before" },
  outdated_fact: { title: "A fact may be outdated", subject: "New", other: "Known before" },
  near_duplicate: { title: "Two units say almost the same", subject: "New", other: "Known before" },
  stale_dependant: { title: "What it rests on no longer holds", subject: "In doubt", other: "What it rests on" },
  self_edit: { title: "An agent proposes a change", subject: "Concerns", other: "Beside it" },
  federation_conflict: { title: "Another instance says something else", subject: "From there", other: "Known here" },
};

/** Items of the review with what they are about; undefined: it is no unit, or the key may not see it. */
export async function withSubjects(items: readonly ReviewItem[], signal: AbortSignal) {
  const ids = [...new Set(items.map(({ subjectId }) => subjectId))];
  const units = ids.length === 0 ? [] : (await svc.getUnits({ id: ids }, { signal })).data;
  return items.map((item) => ({ item, unit: units.find(({ id }) => id === item.subjectId)?.unit ?? undefined }));
}
