/** The fenced blocks of README.md and of the pages in docs/. */
import { join } from "node:path";

export const ROOT = join(import.meta.dirname!, "../..");

export interface Block {
  /** Such as `docs/reference/wire.md`. */
  readonly page: string;
  readonly line: number;
  /** The first word after the fence, such as `sh`; empty for a drawing. */
  readonly language: string;
  /** What stands after the language: how the block is run, such as `endless`. */
  readonly manner: string;
  readonly text: string;
}

/** Where a block stands, for messages. */
export function placeOf({ page, line }: Block): string {
  return `${page}:${line}`;
}

/** Why a block is not run here, from its fence: ```` ```sh not-run: needs a cluster ````. */
export function reasonNotRun({ manner }: Block): string | undefined {
  return /^not-run: (\S.*)$/.exec(manner)?.[1];
}

export async function readPages(): Promise<ReadonlyMap<string, readonly Block[]>> {
  const pages = ["README.md"];
  for (const folder of ["docs/start", "docs/guides", "docs/reference", "docs/explanation"]) {
    for await (const { name } of Deno.readDir(join(ROOT, folder))) {
      if (name.endsWith(".md")) pages.push(`${folder}/${name}`);
    }
  }
  const blocks = await Promise.all(
    pages.sort().map(async (page) => [page, parseBlocks(page, await Deno.readTextFile(join(ROOT, page)))] as const),
  );
  return new Map(blocks);
}

export function parseBlocks(page: string, markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: { line: number; fence: string; info: string; text: string[] } | undefined;
  for (const [at, line] of markdown.split("\n").entries()) {
    const [, fence, info = ""] = /^\s*(`{3,}|~{3,})\s*(.*)$/.exec(line) ?? [];
    if (open === undefined && fence !== undefined) open = { line: at + 1, fence, info: info.trim(), text: [] };
    else if (open !== undefined && fence === open.fence && info === "") {
      const [, language = "", manner = ""] = /^(\S*)\s*(.*)$/.exec(open.info) ?? [];
      blocks.push({ page, line: open.line, language, manner, text: open.text.join("\n") + "\n" });
      open = undefined;
    } else open?.text.push(line);
  }
  if (open !== undefined) throw new Error(`${page}:${open.line}: the block does not end`);
  return blocks;
}
