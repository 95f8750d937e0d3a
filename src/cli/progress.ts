/** Shows the progress of long work: one overwritten line on standard error, and nothing if that is no terminal. */

export interface Progress {
  /** Shows a state, such as `3 of 12 MiB`. */
  show(state: string): void;
  /** Adds to the count, and shows it. */
  count(more: number, unit: string): void;
  /** Removes the line. */
  end(): void;
}

const INTERVAL_MS = 100;
const CLEAR = "\r\x1b[K";

/** Begins to show the progress of work that `verb` names: "exported", "read". */
export function openProgress(
  verb: string,
  terminal: Pick<typeof Deno.stderr, "isTerminal" | "writeSync"> = Deno.stderr,
): Progress {
  if (!terminal.isTerminal()) return { show() {}, count() {}, end() {} };
  const encoder = new TextEncoder();
  let shownAt = -Infinity;
  let total = 0;
  let isShown = false;
  const show = (state: string) => {
    if (performance.now() - shownAt < INTERVAL_MS) return;
    shownAt = performance.now();
    isShown = true;
    terminal.writeSync(encoder.encode(`${CLEAR}${verb} ${state}`));
  };
  return {
    show,
    count: (more, unit) => {
      total += more;
      show(`${total} ${unit}`);
    },
    end: () => {
      if (isShown) terminal.writeSync(encoder.encode(CLEAR));
      isShown = false;
    },
  };
}
