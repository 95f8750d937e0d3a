/** Who was shown a unit. */
import { href } from "../../router.ts";
import { svc } from "../../session.ts";
import { Actor } from "../../ui/actor.tsx";
import { usePages } from "../../ui/load.ts";
import { PagedTable } from "../../ui/table.tsx";
import { When } from "../../ui/words.tsx";

/** The audit rows that name it. */
export function ShownTo({ id }: { readonly id: string }) {
  const pages = usePages(
    (cursor, signal) => svc.listAudit({ target: id, limit: 50, ...(cursor && { cursor }) }, { signal }),
    [id],
  );
  return (
    <>
      <p class="hint">
        Each request that showed or changed it. <a href={href("/recalls", { unitId: id })}>The questions</a>{" "}
        by which it was found, if this workspace keeps them.
      </p>
      <PagedTable
        caption="requests that showed or changed it"
        pages={pages}
        keyOf={(row) => row.id}
        empty="Nobody was shown it yet."
        columns={[
          { head: "When", cell: (row) => <When at={row.created_at} as="moment" /> },
          { head: "Who", cell: (row) => <Actor id={row.actor_id} /> },
          { head: "What", isWide: true, cell: (row) => row.event_type },
          { head: "Outcome", cell: (row) => row.outcome },
        ]}
      />
    </>
  );
}
