/** How far long work is: one line on standard error, written over and over, and nothing at all where no terminal is. */

export interface Progress {
  /** Shows how far the work is, such as `3 of 12 MiB`. */
  show(state: string): void;
  /** Adds so many to what is counted, and shows the count. */
  count(more: number, unit: string): void;
  /** Takes the line away. */
  end(): void;
}

const INTERVAL_MS = 100;
const CLEAR = "\r\x1b[K";

/** Begins to show the progress of what `verb` says is done: "exported", "read". */
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
