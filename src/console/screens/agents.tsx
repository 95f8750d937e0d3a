/** The agents that use the memory: what they changed in it, their playbooks, and their tasks. */
import type { PromptDiff, SelfEdit } from "../../../clients/typescript/mod.ts";
import { href, type ScreenProps } from "../router.ts";
import { can, isWriting, svc } from "../session.ts";
import { Badge } from "../ui/badge.tsx";
import { TextDifference } from "../ui/difference.tsx";
import { Button } from "../ui/form.tsx";
import { useAction, usePages } from "../ui/load.ts";
import { PagedTable } from "../ui/table.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { When, Words } from "../ui/words.tsx";

export function Agents(_: ScreenProps) {
  const pages = usePages((cursor, signal) => svc.listAgents({ limit: 50, ...(cursor && { cursor }) }, { signal }), []);
  return (
    <>
      <h1>Agents</h1>
      <PagedTable
        caption="agents"
        pages={pages}
        keyOf={({ agentId }) => agentId}
        empty={
          <>
            An agent stands here as soon as a session, a task or a playbook names it. One that only remembers and
            recalls is known by its key. <a href={href("/connect")}>Connect an agent</a>
          </>
        }
        columns={[
          {
            head: "Agent",
            isWide: true,
            cell: ({ agentId }) => (
              <a href={href(`/agents/${encodeURIComponent(agentId)}`)}>
                <Words text={agentId} lines />
              </a>
            ),
          },
          { head: "Sessions", isNumber: true, cell: ({ counts }) => counts.sessions },
          { head: "Self-edits", isNumber: true, cell: ({ counts }) => counts.selfEdits },
          { head: "Tasks", isNumber: true, cell: ({ counts }) => counts.tasks },
          { head: "Playbooks", isNumber: true, cell: ({ counts }) => counts.playbooks },
          { head: "Last seen", cell: ({ lastSeenAt }) => <When at={lastSeenAt} as="ago" /> },
        ]}
      />
    </>
  );
}

export function Agent({ params: { agent = "" } }: ScreenProps) {
  return (
    <>
      <h1>
        <Words text={agent} />
      </h1>
      <Tabs
        label="About the agent"
        tabs={[
          { id: "edits", label: "What it changed", panel: () => <Edits agent={agent} /> },
          { id: "playbook", label: "Playbook", panel: () => <Playbook agent={agent} /> },
          ...(can("tasks:read") ? [{ id: "tasks", label: "Tasks", panel: () => <Tasks agent={agent} /> }] : []),
        ]}
      />
    </>
  );
}

/** Changes that the agent made to the memory by itself, each of which can be taken back. */
function Edits({ agent }: { readonly agent: string }) {
  const pages = usePages(
    (cursor, signal) => svc.listSelfEdits({ agentId: agent, limit: 50, ...(cursor && { cursor }) }, { signal }),
    [agent],
  );
  const [run, isBusy] = useAction();
  const revert = async (id: string) => {
    await run(() => svc.revertSelfEdit({ id, reason: "reverted in the console" }), "Taken back.");
    pages.reload();
  };
  return (
    <PagedTable
      caption="changes"
      pages={pages}
      keyOf={({ id }) => id}
      empty="It has changed nothing by itself."
      columns={[
        { head: "When", cell: ({ createdAt }) => <When at={createdAt} as="moment" /> },
        { head: "Why", isWide: true, cell: ({ reason }) => <Words text={reason} /> },
        { head: "What", cell: (edit) => <What edit={edit} /> },
        {
          head: "State",
          cell: ({ status, revertedBy }) => <Badge>{revertedBy === null ? status : "taken back"}</Badge>,
        },
        ...(can("self:write") && isWriting.value
          ? [{
            head: "Take back",
            cell: ({ id, revertedBy, status }: SelfEdit) =>
              revertedBy === null && status === "applied" && (
                <Button small busy={isBusy} onClick={() => revert(id)}>Revert</Button>
              ),
          }]
          : []),
      ]}
    />
  );
}

function What({ edit }: { readonly edit: SelfEdit }) {
  return (
    <ul class="bare">
      {edit.operations.map(({ index, op, outcome, resourceId, resourceType }) => (
        <li key={index}>
          {resourceId === null || resourceType === "rule" ? op : <a href={href(`/unit/${resourceId}`)}>{op}</a>}{" "}
          ({outcome})
        </li>
      ))}
    </ul>
  );
}

/** Each version of the agent's playbook, with what it changed. */
function Playbook({ agent }: { readonly agent: string }) {
  const pages = usePages(
    (cursor, signal) => svc.listPromptHistory({ agent, limit: 50, ...(cursor && { cursor }) }, { signal }),
    [agent],
  );
  return (
    <PagedTable
      caption="versions of the playbook"
      pages={pages}
      keyOf={({ version }) => String(version)}
      empty="It has no playbook. Feedback about what helped makes one."
      columns={[
        { head: "Version", isNumber: true, cell: ({ version }) => version },
        { head: "When", cell: ({ createdAt }) => <When at={createdAt} as="moment" /> },
        {
          head: "Cause",
          cell: ({ cause, reason }) => (
            <>
              {cause}
              {reason && (
                <>
                  : <Words text={reason} />
                </>
              )}
            </>
          ),
        },
        { head: "Rules", isNumber: true, cell: ({ ruleCount }) => ruleCount },
        { head: "State", cell: ({ status }) => <Badge>{status}</Badge> },
        {
          head: "What changed",
          isWide: true,
          cell: ({ diff }) => <RuleChanges of={diff} />,
        },
      ]}
    />
  );
}

/** What a version of a playbook changed, rule by rule. */
function RuleChanges({ of: { added, removed, changed } }: { readonly of: PromptDiff }) {
  if (added.length + removed.length + changed.length === 0) return <span class="quiet">no rule</span>;
  return (
    <ul class="list">
      {removed.map(({ id, section, text }) => (
        <li key={id}>
          <span class="quiet">{section}</span>{" "}
          <del>
            <Words text={text} />
          </del>
        </li>
      ))}
      {changed.map(({ before, after }) => (
        <li key={after.id}>
          <span class="quiet">{after.section}</span> <TextDifference was={before.text} is={after.text} />
        </li>
      ))}
      {added.map(({ id, section, text }) => (
        <li key={id}>
          <span class="quiet">{section}</span>{" "}
          <ins>
            <Words text={text} />
          </ins>
        </li>
      ))}
    </ul>
  );
}

function Tasks({ agent }: { readonly agent: string }) {
  const pages = usePages(
    (cursor, signal) => svc.listTasks({ agentId: agent, limit: 50, ...(cursor && { cursor }) }, { signal }),
    [agent],
  );
  return (
    <PagedTable
      caption="tasks"
      pages={pages}
      keyOf={({ id }) => id}
      empty="It has no tasks."
      columns={[
        { head: "Task", isWide: true, cell: ({ title }) => <Words text={title} /> },
        {
          head: "State",
          cell: ({ status, statusReason }) => <Badge {...(statusReason && { title: statusReason })}>{status}</Badge>,
        },
        { head: "Priority", isNumber: true, cell: ({ priority }) => priority },
        { head: "Due", cell: ({ dueAt }) => dueAt === null ? "" : <When at={dueAt} as="ago" /> },
        { head: "Changed", cell: ({ updatedAt }) => <When at={updatedAt} as="ago" /> },
      ]}
    />
  );
}
