/** The instances with which this one exchanges knowledge: how far behind they are, and what they say otherwise. */
import type { Peer } from "../../../clients/typescript/mod.ts";
import { href, type ScreenProps } from "../router.ts";
import { isWriting, svc } from "../session.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { Button } from "../ui/form.tsx";
import { useAction, usePages } from "../ui/load.ts";
import { PagedTable } from "../ui/table.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { When, Words } from "../ui/words.tsx";

const TONES: Readonly<Record<Peer["state"], Tone>> = {
  ACTIVE: "good",
  DEGRADED: "bad",
  HANDSHAKE: "info",
  DISCOVERED: "quiet",
};

export function Federation(_: ScreenProps) {
  return (
    <>
      <h1>Federation</h1>
      <Tabs
        label="Federation"
        tabs={[
          { id: "peers", label: "Peers", panel: () => <Peers /> },
          { id: "conflicts", label: "Conflicts", panel: () => <Conflicts /> },
        ]}
      />
    </>
  );
}

function Peers() {
  const pages = usePages((cursor, signal) => svc.listPeers({ limit: 50, ...(cursor && { cursor }) }, { signal }), []);
  const [run, isBusy] = useAction();
  const sync = async (peer: string) => {
    await run(() => svc.startFederationSync({ peer }), "The exchange has begun.");
    pages.reload();
  };
  return (
    <PagedTable
      caption="peers"
      pages={pages}
      keyOf={({ id }) => id}
      empty="This instance exchanges nothing with others. The operator adds a peer with svc federation peer add."
      columns={[
        { head: "Instance", isWide: true, cell: (peer) => <Name peer={peer} /> },
        { head: "State", cell: ({ state }) => <Badge tone={TONES[state]}>{state.toLowerCase()}</Badge> },
        { head: "Direction", cell: ({ direction }) => direction },
        { head: "Shares up to", cell: ({ maxSensitivity }) => maxSensitivity },
        {
          head: "Behind",
          isNumber: true,
          cell: ({ lagSeconds }) => lagSeconds === null ? "not known" : `${Math.round(lagSeconds).toLocaleString()} s`,
        },
        {
          head: "Last success",
          cell: ({ successAt }) => successAt === null ? "never" : <When at={successAt} as="ago" />,
        },
        {
          head: "Exchange",
          cell: ({ id }) => isWriting.value && <Button small busy={isBusy} onClick={() => sync(id)}>Now</Button>,
        },
      ]}
    />
  );
}

function Name({ peer: { id, endpoint, warnings, lastError } }: { readonly peer: Peer }) {
  return (
    <>
      <strong>
        <Words text={id} />
      </strong>
      <br />
      <span class="quiet">
        <Words text={endpoint} />
      </span>
      {warnings.map((warning) => (
        <p key={warning} class="hint">
          <Words text={warning} />
        </p>
      ))}
      {lastError !== null && (
        <p class="fault">
          <Words text={lastError.message} /> (<When at={lastError.at} as="ago" />)
        </p>
      )}
    </>
  );
}

function Conflicts() {
  const pages = usePages(
    (cursor, signal) => svc.listFederationConflicts({ limit: 50, ...(cursor && { cursor }) }, { signal }),
    [],
  );
  return (
    <PagedTable
      caption="conflicts"
      pages={pages}
      keyOf={({ id }) => id}
      empty="No instance says something else than this one."
      columns={[
        { head: "Since", cell: ({ openedAt }) => <When at={openedAt} as="ago" /> },
        { head: "About", cell: ({ unitId, type }) => <a href={href(`/unit/${unitId}`)}>{type}</a> },
        { head: "Said by", isWide: true, cell: ({ writer }) => <Words text={writer} /> },
        { head: "State", cell: ({ state }) => <Badge tone={state === "contested" ? "warn" : "quiet"}>{state}</Badge> },
        { head: "Outcome", cell: ({ outcome }) => outcome ?? <a href={href("/review")}>Decide it</a> },
      ]}
    />
  );
}
