/** Tables; on a narrow page each row becomes a card, whose members are named by the columns. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Button } from "./form.tsx";
import type { Pages } from "./load.ts";
import { Empty, Loaded } from "./states.tsx";
import { count } from "./words.tsx";

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
  /** It takes the width that the others leave. */
  readonly isWide?: boolean;
}

export interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <table>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ head, isNumber }) => <th key={head} scope="col" class={isNumber ? "number" : ""}>{head}</th>)}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ head, cell, isNumber, isWide }) => (
              <td key={head} data-head={head} class={isNumber ? "number" : isWide ? "wide" : ""}>{cell(row)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/**
 * A table of a list that is read page by page. It shows one page, so that a long list stays as quick as a short one.
 */
export function PagedTable<Row>({ pages, empty, ...table }: Omit<TableProps<Row>, "rows"> & {
  readonly pages: Pages<Row>;
  /** What to show if there is nothing. */
  readonly empty: ComponentChildren;
}) {
  const place = useSignal({ of: pages.of, at: 0 });
  const at = place.value.of === pages.of ? Math.min(place.value.at, Math.max(0, pages.pages.length - 1)) : 0;
  const frame = useRef<HTMLDivElement>(null);
  const turn = async (to: number) => {
    if (to >= pages.pages.length) await pages.more();
    place.value = { of: pages.of, at: to };
    // Who reads on begins at the top of the page, also by the keyboard.
    frame.current?.scrollIntoView({ block: "nearest" });
    frame.current?.focus({ preventScroll: true });
  };
  const isLast = at === pages.pages.length - 1 && !pages.hasMore;
  const shown = pages.pages[at] ?? [], before = pages.pages.slice(0, at).reduce((sum, one) => sum + one.length, 0);
  return (
    <Loaded load={pages} what={table.caption}>
      {() => (
        <div ref={frame} class="paged" tabIndex={-1}>
          {shown.length === 0 ? <Empty title="Nothing here">{empty}</Empty> : <Table {...table} rows={shown} />}
          {(at > 0 || !isLast) && (
            <nav class="more row" aria-label={`Pages of ${table.caption}`}>
              <Button onClick={() => turn(at - 1)} disabled={at === 0}>Back</Button>
              <span role="status">
                {shown.length > 0 && `${count(before + 1)} to ${count(before + shown.length)}`}
              </span>
              <Button onClick={() => turn(at + 1)} disabled={isLast} busy={pages.isLoading}>Next</Button>
            </nav>
          )}
        </div>
      )}
    </Loaded>
  );
}
