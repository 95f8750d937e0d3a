/** The versions of a unit. */
import type { Entity, KnowledgeUnit, UnitType } from "../../../../clients/typescript/mod.ts";
import { svc } from "../../session.ts";
import { Actor } from "../../ui/actor.tsx";
import { Difference } from "../../ui/difference.tsx";
import { usePages } from "../../ui/load.ts";
import { PagedTable } from "../../ui/table.tsx";
import { textOf } from "../../ui/unit.tsx";
import { When, Words } from "../../ui/words.tsx";

interface Revision {
  readonly version: number;
  readonly event: string;
  readonly recordedAt: string;
  readonly changedBy: string;
  readonly reason: string | null;
  readonly unit: KnowledgeUnit;
}

/** Makes a page of revisions from the reply of a type, whose rows have the unit under the type's name. */
const READ: Readonly<
  Record<
    UnitType,
    (
      input: { id: string; limit: number; cursor?: string },
      signal: AbortSignal,
    ) => Promise<{ readonly data: readonly Revision[]; readonly nextCursor: string | null }>
  >
> = {
  fact: async (input, signal) => rows(await svc.listFactRevisions(input, { signal }), ({ fact }) => fact),
  decision: async (input, signal) =>
    rows(await svc.listDecisionRevisions(input, { signal }), ({ decision }) => decision),
  episode: async (input, signal) => rows(await svc.listEpisodeRevisions(input, { signal }), ({ episode }) => episode),
  // An earlier version says nothing of how often it was mentioned.
  entity: async (input, signal) =>
    rows(await svc.listEntityRevisions(input, { signal }), ({ entity }) => entity as Entity),
  skill: async (input, signal) => rows(await svc.listSkillRevisions(input, { signal }), ({ skill }) => skill),
  strategy: async (input, signal) =>
    rows(await svc.listStrategyRevisions(input, { signal }), ({ strategy }) => strategy),
  workflow: async (input, signal) =>
    rows(await svc.listWorkflowRevisions(input, { signal }), ({ workflow }) => workflow),
};

function rows<T extends Omit<Revision, "unit">>(
  { data, nextCursor }: { readonly data: readonly T[]; readonly nextCursor: string | null },
  unitOf: (row: T) => KnowledgeUnit,
) {
  return { data: data.map((row) => ({ ...row, unit: unitOf(row) })), nextCursor };
}

/** Each version, with what changed in it, who did it and why. */
export function History({ id, type }: Pick<KnowledgeUnit, "id" | "type">) {
  const pages = usePages<Revision>(
    (cursor, signal) => READ[type]({ id, limit: 50, ...(cursor && { cursor }) }, signal),
    [id],
  );
  const all = pages.data ?? [];
  const before = (version: number) => all.find((one) => one.version === version - 1)?.unit;
  return (
    <PagedTable
      caption="versions"
      pages={pages}
      keyOf={({ version }) => String(version)}
      empty="It has no versions."
      columns={[
        { head: "Version", isNumber: true, cell: ({ version }) => version },
        { head: "When", cell: ({ recordedAt }) => <When at={recordedAt} as="moment" /> },
        {
          head: "What happened",
          cell: ({ event, reason }) => (
            <>
              {event.replaceAll("_", " ")}
              {reason && (
                <>
                  : <Words text={reason} />
                </>
              )}
            </>
          ),
        },
        {
          head: "What changed",
          isWide: true,
          cell: ({ version, unit }) => {
            const was = before(version);
            if (was !== undefined) return <Difference was={was} is={unit} />;
            return version === 1 ? <Words text={textOf(unit)} /> : <span class="quiet">show more to compare</span>;
          },
        },
        { head: "By", cell: ({ changedBy }) => <Actor id={changedBy} /> },
      ]}
    />
  );
}
