/** What `scripts/mutate_defences.ts` takes away: one list per subject stands beside this file. */

/** One defence, and the test that has to notice when it is gone. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly defence: string;
  readonly instead: string;
  readonly test: string;
  /** The beginning of the test's name. */
  readonly filter: string;
}

/** All entries of the lists in this folder. */
export async function listMutations(): Promise<Mutation[]> {
  const folder = new URL("./", import.meta.url);
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".ts") && !name.endsWith("_test.ts") && name !== "mutation.ts") names.push(name);
  }
  const lists: { readonly MUTATIONS: readonly Mutation[] }[] = [];
  for (const name of names.sort()) lists.push(await import(new URL(name, folder).href));
  return lists.flatMap((list) => list.MUTATIONS);
}
