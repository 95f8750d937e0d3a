/** Single numbers that stand side by side. */
import type { ComponentChildren } from "preact";
import type { Tone } from "./badge.tsx";

export function Figures({ children }: { readonly children: ComponentChildren }) {
  return <dl class="cards figures">{children}</dl>;
}

/** A number with its name and a few words about it. */
export function Figure({ name, value, about, tone = "quiet" }: {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly about?: ComponentChildren;
  readonly tone?: Tone;
}) {
  return (
    <div class={`card figure ${tone}`}>
      <dt>{name}</dt>
      <dd class="value">{value}</dd>
      {about !== undefined && <dd class="quiet">{about}</dd>}
    </div>
  );
}
