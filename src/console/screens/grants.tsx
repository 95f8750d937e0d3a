/** The clients that were given access by OAuth, and the end of it. */
import { type ConsoleGrant, listGrants, revokeGrant } from "../grants.ts";
import { sayScopes, wordsOf } from "../keys.ts";
import { type ScreenProps } from "../router.ts";
import { isWriting } from "../session.ts";
import { confirm } from "../ui/dialog.tsx";
import { Button } from "../ui/form.tsx";
import { useAction, useLoad } from "../ui/load.ts";
import { Name } from "../ui/name.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { When, Words } from "../ui/words.tsx";

export function Grants(_: ScreenProps) {
  const load = useLoad(() => listGrants(), []);
  return (
    <>
      <h1>Connected clients</h1>
      <p class="lead">
        Assistants and programs that a person let in without giving them a key. Each can do no more than the key of who
        let it in, and what it does stands in the audit log under its own name.
      </p>
      <Loaded load={load} what="connected clients">
        {({ data }) =>
          data.length === 0
            ? (
              <Empty title="No client is connected">
                Give a client the address of this service, and it asks you here.
              </Empty>
            )
            : (
              <Table
                caption="connected clients"
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  { head: "Client", isWide: true, cell: ({ name }) => <Words text={name} lines /> },
                  {
                    head: "Answers went to",
                    cell: ({ redirectHost }) => redirectHost === null ? "a device" : <Name of={redirectHost} />,
                  },
                  {
                    head: "May",
                    isWide: true,
                    cell: ({ scopes }) => <span title={scopes.join(", ")}>{sayScopes(scopes)}</span>,
                  },
                  { head: "Sees up to", cell: ({ maxSensitivity }) => maxSensitivity },
                  {
                    head: "Let in by",
                    cell: ({ givenBy }) => givenBy === null ? "the operator" : <Name of={givenBy} />,
                  },
                  {
                    head: "Last used",
                    cell: ({ lastUsedAt }) => lastUsedAt === null ? "never" : <When at={lastUsedAt} as="ago" />,
                  },
                  { head: "Since", cell: ({ createdAt }) => <When at={createdAt} /> },
                  {
                    head: "Ends",
                    cell: ({ expiresAt }) => expiresAt === null ? "never" : <When at={expiresAt} />,
                  },
                  ...(!isWriting.value
                    ? []
                    : [{ head: "Change", cell: (grant: ConsoleGrant) => <End of={grant} onDone={load.reload} /> }]),
                ]}
              />
            )}
      </Loaded>
    </>
  );
}

function End({ of: grant, onDone }: { readonly of: ConsoleGrant; readonly onDone: () => void }) {
  const [run, isBusy] = useAction();
  const revoke = async () => {
    const isSure = await confirm({
      title: "End the access?",
      action: "End it",
      danger: true,
      text: (
        <p>
          <Name of={grant.name} /> is refused at once, in all its places: it can no longer{" "}
          {wordsOf(grant.scopes).join(", ")}. What it stored stays.
        </p>
      ),
    });
    if (isSure && await run(() => revokeGrant(grant.id), "The access has ended.")) onDone();
  };
  return <Button small kind="danger" busy={isBusy} onClick={revoke}>End…</Button>;
}
