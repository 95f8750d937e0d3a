/** What `scripts/gate/mutate_defences.ts` takes away: one list per subject stands beside this file. */

/** One defence, and the test that has to notice its removal. */
export interface Mutation {
  /** Unique among all lists. */
  readonly name: string;
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly defence: string;
  readonly instead: string;
  readonly test: string;
  /** The beginning of the test's name, without what a template fills in; "" for the whole file. */
  readonly filter: string;
  /** Without the defence the test hangs and can only be ended from outside, which counts as noticed. */
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

/** The file without the defence. @throws Error unless the defence occurs in it exactly once. */
export function withoutDefence({ name, file, defence, instead }: Mutation, text: string): string {
  const found = text.split(defence).length - 1;
  if (found !== 1) throw new Error(`Cannot take "${name}" away: it stands ${found} times in ${file}`);
  return text.replace(defence, () => instead);
}
