/** The scratchpad of a session: one JSON object with an agent's working notes. */
import type { OperationContext } from "../../context.ts";
import * as queries from "../../db/queries/sessions.ts";
import { ServiceError } from "../../errors.ts";
import { isScratchpadWithinSize, type Scratchpad, SCRATCHPAD_BYTES_MAX } from "../../schema/session.ts";
import { type JsonValue, mergePatch } from "./merge_patch.ts";
import { recordSession, requireOpen, requireSession, requireVersion } from "./session.ts";

/**
 * Applies a JSON merge patch (RFC 7386). A patch that changes nothing makes no new version.
 * @param ifMatch the scratchpad's own version, if the caller insists on one
 * @throws ServiceError `not_found`, `invalid_transition`, `version_mismatch`; `validation_failed` when the whole would
 * be too large.
 */
export async function patchScratchpad(
  ctx: OperationContext,
  sessionId: string,
  patch: Readonly<Record<string, unknown>>,
  ifMatch?: number,
): Promise<Scratchpad> {
  const row = await ctx.tx(async (tx) => {
    const session = requireSession(await queries.lockSession(tx, sessionId));
    requireOpen(session, "change the scratchpad of");
    requireVersion(session.scratchpadVersion, ifMatch);
    const content = mergePatch(session.scratchpad as JsonValue, patch as JsonValue);
    if (!isScratchpadWithinSize(content)) {
      throw new ServiceError("validation_failed", "Cannot change the scratchpad: it would grow too large", {
        errors: [{ path: "", message: `the scratchpad must be at most ${SCRATCHPAD_BYTES_MAX} bytes as JSON` }],
      });
    }
    if (JSON.stringify(content) === JSON.stringify(session.scratchpad)) return session;
    const changed = await queries.replaceScratchpad(tx, sessionId, content);
    recordSession(tx, "session.scratched", changed, { scratchpadVersion: changed.scratchpadVersion });
    return changed;
  });
  return { sessionId, version: row.scratchpadVersion, content: row.scratchpad };
}
