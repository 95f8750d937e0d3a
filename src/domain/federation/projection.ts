/** What crosses the border of a region: of facts their ids and a keyed hash, and nothing of anything else. */
import { createHmac } from "node:crypto";
import type { OperationContext } from "../../context.ts";
import { listRemoteFacts as list, type RemoteFactRow } from "../../db/queries/federation_remote.ts";
import type { VersionRow } from "../../db/queries/federation_versions.ts";
import type { Page } from "../../schema/common.ts";
import type { ListRemoteFactsQuery, ProjectedItem, RemoteFact } from "../../schema/federation_item.ts";
import { decodeCursor, encodeCursor, toPage } from "../common/cursor.ts";

/**
 * The facts among some entries as another region gets them. The hash tells that a fact changed; without this instance's
 * secret nobody can hold a guess against it.
 */
export function projectFacts(entries: readonly VersionRow[], region: string, secret: Uint8Array): ProjectedItem[] {
  return entries.filter(({ type, isDeleted }) => type === "fact" && !isDeleted).map(({ origin, hash }) => ({
    factId: origin.id,
    hash: createHmac("sha256", secret).update(`${origin.id}\n${hash}`).digest("hex"),
    region,
  }));
}

const isKey = (key: unknown): key is string => typeof key === "string" && /^\S{1,400} [0-9a-f-]{36}$/.test(key);

/** The facts of other regions that are known by their hashes. */
export async function listRemoteFacts(ctx: OperationContext, query: ListRemoteFactsQuery): Promise<Page<RemoteFact>> {
  const name = `remote facts:${query.peer ?? ""}`;
  const after = decodeCursor(name, "asc", query.cursor, isKey)?.split(" ");
  const rows = await ctx.tx((tx) => {
    const key = after === undefined ? undefined : { peer: after[0]!, factId: after[1]! };
    return list(tx, { peer: query.peer, after: key, limit: query.limit + 1 });
  }, { readOnly: true });
  const toItem = ({ seenAt, ...row }: RemoteFactRow): RemoteFact => ({ ...row, seenAt: seenAt.toISOString() });
  return toPage(rows, query.limit, toItem, ({ peer, factId }) => encodeCursor(name, "asc", `${peer} ${factId}`));
}
