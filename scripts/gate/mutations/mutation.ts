/** What `scripts/gate/mutate_defences.ts` takes away: one list per subject stands beside this file. */

/** One defence, and the test that has to notice when it is gone. */
export interface Mutation {
  /** Its own among all lists. */
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly defence: string;
  readonly instead: string;
  readonly test: string;
  /** The beginning of the test's name, without what a template fills in; "" for the whole file. */
  readonly filter: string;
  /** Without the defence the test can only be ended from outside: that counts as noticed. */
  readonly hangs?: true;
}

/** All entries of the lists in this folder. */
export async function listMutations(): Promise<Mutation[]> {
  const folder = new URL("./", import.meta.url);
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".ts") && name !== "mutation.ts") names.push(name);
  }
  const lists: { readonly MUTATIONS: readonly Mutation[] }[] = [];
  for (const name of names.sort()) lists.push(await import(new URL(name, folder).href));
  return lists.flatMap((list) => list.MUTATIONS);
}

/** The file without the defence. @throws Error when the defence does not stand in it exactly once. */
export function withoutDefence({ name, file, defence, instead }: Mutation, text: string): string {
  const found = text.split(defence).length - 1;
  if (found !== 1) throw new Error(`Cannot take "${name}" away: it stands ${found} times in ${file}`);
  return text.replace(defence, () => instead);
}
