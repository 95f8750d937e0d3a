/** The filter above a list. The address holds it, so that a link, a reload and the browser's back keep it. */
import type { ComponentChildren } from "preact";
import { go } from "../router.ts";
import { Button, type Choice, DateField, Select, TextField } from "./form.tsx";
import { useTyped } from "./load.ts";

export interface Filter {
  /** The member of the address. */
  readonly name: string;
  readonly label: string;
  /** `search` takes the width that the others leave; a choice and a time apply at once, texts when they are sent. */
  readonly kind?: "search" | "text" | "time";
  readonly options?: readonly Choice[];
}

export function Filters({ path, query, filters, children }: {
  /** The screen whose address holds the filter. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly filters: readonly Filter[];
  /** Further buttons. */
  readonly children?: ComponentChildren;
}) {
  const texts = filters.filter(({ kind, options }) => options === undefined && kind !== "time");
  const typed = useTyped(Object.fromEntries(texts.map(({ name }) => [name, query[name] ?? ""])));
  const set = (next: Readonly<Record<string, string>>) =>
    go(path, { ...query, ...typed.value, ...next }, { replace: true });
  const isGiven = filters.some(({ name }) => query[name]);
  return (
    <form class="row filters" role="search" onSubmit={(event) => (event.preventDefault(), set({}))}>
      {filters.map(({ name, label, kind = "text", options }) =>
        options !== undefined
          ? (
            <Select
              key={name}
              label={label}
              options={options}
              value={query[name] || options[0]!.value}
              onChange={(to) => set({ [name]: to })}
            />
          )
          : kind === "time"
          ? <DateField key={name} label={label} value={query[name] ?? ""} onInput={(to) => set({ [name]: to })} />
          : (
            <div key={name} class={kind === "search" ? "grow" : ""}>
              <TextField
                label={label}
                type={kind === "search" ? "search" : "text"}
                value={typed.value[name] ?? ""}
                onInput={(text) => typed.value = { ...typed.value, [name]: text }}
              />
            </div>
          )
      )}
      {texts.length > 0 && <Button type="submit" kind="primary">Find</Button>}
      {isGiven && <Button onClick={() => go(path, {}, { replace: true })}>Clear</Button>}
      {children}
    </form>
  );
}
