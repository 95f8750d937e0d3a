/** Stored texts, dates and numbers. What others wrote is shown as text, apart from the words around it. */
import { useSignal } from "@preact/signals";
import { Button } from "./form.tsx";
import { toast } from "./toast.tsx";

const LONG = 600;

/** A stored text. Its direction and its length stay its own: a long one is cut until the person opens it. */
export function Words({ text, invisible, lines, leadsTo }: {
  readonly text: string;
  /** What the reply says of characters that nobody sees. */
  readonly invisible?: unknown;
  /** Shows its first lines alone, as in a list whose items lead to the whole. */
  readonly lines?: boolean;
  /** The address that the text is a link to. */
  readonly leadsTo?: string;
}) {
  const isOpen = useSignal(false);
  if (lines) return <bdi class="words first-lines">{text.slice(0, LONG)}</bdi>;
  const isLong = text.length > LONG;
  const words = <bdi class="words">{isLong && !isOpen.value ? `${text.slice(0, LONG)}…` : text}</bdi>;
  return (
    <>
      {leadsTo === undefined ? words : <a href={leadsTo}>{words}</a>}
      {invisible !== undefined && (
        <span class="badge warn" title="The text contains characters that nobody sees">invisible characters</span>
      )}
      {isLong && (
        <button
          type="button"
          class="link"
          aria-expanded={isOpen.value}
          onClick={() => isOpen.value = !isOpen.value}
        >
          {isOpen.value ? "Show less" : `Show all ${text.length.toLocaleString()} characters`}
        </button>
      )}
    </>
  );
}

/** A number as people write it. */
export function count(n: number): string {
  return n.toLocaleString("en");
}

const UNITS = [["year", 31_557_600], ["month", 2_629_800], ["day", 86_400], ["hour", 3_600], ["minute", 60]] as const;
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** How long ago, or how far ahead. */
export function sayAgo(iso: string): string {
  const seconds = (new Date(iso).getTime() - Date.now()) / 1_000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return "just now";
}

const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const moments = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** A time: the day, or how long ago; both are in the hint. */
export function When({ at, as = "day" }: { readonly at: string; readonly as?: "day" | "ago" | "moment" }) {
  const date = new Date(at);
  const shown = as === "ago" ? sayAgo(at) : as === "moment" ? moments.format(date) : days.format(date);
  return <time dateTime={at} title={`${moments.format(date)} · ${sayAgo(at)}`}>{shown}</time>;
}

/** An id, shortened; it can be copied. */
export function Id({ id }: { readonly id: string }) {
  return <code class="id" title={id}>{id.slice(-8)}</code>;
}

/** 0 to 1 as a bar with its number. */
export function Share({ of, label }: { readonly of: number; readonly label: string }) {
  return (
    <span class="share">
      <meter min={0} max={1} value={of} aria-label={label} />
      <span class="number">{of.toFixed(2)}</span>
    </span>
  );
}

/** Puts a text on the clipboard. */
export function Copy({ text, label }: { readonly text: string | (() => string); readonly label: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
      toast("Copied.", { tone: "good" });
    } catch {
      toast("The browser does not let the page copy.", { tone: "bad" });
    }
  };
  return <Button small onClick={copy}>{label}</Button>;
}
