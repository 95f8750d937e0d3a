/** What was asked and stored in the last days, and how much room it takes. */
import type { ComponentChildren } from "preact";
import type { UsageStats } from "../../../../clients/typescript/mod.ts";
import { count } from "../../ui/words.tsx";

export function LastDays({ of }: { readonly of: UsageStats }) {
  const types = Object.entries(of.units.byType).filter(([, { total }]) => total > 0);
  const kinds = Object.entries(of.reviews.byKind).filter(([, open]) => open > 0);
  return (
    <section aria-labelledby="figures" class="stack">
      <h2 id="figures">The last 30 days</h2>
      <Days days={of.days} />
      <dl class="pairs">
        {types.map(([type, { inForce, total }]) => (
          <Pair key={type} name={plural(type)}>{count(inForce)} in force, {count(total - inForce)} closed</Pair>
        ))}
        {kinds.map(([kind, open]) => (
          <Pair key={kind} name={`To decide: ${kind.replaceAll("_", " ")}`}>{count(open)}</Pair>
        ))}
        {of.units.stale > 0 && <Pair name="Stale (rest on something that ended)">{count(of.units.stale)}</Pair>}
        <Pair name="Storage">{sayBytes(of.storage.bytes)}</Pair>
      </dl>
    </section>
  );
}

function Pair({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Recalls a day as bars; the numbers are in a list for screen readers. */
function Days({ days }: { readonly days: UsageStats["days"] }) {
  const most = Math.max(1, ...days.map(({ recalls }) => recalls));
  const total = days.reduce((sum, { recalls }) => sum + recalls, 0);
  if (total === 0) return <p class="quiet">Nobody has asked anything in these days.</p>;
  return (
    <figure class="card chart">
      <svg viewBox="0 0 300 60" role="img" aria-label={`Recalls a day: ${total} in 30 days, at most ${most} on one`}>
        {days.map(({ day, recalls, recallHits }, i) => (
          <g key={day}>
            <title>{`${day}: ${recalls} recalls, ${recallHits} found something`}</title>
            <rect x={i * 10} y={0} width={10} height={60} class="hover" />
            <rect x={i * 10 + 1} y={60 - 58 * recalls / most} width={8} height={58 * recalls / most} class="all" />
            <rect
              x={i * 10 + 1}
              y={60 - 58 * recallHits / most}
              width={8}
              height={58 * recallHits / most}
              class="hits"
            />
          </g>
        ))}
        <line x1={0} x2={300} y1={59.5} y2={59.5} class="axis" />
      </svg>
      <figcaption class="quiet">Recalls a day; the darker part found something.</figcaption>
    </figure>
  );
}

function plural(type: string): string {
  const many = type === "strategy" ? "strategies" : type === "entity" ? "entities" : `${type}s`;
  return many[0]!.toUpperCase() + many.slice(1);
}

function sayBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** step).toLocaleString("en", { maximumFractionDigits: 1 })} ${units[step]}`;
}
