/** The projection of facts for another region: their ids and keyed hashes. Nothing else is sent there. */
import { createHmac } from "node:crypto";
import type { OperationContext } from "../../../context.ts";
import { listRemoteFacts as list, type RemoteFactRow } from "../../../db/queries/federation_remote.ts";
import type { VersionRow } from "../../../db/queries/federation_versions.ts";
import type { Page } from "../../../schema/common.ts";
import type { ListRemoteFactsQuery, ProjectedItem, RemoteFact } from "../../../schema/federation_item.ts";
import { decodeCursor, encodeCursor, toPage } from "../../common/cursor.ts";

/**
 * Projects the facts among some entries for another region. The hash changes with the fact; it is keyed with this
 * instance's secret, so that nobody can test a guess of the content against it.
 */
export function projectFacts(entries: readonly VersionRow[], region: string, secret: Uint8Array): ProjectedItem[] {
  return entries.filter(({ type, isDeleted }) => type === "fact" && !isDeleted).map(({ origin, hash }) => ({
    factId: origin.id,
    hash: createHmac("sha256", secret).update(`${origin.id}\n${hash}`).digest("hex"),
    region,
  }));
}

const isKey = (key: unknown): key is string => typeof key === "string" && /^\S{1,400} [0-9a-f-]{36}$/.test(key);

/** Lists the facts of other regions that peers have announced. */
export async function listRemoteFacts(ctx: OperationContext, query: ListRemoteFactsQuery): Promise<Page<RemoteFact>> {
  const { order } = query;
  const name = `remote facts:${query.peer ?? ""}`;
  const after = decodeCursor(name, order, query.cursor, isKey)?.split(" ");
  const rows = await ctx.tx((tx) => {
    const key = after === undefined ? undefined : { peer: after[0]!, factId: after[1]! };
    return list(tx, { peer: query.peer, order, after: key, limit: query.limit + 1 });
  }, { readOnly: true });
  const toItem = ({ seenAt, ...row }: RemoteFactRow): RemoteFact => ({ ...row, seenAt: seenAt.toISOString() });
  return toPage(rows, query.limit, toItem, ({ peer, factId }) => encodeCursor(name, order, `${peer} ${factId}`));
}
