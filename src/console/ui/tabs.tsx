/** Tabs: one of several panels; the arrow keys move between them. */
import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";

export interface Tab {
  readonly id: string;
  readonly label: ComponentChildren;
  readonly panel: () => ComponentChildren;
}

export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const chosen = useSignal(tabs[0]?.id);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const at = Math.max(0, tabs.findIndex((tab) => tab.id === chosen.value));
  const choose = (index: number) => {
    const next = (index + tabs.length) % tabs.length;
    chosen.value = tabs[next]!.id;
    list.current?.querySelectorAll("button")[next]?.focus();
  };
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === "ArrowRight") choose(at + 1);
    if (key === "ArrowLeft") choose(at - 1);
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {tabs.map((tab, i) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            aria-selected={i === at}
            aria-controls={`${id}-panel`}
            tabIndex={i === at ? 0 : -1}
            onClick={() => chosen.value = tab.id}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tabs[at]?.id}`} tabIndex={0}>
        {tabs[at]?.panel()}
      </div>
    </div>
  );
}
