/** What happened when: counts by time, and the list below. */
import type { TimelineCounts, TimelineItem } from "../../../clients/typescript/mod.ts";
import { go, href, type ScreenProps } from "../router.ts";
import { svc } from "../session.ts";
import { Badge, State } from "../ui/badge.tsx";
import { type Filter, Filters } from "../ui/filters.tsx";
import { useLoad, usePages } from "../ui/load.ts";
import { Loaded } from "../ui/states.tsx";
import { PagedTable } from "../ui/table.tsx";
import { When, Words } from "../ui/words.tsx";

const FILTERS: readonly Filter[] = [
  { name: "q", label: "Text contains", kind: "search" },
  { name: "from", label: "From", kind: "time" },
  { name: "to", label: "To", kind: "time" },
];

export function Timeline({ query }: ScreenProps) {
  const { q = "", from = "", to = "" } = query;
  const asked = { ...(q && { q }), ...(from && { from }), ...(to && { to }) };
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const counts = useLoad((signal) => svc.countTimeline({ ...asked, timeZone }, { signal }), [q, from, to]);
  const pages = usePages(
    (cursor, signal) => svc.listTimeline({ ...asked, limit: 50, ...(cursor && { cursor }) }, { signal }),
    [q, from, to],
  );
  const set = (next: Record<string, string>) => go("/timeline", { ...query, ...next }, { replace: true });
  return (
    <>
      <h1>Timeline</h1>
      <Filters path="/timeline" query={query} filters={FILTERS} />
      <Loaded load={counts} what="counts">
        {(found) => <Bars counts={found} choose={(start, end) => set({ from: start, to: end })} />}
      </Loaded>
      <PagedTable
        caption="what happened"
        pages={pages}
        keyOf={({ type, id }) => `${type} ${id}`}
        empty="Nothing happened then."
        columns={[
          { head: "When", cell: ({ at }) => <When at={at} as="moment" /> },
          { head: "Type", cell: (item) => <TypeLink item={item} /> },
          { head: "What", isWide: true, cell: ({ text }) => <Words text={text} lines /> },
          { head: "State", cell: ({ status }) => status === null ? "" : <State of={status} /> },
        ]}
      />
    </>
  );
}

function TypeLink({ item: { type, id, sessionId } }: { readonly item: TimelineItem }) {
  if (type === "turn" && sessionId !== null) return <a href={href(`/sessions/${sessionId}`, { turn: id })}>turn</a>;
  if (type === "turn" || type === "event" || type === "task") return <Badge>{type}</Badge>;
  return <a href={href(`/unit/${id}`)}>{type}</a>;
}

/** A narrow screen has no room for all bars; the latest ones are those that show. */
const toLatest = (bars: HTMLElement | null) => void (bars && (bars.scrollLeft = bars.scrollWidth));

/** How much happened in each span; a span can be chosen. */
function Bars({ counts: { data, total }, choose }: {
  readonly counts: TimelineCounts;
  readonly choose: (start: string, end: string) => void;
}) {
  const most = Math.max(1, ...data.map((one) => one.total));
  if (data.length === 0) return null;
  return (
    <section ref={toLatest} class="card bars" aria-label={`${total.toLocaleString()} in all`}>
      {data.map(({ start, end, total: some }) => (
        <button
          key={start}
          type="button"
          class="bar"
          title={`${new Date(start).toLocaleString("en-GB")}: ${some}`}
          aria-label={`${some} from ${new Date(start).toLocaleString("en-GB")}`}
          onClick={() => choose(start, end)}
        >
          <svg viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true">
            <rect class="axis-span" x="1" width="8" y={100 - 100 * some / most} height={100 * some / most} />
          </svg>
        </button>
      ))}
    </section>
  );
}
