/** Small marks: states, types, kinds. */
import type { ComponentChildren } from "preact";

export type Tone = "info" | "good" | "warn" | "bad" | "quiet";

export function Badge({ tone = "quiet", title, children }: {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children: ComponentChildren;
}) {
  return <span class={`badge ${tone}`} title={title}>{children}</span>;
}

/** How each state of a unit looks, and what it means. */
const STATES: Readonly<Record<string, { readonly tone: Tone; readonly means: string }>> = {
  active: { tone: "good", means: "in force" },
  contested: { tone: "warn", means: "something else contradicts it, and a person has to decide" },
  stale: { tone: "warn", means: "something that it rests on no longer holds" },
  superseded: { tone: "quiet", means: "something newer has taken its place" },
  retracted: { tone: "bad", means: "somebody declared it wrong" },
  archived: { tone: "quiet", means: "taken out of recall; can be restored" },
  expired: { tone: "quiet", means: "its time is over" },
  erased: { tone: "bad", means: "gone for ever" },
};

/** The state of a unit, with its meaning. */
export function State({ of }: { readonly of: string }) {
  const { tone, means } = STATES[of] ?? { tone: "quiet" as const, means: undefined };
  return <Badge tone={tone} {...(means && { title: means })}>{of}</Badge>;
}
