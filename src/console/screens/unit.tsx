/** One thing that is known: what it says, since when, from where, who was shown it, and what rests on it. */
import type { ComponentChildren } from "preact";
import type { KnowledgeUnit, SoughtUnit } from "../../../clients/typescript/mod.ts";
import { href, type ScreenProps } from "../router.ts";
import { can, svc } from "../session.ts";
import { Actor } from "../ui/actor.tsx";
import { State } from "../ui/badge.tsx";
import { useLoad } from "../ui/load.ts";
import { Alert, Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { addressOf, Trust, TYPES, UnitLink, UnitWords } from "../ui/unit.tsx";
import { Copy, When, Words } from "../ui/words.tsx";
import { Changes } from "./unit/changes.tsx";
import { Claims } from "./unit/claims.tsx";
import { Dependants } from "./unit/dependants.tsx";
import { History } from "./unit/history.tsx";
import { ShownTo } from "./unit/shown_to.tsx";
import { Sources } from "./unit/sources.tsx";
import { TimeAxes } from "./unit/time_axes.tsx";

interface Known extends SoughtUnit {
  readonly unit: KnowledgeUnit;
  /** Units that it names: what it replaced, what replaced it, what it rests on. */
  readonly named: ReadonlyMap<string, SoughtUnit["unit"]>;
}

async function read(id: string, signal: AbortSignal): Promise<Known | null> {
  const [sought] = (await svc.getUnits({ id: [id] }, { signal })).data;
  if (sought?.unit == null) return null;
  const { unit } = sought;
  const ids = [
    ...unit.derivedFrom,
    ...("supersedes" in unit ? [unit.supersedes, unit.supersededBy] : []),
  ].filter((one) => one !== null).slice(0, 50);
  const named = ids.length === 0 ? [] : (await svc.getUnits({ id: [...new Set(ids)] }, { signal })).data;
  return { ...sought, unit, named: new Map(named.map((one) => [one.id, one.unit])) };
}

export function Unit({ params: { id = "" } }: ScreenProps) {
  const load = useLoad((signal) => read(id, signal), [id]);
  return (
    <Loaded load={load} what="the unit">
      {(known) =>
        known === null
          ? (
            <>
              <h1>Not found</h1>
              <Alert tone="warn">
                There is no such unit, it was erased, or it is above what this key may see.{" "}
                <a href={href("/memory")}>Go to the memory</a>
              </Alert>
            </>
          )
          : <Shown known={known} reload={load.reload} />}
    </Loaded>
  );
}

function Shown({ known, reload }: { readonly known: Known; readonly reload: () => void }) {
  const { unit, named, newer } = known;
  const link = (id: string) => <UnitLink unit={named.get(id)} />;
  return (
    <>
      <h1>
        {TYPES[unit.type]} <State of={unit.status} />
      </h1>
      <div class="card unit-text">
        <UnitWords unit={unit} />
      </div>
      {newer !== undefined && (
        <Alert tone="warn">
          {newer.ended ? "Something newer says that this has ended: " : "Something newer was said about this matter: "}
          <Words text={newer.text} invisible={newer.invisibleText} /> (<When at={newer.occurredAt} />).{" "}
          <a href={addressOf(newer)}>Open it</a>. That is a hint, not a decision.
        </Alert>
      )}
      <Changes unit={unit} reload={reload} />
      <dl class="facts">
        <Entry name="Trust">
          <Trust unit={unit} />
        </Entry>
        <Entry name="Sensitivity">{unit.sensitivity}</Entry>
        {unit.tags.length > 0 && (
          <Entry name="Tags">
            {unit.tags.map((tag) => (
              <a key={tag} href={href("/memory", { tag })}>
                <Words text={tag} />
              </a>
            ))}
          </Entry>
        )}
        {unit.aliases.length > 0 && (
          <Entry name="Also called">
            <Words text={unit.aliases.join(", ")} />
          </Entry>
        )}
        <Entry name="Written">
          <When at={unit.createdAt} as="moment" /> by <Actor id={unit.createdBy} />
        </Entry>
        {"supersedes" in unit && unit.supersedes !== null && <Entry name="Replaced">{link(unit.supersedes)}</Entry>}
        {"supersededBy" in unit && unit.supersededBy !== null && (
          <Entry name="Replaced by">{link(unit.supersededBy)}</Entry>
        )}
        {unit.derivedFrom.length > 0 && (
          <Entry name="Rests on">
            <ul class="list">{unit.derivedFrom.slice(0, 50).map((id) => <li key={id}>{link(id)}</li>)}</ul>
          </Entry>
        )}
        <Entry name="Id">
          <code>{unit.id}</code> <Copy text={unit.id} label="Copy" />
        </Entry>
      </dl>
      {unit.type === "fact" && <TimeAxes fact={unit} />}
      <Tabs
        label="More about it"
        tabs={[
          ...(unit.type === "fact" ? [{ id: "sources", label: "Sources", panel: () => <Sources id={unit.id} /> }] : []),
          {
            id: "history",
            label: "History",
            panel: () => <History key={unit.version} id={unit.id} type={unit.type} />,
          },
          { id: "rests", label: "What rests on it", panel: () => <Dependants id={unit.id} /> },
          ...(unit.type === "fact"
            ? [{
              id: "claims",
              label: "What is read in it",
              panel: () => <Claims key={unit.version} fact={unit} reload={reload} />,
            }]
            : []),
          ...(can("audit:read")
            ? [{ id: "shown", label: "Who was shown it", panel: () => <ShownTo id={unit.id} /> }]
            : []),
          {
            id: "raw",
            label: "As the API gives it",
            panel: () => <pre tabIndex={0}>{JSON.stringify(unit, null, 2)}</pre>,
          },
        ]}
      />
    </>
  );
}

function Entry({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
