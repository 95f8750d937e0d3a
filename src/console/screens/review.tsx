/** What waits for a person: two statements side by side, and a decision by one key. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ReviewAction, ReviewItem, SoughtUnit } from "../../../clients/typescript/mod.ts";
import { href, type ScreenProps } from "../router.ts";
import { can, isWriting, svc } from "../session.ts";
import { Actor } from "../ui/actor.tsx";
import { State } from "../ui/badge.tsx";
import { Button } from "../ui/form.tsx";
import { Live, useLive } from "../ui/live.tsx";
import { useAction, useLoad, usePages } from "../ui/load.ts";
import { REVIEW_KINDS, withSubjects } from "../ui/review_kinds.ts";
import { Alert, Empty, Loaded } from "../ui/states.tsx";
import { Sources } from "./unit/sources.tsx";
import { textOf, Trust, UnitWords } from "../ui/unit.tsx";
import { When, Words } from "../ui/words.tsx";
import { Merge, readSides } from "./review/merge.tsx";

/** The decisions, by key: 1 to 4. */
const ACTIONS: readonly { readonly action: ReviewAction; readonly label: string }[] = [
  { action: "keep_local", label: "Keep what was known" },
  { action: "accept_incoming", label: "Take the new one" },
  { action: "keep_both", label: "Both hold" },
  { action: "merge", label: "Merge…" },
];

export function Review(_: ScreenProps) {
  const pages = usePages(
    async (cursor, signal) => {
      const page = await svc.listReviewItems({ limit: 50, ...(cursor && { cursor }) }, { signal });
      return { ...page, data: await withSubjects(page.data, signal) };
    },
    [],
  );
  const live = useLive();
  useEffect(() => void (live.round > 0 && pages.reload()), [live.round]);
  // Items come and go by themselves: the shown one stays, so that a key never decides another one.
  const chosen = useSignal<{ readonly id?: string; readonly place: number }>({ place: 0 });
  const decided = useSignal<string | undefined>(undefined);
  const merging = useSignal<ReviewItem | undefined>(undefined);
  const [run, isBusy] = useAction();
  const items = pages.data ?? [];
  const found = items.findIndex(({ item: one }) => one.id === chosen.value.id);
  const isGone = chosen.value.id !== undefined && chosen.value.id !== decided.value && found < 0;
  const place = found < 0 ? Math.min(chosen.value.place, items.length - 1) : found;
  const item = isGone ? undefined : items[place]?.item;
  useEffect(() => void (item && (chosen.value = { id: item.id, place })), [item?.id, place]);
  const choose = (to: number) => items[to] && (chosen.value = { id: items[to].item.id, place: to });
  const isOpen = can("memory:write") && isWriting.value;
  /** After a decision the next item takes the place of the decided one. */
  const goOn = () => (decided.value = chosen.value.id, pages.reload());
  const decide = async (action: ReviewAction | "dismiss") => {
    if (item === undefined || !isOpen || isBusy) return;
    if (action !== "dismiss" && !item.actions.includes(action)) return;
    if (action === "merge" && item.kind !== "near_duplicate") return void (merging.value = item);
    const target = { id: item.id }, options = { ifMatch: `"${item.version}"` };
    const isDone = await run(
      () =>
        action === "dismiss"
          ? svc.dismissReviewItem(target, options)
          : svc.resolveReviewItem({ ...target, action }, options),
      "Decided.",
    );
    if (isDone) goOn();
    else pages.reload();
  };
  useKeys({
    j: () => choose(Math.min(isGone ? place : place + 1, items.length - 1)),
    k: () => choose(Math.max(place - 1, 0)),
    ...Object.fromEntries(ACTIONS.map(({ action }, i) => [String(i + 1), () => decide(action)])),
  });
  return (
    <>
      <div class="row between">
        <h1>Review</h1>
        <Live isOn={live.isOn} />
      </div>
      <p class="hint">
        What the service will not decide alone. Keys: <kbd>j</kbd> next, <kbd>k</kbd> back, <kbd>1</kbd> to <kbd>4</kbd>
        {" "}
        decide.
      </p>
      {!isOpen && can("memory:write") && <p class="hint">Allow changes (above) to decide.</p>}
      <Loaded load={pages} what="what waits">
        {(all) =>
          all.length === 0
            ? <Empty title="Nothing waits for you">New contradictions appear here when somebody states them.</Empty>
            : (
              <div class="review">
                <section aria-live="polite">
                  {item === undefined
                    ? <Alert tone="info">This was decided meanwhile. Choose what comes next.</Alert>
                    : <Sides key={item.id} item={item} />}
                  <div class="row section">
                    {isOpen && item && ACTIONS.map(({ action, label }, i) =>
                      item.actions.includes(action) && (
                        <Button
                          key={action}
                          kind={i < 2 ? "primary" : "plain"}
                          busy={isBusy}
                          onClick={() => decide(action)}
                        >
                          <kbd>{i + 1}</kbd> {sayAction(item, action, label)}
                        </Button>
                      )
                    )}
                    {isOpen && item && (
                      <Button busy={isBusy} onClick={() => decide("dismiss")}>Not worth a decision</Button>
                    )}
                  </div>
                </section>
                <ol class="list queue" aria-label="What waits">
                  {all.map(({ item: one, unit }, i) => (
                    <li key={one.id}>
                      <button
                        type="button"
                        class="queue-item"
                        aria-current={one.id === item?.id ? "true" : undefined}
                        onClick={() => choose(i)}
                      >
                        {REVIEW_KINDS[one.kind].title}
                        {unit && <Words text={textOf(unit)} lines />}
                        <span class="quiet">
                          <When at={one.createdAt} as="ago" />
                        </span>
                      </button>
                    </li>
                  ))}
                  {pages.hasMore && (
                    <li>
                      <Button small onClick={pages.more}>Show more</Button>
                    </li>
                  )}
                </ol>
              </div>
            )}
      </Loaded>
      {merging.value !== undefined && (
        <Merge
          item={merging.value}
          onClose={() => merging.value = undefined}
          onDone={goOn}
        />
      )}
    </>
  );
}

function sayAction({ kind }: ReviewItem, action: ReviewAction, label: string): string {
  if (kind === "stale_dependant") return action === "keep_local" ? "It still holds" : "Archive it";
  if (kind === "self_edit") return action === "keep_local" ? "Decline" : "Apply";
  return label;
}

function Sides({ item }: { readonly item: ReviewItem }) {
  const load = useLoad((signal) => readSides(item, signal), [item.id, item.version]);
  const { title, subject, other } = REVIEW_KINDS[item.kind];
  return (
    <>
      <h2>{title}</h2>
      <Loaded load={load} what="both sides">
        {(sides) => (
          <div class="columns">
            <Side name={other} unit={sides.other} isMissing={item.otherId === null} />
            <Side name={subject} unit={sides.subject} isMissing={false} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function Side({ name, unit, isMissing }: {
  readonly name: string;
  readonly unit: SoughtUnit["unit"];
  readonly isMissing: boolean;
}) {
  if (isMissing) return null;
  return (
    <article class="card" aria-label={name}>
      <h3>{name}</h3>
      {unit === null ? <p class="quiet">This memory has no such unit, or you may not see it.</p> : (
        <>
          <p>
            <UnitWords unit={unit} /> <State of={unit.status} />
          </p>
          <dl class="facts">
            <dt>Trust</dt>
            <dd>
              <Trust unit={unit} />
            </dd>
            <dt>Told</dt>
            <dd>
              <span>
                <When at={unit.createdAt} as="moment" /> by <Actor id={unit.createdBy} />
              </span>
            </dd>
            {unit.type === "fact" && (
              <>
                <dt>True</dt>
                <dd>
                  {unit.validFrom === null ? "since an unknown time" : (
                    <span>
                      since <When at={unit.validFrom} />
                    </span>
                  )}
                  {unit.validTo !== null && (
                    <span>
                      until <When at={unit.validTo} />
                    </span>
                  )}
                </dd>
              </>
            )}
          </dl>
          {unit.type === "fact" && (
            <>
              <h4>Where it was said</h4>
              <Sources id={unit.id} />
            </>
          )}
          <p class="section">
            <a href={href(`/unit/${unit.id}`)}>Open it</a>
          </p>
        </>
      )}
    </article>
  );
}

/** Single keys, while nobody types into a field. */
function useKeys(keys: Readonly<Record<string, () => unknown>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target } = event;
      const isTyping = target instanceof HTMLElement && target.closest("input, textarea, select, dialog") !== null;
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      const run = latest.current[event.key];
      if (run === undefined) return;
      event.preventDefault();
      run();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}
