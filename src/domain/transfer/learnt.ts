/** Lines of what agents learnt and did besides units: votes, chains of reasoning, edits, playbooks, snapshots. */
import { replaceSearch } from "../../db/queries/reasoning_search.ts";
import type { Sensitivity } from "../../schema/common.ts";
import { termsOf } from "../reasoning/goals.ts";
import type { AnyLineKind } from "./line_kind.ts";
import { rowKind, type RowLine } from "./rows.ts";

function columns(text: string): string[] {
  return text.trim().split(/\s+/);
}

const OF_ENTRY = { table: "reasoning_entry", column: "entry_id", writtenAt: "updated_at" };
const OF_EDIT = { table: "self_edit", column: "edit_id", writtenAt: "updated_at" };
const OF_PLAYBOOK = { table: "procedural_playbook", column: "playbook_id", writtenAt: "updated_at" };

export const LEARNT: readonly AnyLineKind[] = [
  rowKind({
    kind: "gate_action",
    table: "gate_action",
    columns: columns("id action reason acted_at acted_by"),
    key: ["id"],
    references: ["id"],
    writtenAt: "acted_at",
  }),
  rowKind({
    kind: "worth_signal",
    table: "worth_signal",
    columns: columns("unit_id agent_id is_helpful weight given_at given_by"),
    key: ["unit_id", "agent_id"],
    references: ["unit_id"],
    writtenAt: "given_at",
    parent: { table: "unit", column: "unit_id", writtenAt: "created_at" },
  }),
  rowKind({
    kind: "reasoning_entry",
    table: "reasoning_entry",
    resourceType: "reasoning",
    columns: columns(`
      id version goal_key goal context_kind context context_key steps answer outcome tokens_spent agent_id standing helpful
      harmful broken attempts attempt_hash use_count tokens_saved last_used_at expires_at sensitivity tags content_hash
      created_at updated_at created_by`),
    key: ["id"],
    references: ["id"],
    writtenAt: "updated_at",
    versionColumn: "version",
    async onInserted(_, tx, rows) {
      for (const row of rows) {
        const entry = { id: String(row["id"]), sensitivity: row["sensitivity"] as Sensitivity };
        // A worker computes the vector.
        await replaceSearch(tx, entry, termsOf(String(row["goal"])), undefined);
      }
    },
  }),
  rowKind({
    kind: "reasoning_precondition",
    table: "reasoning_precondition",
    columns: columns("unit_id entry_id sensitivity content_hash"),
    key: ["unit_id", "entry_id"],
    references: ["unit_id", "entry_id"],
    parent: OF_ENTRY,
  }),
  rowKind({
    kind: "reasoning_vote",
    table: "reasoning_vote",
    columns: columns("entry_id agent_id given_by sensitivity helpful note voted_at"),
    laterColumns: ["given_by"],
    key: ["entry_id", "agent_id"],
    references: ["entry_id"],
    writtenAt: "voted_at",
    parent: OF_ENTRY,
  }),
  rowKind({
    kind: "self_edit",
    table: "self_edit",
    resourceType: "self_edit",
    columns: columns(`
      id version mode source reason agent_id sensitivity reverts reverted_by created_at updated_at created_by`),
    key: ["id"],
    references: ["id", "reverts", "reverted_by"],
    writtenAt: "updated_at",
    versionColumn: "version",
  }),
  rowKind({
    kind: "self_edit_operation",
    table: "self_edit_operation",
    columns: columns(`
      edit_id position op ref outcome resource_id resource_type version_before version_after changes error result
      review_item_id`),
    key: ["edit_id", "position"],
    references: ["edit_id", "resource_id", "changes", "result", "review_item_id"],
    parent: OF_EDIT,
  }),
  rowKind({
    kind: "self_edit_content",
    table: "self_edit_content",
    columns: columns("edit_id position unit_id operation"),
    key: ["edit_id", "position"],
    references: ["edit_id", "unit_id", "operation"],
    parent: OF_EDIT,
  }),
  rowKind({
    kind: "procedural_playbook",
    table: "procedural_playbook",
    columns: columns(`
      id agent_id sensitivity last_rule_no last_version current_version candidate_version created_at updated_at
      created_by`),
    key: ["id"],
    references: ["id"],
    writtenAt: "updated_at",
  }),
  rowKind({
    kind: "procedural_rule",
    table: "procedural_rule",
    columns: columns(`
      playbook_id no version sensitivity section text lesson status retired_reason source helpful harmful support unused
      pinned created_at updated_at`),
    laterColumns: ["version"],
    key: ["playbook_id", "no"],
    references: ["playbook_id"],
    adopt: (row) => ({ ...row, version: row.version ?? 1 }),
    parent: OF_PLAYBOOK,
  }),
  rowKind({
    kind: "procedural_version",
    table: "procedural_version",
    columns: columns(`
      playbook_id version sensitivity status cause reason base_version rules runs score_sum evidence created_at created_by
      decided_at`),
    key: ["playbook_id", "version"],
    references: ["playbook_id"],
    parent: OF_PLAYBOOK,
  }),
  rowKind({
    kind: "procedural_trajectory",
    table: "procedural_trajectory",
    columns: columns(`
      playbook_id trajectory_key sensitivity content_hash task_key prompt_version outcome score body recorded_at`),
    key: ["playbook_id", "trajectory_key"],
    // An export lists the trajectories of a playbook in the order in which they arrived.
    order: ["playbook_id", "seq"],
    references: ["playbook_id"],
    parent: OF_PLAYBOOK,
  }),
  rowKind({
    kind: "snapshot",
    table: "snapshot",
    columns: columns("id period_start taken_at sensitivity data"),
    key: ["period_start", "sensitivity"],
    references: ["id", "data"],
    writtenAt: "taken_at",
    adopt: withoutContent,
  }),
];

/**
 * Files of earlier builds hold words as hashes that a dictionary reverses, and sums of vectors, whose difference is one
 * text's. Tokens of words mean nothing elsewhere.
 */
function withoutContent({ data, ...row }: RowLine["row"]): RowLine["row"] {
  const { part, ...rest } = (data ?? {}) as { readonly part?: Readonly<Record<string, unknown>> };
  if (part === undefined) return { data, ...row };
  const { terms: _terms, centroid: _centroid, ...kept } = part;
  return { ...row, data: { ...rest, part: kept } };
}
