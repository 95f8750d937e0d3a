/** One thing that is known: what it says, since when, from where, who was shown it, and what rests on it. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Fact, KnowledgeUnit, ResolvedCitation, SoughtUnit } from "../../../clients/typescript/mod.ts";
import { href, type ScreenProps } from "../router.ts";
import { can, isWriting, svc } from "../session.ts";
import { State } from "../ui/badge.tsx";
import { confirm, Dialog } from "../ui/dialog.tsx";
import { Button, DateField, TextField } from "../ui/form.tsx";
import { useAction, useLoad, usePages } from "../ui/load.ts";
import { Alert, Loaded } from "../ui/states.tsx";
import { PagedTable } from "../ui/table.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { textOf, Trust, TYPES, UnitLink, UnitWords } from "../ui/unit.tsx";
import { Copy, When, Words } from "../ui/words.tsx";
import { archive, erase, restore } from "../unit_changes.ts";

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
    ...(sought.newer === undefined ? [] : [sought.newer.id]),
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
  const link = (id: string) => <UnitLink id={id} unit={named.get(id)} />;
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
          {named.get(newer.id) != null && <a href={href(`/unit/${newer.id}`)}>Open it</a>}{" "}
          That is a hint, not a decision.
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
          <When at={unit.createdAt} as="moment" /> by <code>{unit.createdBy}</code>
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
          ...(unit.type === "fact"
            ? [
              { id: "sources", label: "Sources", panel: () => <Sources id={unit.id} /> },
              { id: "history", label: "History", panel: () => <History id={unit.id} /> },
              { id: "claims", label: "What is read in it", panel: () => <Claims fact={unit} /> },
            ]
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

/** What a person may do with a unit. A correction that was begun stays when the time for changes ends. */
function Changes({ unit, reload }: { readonly unit: KnowledgeUnit; readonly reload: () => void }) {
  const isCorrecting = useSignal(false);
  return (
    <>
      {isWriting.value
        ? <ChangeButtons unit={unit} reload={reload} correct={() => isCorrecting.value = true} />
        : can("memory:write") && <p class="hint">Allow changes (above) to correct, pin or forget it.</p>}
      {isCorrecting.value && unit.type === "fact" && (
        <Correct
          fact={unit}
          onClose={() => isCorrecting.value = false}
          onDone={reload}
        />
      )}
    </>
  );
}

function ChangeButtons({ unit, reload, correct }: {
  readonly unit: KnowledgeUnit;
  readonly reload: () => void;
  readonly correct: () => void;
}) {
  const [run, isBusy] = useAction();
  const change = async (work: () => Promise<unknown>, done: string) => {
    await run(work, done);
    reload();
  };
  const eraseIt = async () => {
    const isSure = await confirm({
      title: "Erase it for ever?",
      text:
        "Its text, its history and its vectors are removed. This cannot be undone; archive it if you may want it back.",
      action: "Erase",
      danger: true,
    });
    if (isSure) await change(() => erase(unit, ""), "Erased.");
  };
  const isInForce = unit.status === "active" || unit.status === "contested";
  return (
    <div class="row section">
      {can("memory:write") && unit.type === "fact" && isInForce && (
        <Button
          kind="primary"
          onClick={correct}
        >
          Correct…
        </Button>
      )}
      {can("memory:write") && unit.type === "fact" && isInForce && (
        <Button
          busy={isBusy}
          onClick={() =>
            unit.pinned
              ? change(() => svc.unpinFact({ id: unit.id }), "It is found by relevance alone again.")
              : change(() => svc.pinFact({ id: unit.id }), "Recall returns it always now.")}
        >
          {unit.pinned ? "Unpin" : "Pin"}
        </Button>
      )}
      {can("memory:write") && !isInForce && unit.status !== "merged" && (
        <Button
          busy={isBusy}
          onClick={() => change(() => restore(unit), "Restored.")}
        >
          Restore
        </Button>
      )}
      {can("memory:delete") && unit.status !== "archived" && (
        <Button
          busy={isBusy}
          onClick={() => change(() => archive(unit), "Archived. Recall leaves it out.")}
        >
          Archive
        </Button>
      )}
      {can("memory:delete") && <Button kind="danger" onClick={eraseIt}>Erase…</Button>}
    </div>
  );
}

/** Changes what a fact says, when it held, or that it was ever true. */
function Correct({ fact, onClose, onDone }: {
  readonly fact: Fact;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const draft = useSignal({
    statement: fact.statement,
    validFrom: fact.validFrom ?? "",
    validTo: fact.validTo ?? "",
    reason: "",
  });
  const [run, isBusy] = useAction();
  const set = (next: Partial<typeof draft.value>) => draft.value = { ...draft.value, ...next };
  const send = async (change: Parameters<typeof svc.updateFact>[0], done: string) => {
    const { reason } = draft.value;
    const isDone = await run(
      () => svc.updateFact({ ...change, ...(reason && { reason }) }, { ifMatch: `"${fact.version}"` }),
      done,
    );
    if (isDone) onClose(), onDone();
  };
  const save = () => {
    const { statement, validFrom, validTo } = draft.value;
    return send({
      id: fact.id,
      ...(statement !== fact.statement && { statement }),
      ...(validFrom !== (fact.validFrom ?? "") && { validFrom: validFrom || null }),
      ...(validTo !== (fact.validTo ?? "") && { validTo: validTo || null }),
    }, "Corrected.");
  };
  return (
    <Dialog title="Correct the fact" onClose={onClose}>
      <form class="stack" onSubmit={(event) => (event.preventDefault(), save())}>
        <TextField
          label="What it says"
          rows={4}
          value={draft.value.statement}
          onInput={(statement) => set({ statement })}
        />
        <DateField
          label="True since"
          hint="When it began to hold; empty: not known."
          value={draft.value.validFrom}
          onInput={(validFrom) => set({ validFrom })}
        />
        <DateField
          label="True until"
          hint="When it stopped holding; empty: it still holds."
          value={draft.value.validTo}
          onInput={(validTo) => set({ validTo })}
        />
        <TextField
          label="Why"
          hint="Kept in its history."
          value={draft.value.reason}
          onInput={(reason) => set({ reason })}
        />
        <div class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="danger"
            busy={isBusy}
            onClick={() => send({ id: fact.id, status: "retracted" }, "Declared wrong.")}
          >
            It was never true
          </Button>
          <Button type="submit" kind="primary" busy={isBusy}>Save</Button>
        </div>
      </form>
    </Dialog>
  );
}

interface Span {
  readonly name: string;
  readonly means: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** Both axes of time: when it held in the world, and when this service knew it. */
function TimeAxes({ fact }: { readonly fact: Fact }) {
  const spans: readonly Span[] = [
    { name: "True", means: "when it held in the world", from: fact.validFrom, to: fact.validTo },
    { name: "Known", means: "when this memory took it for true", from: fact.recordedAt, to: fact.retractedAt },
  ];
  const now = Date.now();
  const times = spans.flatMap(({ from, to }) => [from, to]).filter((one) => one !== null).map((at) => Date.parse(at));
  const first = Math.min(...times, now), last = Math.max(...times, now), length = Math.max(1, last - first);
  const place = (time: number) => 4 + 92 * (time - first) / length;
  return (
    <section class="section axes" aria-label="Since when, until when">
      {spans.map(({ name, means, from, to }) => {
        const start = from === null ? 0 : place(Date.parse(from)), end = to === null ? 100 : place(Date.parse(to));
        return (
          <div key={name} class="axis">
            <strong title={means}>{name}</strong>
            <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
              <rect class="axis-line" x="0" y="2.5" width="100" height="1" />
              <rect class="axis-span" x={start} y="1" width={Math.max(1, end - start)} height="4" />
              <rect class="axis-now" x={place(now) - 0.2} y="0" width="0.4" height="6" />
            </svg>
            <span>
              {from === null ? "since a time not known" : (
                <>
                  since <When at={from} />
                </>
              )}
              {to === null ? ", until now" : (
                <>
                  , until <When at={to} />
                </>
              )}
            </span>
          </div>
        );
      })}
    </section>
  );
}

/** Where it was said, with the words around it. */
function Sources({ id }: { readonly id: string }) {
  const load = useLoad((signal) => svc.listFactCitations({ id }, { signal }), [id]);
  return (
    <Loaded load={load} what="sources">
      {({ data }) =>
        data.length === 0
          ? <p class="hint">It was stated directly; it cites no conversation.</p>
          : <ul class="list">{data.map((one) => <Source key={one.messageId} of={one} />)}</ul>}
    </Loaded>
  );
}

function Source({ of: { turn, quote, messageId } }: { readonly of: ResolvedCitation }) {
  if (turn === null) {
    return (
      <li class="card">
        <span class="quiet">message {messageId}, which is not stored</span> {quote && <Words text={quote} />}
      </li>
    );
  }
  return (
    <li class="card">
      <p class="quiet">
        <Words text={turn.name ?? turn.role} />, <When at={turn.occurredAt} as="moment" />,{" "}
        <a href={href(`/sessions/${turn.sessionId}`, { turn: turn.id })}>in its conversation</a>
      </p>
      <Words text={turn.content} />
    </li>
  );
}

/** Each version, with what changed in it, who did it and why. */
function History({ id }: { readonly id: string }) {
  const pages = usePages(
    (cursor, signal) => svc.listFactRevisions({ id, limit: 50, ...(cursor && { cursor }) }, { signal }),
    [id],
  );
  const rows = pages.data ?? [];
  const before = (version: number) => rows.find((one) => one.version === version - 1)?.fact;
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
              {event}
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
          cell: ({ version, fact }) => <Difference was={before(version)} is={fact} />,
        },
        { head: "By", cell: ({ changedBy }) => <code>{changedBy}</code> },
      ]}
    />
  );
}

const WATCHED = [
  "statement",
  "status",
  "validFrom",
  "validTo",
  "trustScore",
  "attribution",
  "sensitivity",
  "pinned",
] as const;

function Difference({ was, is }: { readonly was: Fact | undefined; readonly is: Fact }) {
  if (was === undefined) return <Words text={textOf(is)} />;
  const changed = WATCHED.filter((name) => was[name] !== is[name]);
  if (changed.length === 0) return <span class="quiet">members that are not shown here</span>;
  return (
    <dl class="difference">
      {changed.map((name) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <del>
              <Words text={String(was[name] ?? "none")} />
            </del>{" "}
            <ins>
              <Words text={String(is[name] ?? "none")} />
            </ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What the rules read in the statement. Wrong claims are removed, so that they close nothing. */
function Claims({ fact }: { readonly fact: Fact }) {
  const claims = useSignal(fact.claims);
  const [run, isBusy] = useAction();
  const set = (next: Fact["claims"] | null) =>
    run(async () => {
      const written = await svc.updateFact({ id: fact.id, claims: next, reason: "claims corrected in the console" });
      claims.value = written.claims;
    }, "The claims are corrected.");
  const isOpen = can("memory:write") && isWriting.value;
  return (
    <>
      <p class="hint">
        A claim is what the service reads in the statement by rules: who, in what respect, which value.
      </p>
      {claims.value.length === 0 && <p>Nothing is read in it.</p>}
      <ul class="list">
        {claims.value.map((claim, i) => (
          <li key={i} class="row card">
            <span class="grow">
              <Words
                text={`${claim.subject} ${
                  claim.polarity === "negative" ? "not " : ""
                }${claim.predicate} ${claim.object}`}
              />{" "}
              <span class="quiet">({claim.respect}{claim.change && `, ${claim.change}`})</span>
            </span>
            {isOpen && (
              <Button small busy={isBusy} onClick={() => set(claims.value.filter((_, at) => at !== i))}>
                It does not say so
              </Button>
            )}
          </li>
        ))}
      </ul>
      {isOpen && (
        <p class="section">
          <Button small busy={isBusy} onClick={() => set(null)}>Read the statement again</Button>
        </p>
      )}
    </>
  );
}

/** The audit rows that name it. */
function ShownTo({ id }: { readonly id: string }) {
  const pages = usePages(
    (cursor, signal) => svc.listAudit({ target: id, limit: 50, ...(cursor && { cursor }) }, { signal }),
    [id],
  );
  return (
    <PagedTable
      caption="requests that showed or changed it"
      pages={pages}
      keyOf={(row) => row.id}
      empty="Nobody was shown it yet."
      columns={[
        { head: "When", cell: (row) => <When at={row.created_at} as="moment" /> },
        { head: "Who", cell: (row) => <code>{row.actor_id}</code> },
        { head: "What", isWide: true, cell: (row) => row.event_type },
        { head: "Outcome", cell: (row) => row.outcome },
      ]}
    />
  );
}
