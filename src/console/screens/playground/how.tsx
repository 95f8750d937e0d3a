/** How a recall searched. */
import type { ExplainRecallReply } from "../../../../clients/typescript/mod.ts";

export function How(
  { reply, tiers }: { readonly reply: ExplainRecallReply; readonly tiers: ExplainRecallReply["tiers"] },
) {
  const { trace } = reply;
  return (
    <div class="columns">
      <dl class="pairs">
        {tiers.map(({ tier, candidates, durationMs }) => (
          <div key={tier}>
            <dt>{tier}</dt>
            <dd>{candidates} found in {durationMs.toFixed(1)} ms</dd>
          </div>
        ))}
      </dl>
      {trace && (
        <dl class="pairs">
          <Line name="Words looked up" values={trace.terms} />
          <Line name="Words that no text has" values={trace.unknownTerms} />
          <Line
            name="Other spellings used"
            values={Object.entries(trace.substitutes).map(([word, others]) => `${word} → ${others.join(", ")}`)}
          />
          <Line name="Speakers named" values={trace.people} />
          <Line
            name="Days named"
            values={trace.windows.map(({ from, to }) => `${from.slice(0, 10)} to ${to.slice(0, 10)}`)}
          />
          <div>
            <dt>Candidates</dt>
            <dd>{trace.candidates}, of which {trace.eligible} passed the filters and {trace.relevant} were relevant</dd>
          </div>
        </dl>
      )}
    </div>
  );
}

function Line({ name, values }: { readonly name: string; readonly values: readonly string[] }) {
  if (values.length === 0) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi>{values.join(", ")}</bdi>
      </dd>
    </div>
  );
}
