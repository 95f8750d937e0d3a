/** Tasks, their dependencies, and events as lines. */
import { countUnknownAt, listDependenciesToExport } from "../../db/queries/exports.ts";
import { insertDependency } from "../../db/queries/imports.ts";
import { findDependants, findTask } from "../../db/queries/tasks.ts";
import { lockNames } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { isCleared } from "../../schema/common.ts";
import { EventLine, TaskDependencyLine, TaskLine } from "../../schema/transfer_lines.ts";
import {
  authorOf,
  type Importing,
  type LineKind,
  type LineOutcome,
  mayChange,
  NOT_ITS_OWN,
  recordedTime,
  refuse,
  toTime,
} from "./line_kind.ts";
import { plainKind } from "./plain.ts";
import { IMPORT_LOCK } from "./unit_writer.ts";

export const TASKS: LineKind<TaskLine> = plainKind<TaskLine>({
  kind: "task",
  table: "task",
  resourceType: "task",
  schema: TaskLine,
  countOmitted: (tx, asOf) => countUnknownAt(tx, "task", asOf),
  toLine: (row) => ({
    kind: "task",
    id: row["id"],
    version: row["version"],
    taskKind: row["kind"],
    status: row["status"],
    statusReason: row["status_reason"],
    title: row["title"],
    description: row["description"],
    priority: row["priority"],
    agentId: row["agent_id"],
    isAgentClaimed: row["is_agent_claimed"],
    leaseExpiresAt: toTime(row["lease_expires_at"]),
    dueAt: toTime(row["due_at"]),
    result: row["result"],
    delegations: row["delegations"],
    sensitivity: row["sensitivity"],
    tags: row["tags"],
    metadata: row["metadata"],
    startedAt: toTime(row["started_at"]),
    finishedAt: toTime(row["finished_at"]),
    createdAt: toTime(row["created_at"]),
    updatedAt: toTime(row["updated_at"]),
    createdBy: row["created_by"],
  } as TaskLine),
  toColumns: (line, importing) => ({
    version: line.version,
    kind: line.taskKind,
    status: line.status,
    status_reason: line.statusReason,
    title: line.title,
    description: line.description,
    priority: line.priority,
    agent_id: line.agentId,
    is_agent_claimed: line.isAgentClaimed,
    lease_expires_at: line.leaseExpiresAt,
    due_at: line.dueAt,
    result: line.result,
    delegations: line.delegations,
    sensitivity: line.sensitivity,
    tags: [...new Set(line.tags)],
    metadata: line.metadata,
    started_at: recordedTime(importing, line, line.startedAt),
    finished_at: recordedTime(importing, line, line.finishedAt),
    created_at: line.createdAt,
    updated_at: recordedTime(importing, line, line.updatedAt),
    created_by: authorOf(importing, line, line.createdBy),
  }),
  versionOf: (line) => line.version,
  createdAt: (line) => line.createdAt,
  mapIds: (line, map) => ({ ...line, id: map(line.id) }),
});

/** The dependencies of tasks, in lines after all tasks, because a task may depend on one that was made later. */
export const TASK_DEPENDENCIES: LineKind<TaskDependencyLine> = {
  kind: "task_dependency",
  tables: ["task_dependency"],
  schema: TaskDependencyLine,
  async page(tx, view, after, limit) {
    const rows = await listDependenciesToExport(tx, view, after as string | undefined, limit);
    return {
      isLast: rows.length < limit,
      next: rows.at(-1)?.taskId,
      lines: rows.flatMap(({ taskId, dependsOn }) =>
        dependsOn.map((id) => ({ kind: "task_dependency", taskId, dependsOn: id }))
      ),
    };
  },
  mapIds: (line, map) => ({ ...line, taskId: map(line.taskId), dependsOn: map(line.dependsOn) }),
  async write(importing, tx, lines) {
    await lockNames(tx, [IMPORT_LOCK]);
    const outcomes: LineOutcome[] = [];
    for (const line of lines) outcomes.push(await writeDependency(importing, tx, line));
    return outcomes;
  },
};

async function writeDependency(
  importing: Importing,
  tx: Tx,
  { taskId, dependsOn }: TaskDependencyLine,
): Promise<LineOutcome> {
  if (taskId === dependsOn) return refuse("validation_failed", "Cannot import: a task cannot depend on itself");
  // Rows are locked in one order, so that two writers cannot deadlock.
  const tasks = new Map();
  for (const id of [taskId, dependsOn].sort()) tasks.set(id, await findTask(tx, id, { lock: true }));
  const [task, other] = [tasks.get(taskId), tasks.get(dependsOn)];
  if (task === undefined || other === undefined) {
    return refuse("not_found", "Cannot import: one of its tasks is not here");
  }
  if (task.dependsOn.includes(dependsOn)) return "unchanged";
  if (!mayChange(importing, task)) return NOT_ITS_OWN;
  if (!isCleared(other.sensitivity, task.sensitivity)) {
    return refuse("validation_failed", "Cannot import: the task depends on a more sensitive one");
  }
  if ((await findDependants(tx, taskId, [dependsOn])).length > 0) {
    return refuse("conflict", "Cannot import: the tasks would wait for each other");
  }
  const { version, sensitivity } = task;
  if (!await insertDependency(tx, taskId, dependsOn)) return "unchanged";
  tx.record({ kind: "task.imported", resourceType: "task", resourceId: taskId, version, sensitivity });
  return "created";
}

export const EVENTS: LineKind<EventLine> = plainKind<EventLine>({
  kind: "event",
  table: "event",
  resourceType: "event",
  schema: EventLine,
  toLine: (row) => ({
    kind: "event",
    id: row["id"],
    type: row["type"],
    agentId: row["agent_id"],
    sessionId: row["session_id"],
    data: row["data"],
    sensitivity: row["sensitivity"],
    occurredAt: toTime(row["occurred_at"]),
    recordedAt: toTime(row["recorded_at"]),
    createdBy: row["created_by"],
  } as EventLine),
  toColumns: (line, importing) => ({
    type: line.type,
    agent_id: line.agentId,
    session_id: line.sessionId,
    sensitivity: line.sensitivity,
    data: line.data,
    occurred_at: line.occurredAt,
    recorded_at: recordedTime(importing, line, line.recordedAt),
    created_by: authorOf(importing, line, line.createdBy),
  }),
  versionOf: () => 1,
  createdAt: (line) => line.occurredAt,
  mapIds: (line, map) => ({ ...line, id: map(line.id), sessionId: line.sessionId && map(line.sessionId) }),
});
