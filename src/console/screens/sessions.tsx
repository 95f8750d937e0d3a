/** Conversations, turn by turn, with what was drawn from each turn. */
import { useEffect, useRef } from "preact/hooks";
import type { Fact, SessionStatus, Turn } from "../../../clients/typescript/mod.ts";
import { href, type ScreenProps } from "../router.ts";
import { can, isWriting, svc } from "../session.ts";
import { Badge } from "../ui/badge.tsx";
import { type Filter, Filters } from "../ui/filters.tsx";
import { Button } from "../ui/form.tsx";
import { useAction, useLoad, usePages } from "../ui/load.ts";
import { Empty, Loaded } from "../ui/states.tsx";
import { PagedTable } from "../ui/table.tsx";
import { UnitWords } from "../ui/unit.tsx";
import { When, Words } from "../ui/words.tsx";

/** What each state of a conversation means. */
const STATUSES: Readonly<Record<SessionStatus, string>> = {
  open: "open: it goes on",
  collapsed: "collapsed: facts were drawn from it",
  discarded: "discarded: nothing was drawn from it",
};

const FILTERS: readonly Filter[] = [
  { name: "q", label: "Title contains", kind: "search" },
  { name: "agentId", label: "Agent" },
  {
    name: "status",
    label: "State",
    options: [{ value: "", label: "Any" }, ...Object.entries(STATUSES).map(([value, label]) => ({ value, label }))],
  },
];

export function Sessions({ query }: ScreenProps) {
  const { q = "", status = "", agentId = "" } = query;
  const pages = usePages(
    (cursor, signal) =>
      svc.listSessions({
        limit: 50,
        ...(q && { q }),
        ...(status && { status: status as SessionStatus }),
        ...(agentId && { agentId }),
        ...(cursor && { cursor }),
      }, { signal }),
    [q, status, agentId],
  );
  return (
    <>
      <h1>Sessions</h1>
      <Filters path="/sessions" query={query} filters={FILTERS} />
      <PagedTable
        caption="conversations"
        pages={pages}
        keyOf={({ id }) => id}
        empty="Agents record conversations here, turn by turn."
        columns={[
          {
            head: "Conversation",
            isWide: true,
            cell: ({ id, title, externalId }) => (
              <a href={href(`/sessions/${id}`)}>
                <Words text={title ?? externalId ?? "Without a title"} lines />
              </a>
            ),
          },
          { head: "With", cell: ({ participants }) => <Words text={participants.join(", ")} /> },
          { head: "Turns", isNumber: true, cell: ({ turnCount }) => turnCount.toLocaleString() },
          { head: "State", cell: (one) => <Badge title={STATUSES[one.status]}>{one.status}</Badge> },
          { head: "Begun", cell: ({ startedAt }) => <When at={startedAt} /> },
        ]}
      />
    </>
  );
}

/** The facts that cite a message of a conversation, by message. */
async function readDrawn(sessionId: string, signal: AbortSignal): Promise<ReadonlyMap<string, readonly Fact[]>> {
  const data = await Array.fromAsync(svc.all.listFacts({ sessionId, limit: 200 }, { signal }));
  const cited = data.flatMap((fact) =>
    fact.citations.filter((one) => one.sessionId === undefined || one.sessionId === sessionId)
      .map(({ messageId }) => ({ messageId, fact }))
  );
  return new Map(
    [...Map.groupBy(cited, ({ messageId }) => messageId)].map(([id, list]) => [id, list.map(({ fact }) => fact)]),
  );
}

export function Session({ params: { id = "" }, query: { turn } }: ScreenProps) {
  const session = useLoad((signal) => svc.getSession({ id }, { signal }), [id]);
  const drawn = useLoad((signal) => readDrawn(id, signal), [id, session.data?.version]);
  const turns = usePages(
    (cursor, signal) => svc.listTurns({ id, limit: 200, order: "asc", ...(cursor && { cursor }) }, { signal }),
    [id],
  );
  const isMissing = turn !== undefined && turns.data?.some((one) => one.id === turn) === false;
  // A link leads to any turn of the conversation.
  useEffect(() => {
    if (isMissing && turns.hasMore && !turns.isLoading) turns.more();
  }, [isMissing, turns.data?.length, turns.isLoading]);
  const [run, isBusy] = useAction();
  const collapse = async () => {
    await run(() => svc.collapseSession({ id }), "Facts were drawn from it.");
    session.reload();
  };
  return (
    <Loaded load={session} what="the conversation">
      {(one) => (
        <>
          <h1>
            <Words text={one.title ?? one.externalId ?? "Conversation"} />
          </h1>
          <p class="quiet">
            {one.turnCount.toLocaleString()} turns with{" "}
            <Words text={one.participants.join(", ") || "nobody yet"} />, begun <When at={one.startedAt} as="moment" />.
            {" "}
            <Badge title={STATUSES[one.status]}>{one.status}</Badge>
            {one.episodeId !== null && (
              <>
                <a href={href(`/unit/${one.episodeId}`)}>Its summary</a>
              </>
            )}
          </p>
          {can("session:write") && isWriting.value && one.status === "open" && one.turnCount > 0 && (
            <p>
              <Button busy={isBusy} onClick={collapse}>Draw facts from it now</Button>
            </p>
          )}
          <Loaded load={turns} what="turns">
            {(list) => (
              <>
                {list.length === 0 && (
                  <Empty title="Nothing has been said yet">
                    Turns appear as an agent records them.
                  </Empty>
                )}
                <ol class="list turns">
                  {list.map((said) => (
                    <Said
                      key={said.id}
                      turn={said}
                      isSought={said.id === turn}
                      drawn={drawn.data?.get(said.messageId)}
                    />
                  ))}
                </ol>
                {turns.hasMore && (
                  <p class="more">
                    <Button busy={turns.isLoading} onClick={turns.more}>Show more</Button>
                  </p>
                )}
              </>
            )}
          </Loaded>
        </>
      )}
    </Loaded>
  );
}

function Said({ turn, isSought, drawn = [] }: {
  readonly turn: Turn;
  readonly isSought: boolean;
  readonly drawn: readonly Fact[] | undefined;
}) {
  const element = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isSought) element.current?.scrollIntoView({ block: "center" });
  }, [isSought]);
  return (
    <li ref={element} class={`card turn ${turn.role}${isSought ? " sought" : ""}`}>
      <p class="quiet">
        <strong>
          <Words text={turn.name ?? turn.role} />
        </strong>, <When at={turn.occurredAt} as="moment" /> {turn.pinned && <Badge tone="info">pinned</Badge>}
      </p>
      {turn.erasedAt === undefined ? <Words text={turn.content} invisible={turn.invisibleText} /> : (
        <span class="quiet">
          Erased <When at={turn.erasedAt} />.
        </span>
      )}
      {drawn.length > 0 && (
        <ul class="drawn" aria-label="What was drawn from it">
          {drawn.map((fact) => (
            <li key={fact.id}>
              <UnitWords unit={fact} isLink />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
