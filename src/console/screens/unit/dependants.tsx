/** What rests on a unit: it becomes stale when the unit no longer holds. */
import { href } from "../../router.ts";
import { svc } from "../../session.ts";
import { useLoad } from "../../ui/load.ts";
import { Alert, Loaded } from "../../ui/states.tsx";
import { UnitLink } from "../../ui/unit.tsx";

const MOST = 200, READ_AT_ONCE = 100;

async function read(id: string, signal: AbortSignal) {
  const { edges, truncated } = await svc.getGraph(
    { around: id, depth: 1, implied: true, limit: MOST, verbs: ["derived_from", "supports"] },
    { signal },
  );
  // A unit derives from its source; evidence supports what rests on it.
  const ids = [
    ...new Set(
      edges.flatMap(({ basis, sourceId, targetId }) =>
        basis === "derivedFrom" && targetId === id
          ? sourceId ?? []
          : basis === "evidence" && sourceId === id
          ? targetId ?? []
          : []
      ),
    ),
  ].slice(0, READ_AT_ONCE);
  const units = ids.length === 0 ? [] : (await svc.getUnits({ id: ids }, { signal })).data;
  return { units, isMore: truncated };
}

export function Dependants({ id }: { readonly id: string }) {
  const load = useLoad((signal) => read(id, signal), [id]);
  return (
    <Loaded load={load} what="what rests on it">
      {({ units, isMore }) => (
        <>
          <p class="hint">
            When this no longer holds, what rests on it becomes stale, and a person is asked about it.
          </p>
          {isMore && (
            <Alert tone="info">
              This list is not complete. <a href={href("/graph", { around: id })}>Look at the graph around it</a>
            </Alert>
          )}
          {units.length === 0 ? <p>Nothing rests on it.</p> : (
            <ul class="list rows">
              {units.map((one) => (
                <li key={one.id}>
                  <UnitLink unit={one.unit} />
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Loaded>
  );
}
