/** Tables; on a narrow page each row becomes a card, whose members are named by the columns. */
import type { ComponentChildren } from "preact";
import { Button } from "./form.tsx";
import type { Pages } from "./load.ts";
import { Empty, Loaded } from "./states.tsx";

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

/** A table of a list that is read page by page. */
export function PagedTable<Row>({ pages, empty, ...table }: Omit<TableProps<Row>, "rows"> & {
  readonly pages: Pages<Row>;
  /** What to show if there is nothing. */
  readonly empty: ComponentChildren;
}) {
  return (
    <Loaded load={pages} what={table.caption}>
      {(rows) => (
        <>
          {rows.length === 0 ? <Empty title="Nothing here">{empty}</Empty> : <Table {...table} rows={rows} />}
          {pages.hasMore && (
            <p class="more">
              <Button onClick={pages.more} busy={pages.isLoading}>Show more</Button>
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}
