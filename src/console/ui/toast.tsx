/** Short messages at the edge of the page, which screen readers read out. */
import { signal } from "@preact/signals";
import type { Tone } from "./badge.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: Tone;
  readonly action?: ToastAction | undefined;
}

/** What the person may do about it, such as undo. */
export interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

const shown = signal<readonly Toast[]>([]);
const STAYS_MS = 6_000;
const STAYS_WITH_ACTION_MS = 12_000;
let last = 0;

/** Shows a message for some seconds; faults stay until they are closed. */
export function toast(text: string, { tone = "info", action }: { tone?: Tone; action?: ToastAction } = {}): void {
  const id = ++last;
  shown.value = [...shown.value.slice(-3), { id, text, tone, action }];
  if (tone !== "bad") setTimeout(() => close(id), action === undefined ? STAYS_MS : STAYS_WITH_ACTION_MS);
}

function close(id: number): void {
  shown.value = shown.value.filter((one) => one.id !== id);
}

/** Closes the messages of faults: the person tries again, or goes on to something else. */
export function closeFaults(): void {
  shown.value = shown.peek().filter(({ tone }) => tone !== "bad");
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.value.map(({ id, text, tone, action }) => (
        <div key={id} class={`toast ${tone}`}>
          <span>{text}</span>
          {action && (
            <button type="button" class="button small" onClick={() => (close(id), action.run())}>{action.label}</button>
          )}
          <button type="button" class="button small" aria-label="Close the message" onClick={() => close(id)}>×</button>
        </div>
      ))}
    </div>
  );
}
