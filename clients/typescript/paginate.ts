/** Reads a list page by page. */
import { SvcError } from "./error.ts";
import type { Input, Options } from "./request.ts";

/** One page of a list. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly nextCursor: string | null;
}

/** Yields the items of all pages; it requests a page when the previous one is used up. */
export async function* paginate<Item>(
  list: (input: Input, options: Options) => Promise<Page<Item>>,
  input: Input = {},
  options: Options = {},
): AsyncGenerator<Item, void, undefined> {
  let cursor = input["cursor"];
  do {
    const page: Page<Item> = await list(cursor === undefined ? input : { ...input, cursor }, options);
    yield* page.data;
    if (page.nextCursor !== null && page.nextCursor === cursor) {
      throw new SvcError("bad_reply", "Cannot go on with the list: the next page is the same page");
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
