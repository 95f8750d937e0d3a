/** The people, places and things that the memory speaks of. */
import { go, href, type ScreenProps } from "../router.ts";
import { svc } from "../session.ts";
import { Button, TextField } from "../ui/form.tsx";
import { usePages, useTyped } from "../ui/load.ts";
import { PagedTable } from "../ui/table.tsx";
import { When, Words } from "../ui/words.tsx";

export function Entities({ query: { q = "" } }: ScreenProps) {
  const typed = useTyped({ q });
  const pages = usePages(
    (cursor, signal) => svc.listEntities({ limit: 50, ...(q && { q }), ...(cursor && { cursor }) }, { signal }),
    [q],
  );
  return (
    <>
      <h1>Entities</h1>
      <form
        class="row filters"
        onSubmit={(event) => (event.preventDefault(), go("/entities", typed.value, { replace: true }))}
      >
        <div class="grow">
          <TextField label="Name or alias" type="search" value={typed.value.q} onInput={(q) => typed.value = { q }} />
        </div>
        <Button type="submit" kind="primary">Find</Button>
      </form>
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
