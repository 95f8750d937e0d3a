/** The people, places and things that the memory speaks of. */
import { href, type ScreenProps } from "../router.ts";
import { svc } from "../session.ts";
import { type Filter, Filters } from "../ui/filters.tsx";
import { usePages } from "../ui/load.ts";
import { PagedTable } from "../ui/table.tsx";
import { When, Words } from "../ui/words.tsx";

const FILTERS: readonly Filter[] = [{ name: "q", label: "Name or alias", kind: "search" }];

export function Entities({ query }: ScreenProps) {
  const { q = "" } = query;
  const pages = usePages(
    (cursor, signal) => svc.listEntities({ limit: 50, ...(q && { q }), ...(cursor && { cursor }) }, { signal }),
    [q],
  );
  return (
    <>
      <h1>Entities</h1>
      <Filters path="/entities" query={query} filters={FILTERS} />
      <PagedTable
        caption="entities"
        pages={pages}
        keyOf={({ id }) => id}
        empty="Names appear here as statements mention them."
        columns={[
          {
            head: "Name",
            isWide: true,
            cell: ({ id, canonicalName }) => (
              <a href={href(`/unit/${id}`)}>
                <Words text={canonicalName} lines />
              </a>
            ),
          },
          { head: "Kind", cell: ({ entityType }) => entityType },
          { head: "Also called", cell: ({ aliases }) => <Words text={aliases.join(", ")} /> },
          { head: "Mentions", isNumber: true, cell: ({ mentionCount }) => mentionCount.toLocaleString() },
          { head: "Last seen", cell: ({ lastSeenAt }) => lastSeenAt === null ? "" : <When at={lastSeenAt} as="ago" /> },
          { head: "Around it", cell: ({ id }) => <a href={href("/graph", { around: id })}>Graph</a> },
        ]}
      />
    </>
  );
}
