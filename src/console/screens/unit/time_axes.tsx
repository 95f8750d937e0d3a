/** When something was true, and when the service knew it. */
import type { Fact } from "../../../../clients/typescript/mod.ts";
import { When } from "../../ui/words.tsx";

interface Span {
  readonly name: string;
  readonly means: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** Both axes of time: when it held in the world, and when this service knew it. */
export function TimeAxes({ fact }: { readonly fact: Fact }) {
  const spans: readonly Span[] = [
    { name: "True", means: "when it held in the world", from: fact.validFrom, to: fact.validTo },
    { name: "Known", means: "when this memory took it for true", from: fact.recordedAt, to: fact.retractedAt },
  ];
  const now = Date.now();
  const times = spans.flatMap(({ from, to }) => [from, to]).filter((one) => one !== null).map((at) => Date.parse(at));
  const first = Math.min(...times, now), last = Math.max(...times, now), length = Math.max(1, last - first);
  const place = (time: number) => 4 + 92 * (time - first) / length;
  return (
    <section class="section axes" aria-label="Since when, until when">
      <div class="axis ends">
        <span />
        <span class="row between">
          <When at={new Date(first).toISOString()} />
          {last > now && <When at={new Date(last).toISOString()} />}
          {last === now && <span>today</span>}
        </span>
        <span>
          <span class="now-mark" aria-hidden="true" /> now
        </span>
      </div>
      {spans.map(({ name, means, from, to }) => {
        const start = from === null ? 0 : place(Date.parse(from)), end = to === null ? 100 : place(Date.parse(to));
        return (
          <div key={name} class="axis">
            <strong title={means}>{name}</strong>
            <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
              <rect class="axis-line" x="0" y="2.5" width="100" height="1" />
              <rect class="axis-span" x={start} y="1" width={Math.max(1, end - start)} height="4" />
              <rect class="axis-now" x={place(now) - 0.2} y="0" width="0.4" height="6" />
            </svg>
            <span>
              {from === null ? "since an unknown time" : (
                <>
                  since <When at={from} />
                </>
              )}
              {to === null ? ", until now" : (
                <>
                  , until <When at={to} />
                </>
              )}
            </span>
          </div>
        );
      })}
    </section>
  );
}
