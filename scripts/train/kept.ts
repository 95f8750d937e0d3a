/**
 * What the service keeps of conversations when it collapses their sessions: facts that cite turns, and episodes. Stored
 * beside the turns, they make of each set a second one, in which kinds stand side by side as in a workspace.
 */
import { proposeCollapse } from "../../src/providers/collapse.ts";
import type { ConversationTurn } from "../../src/language/conversation.ts";
import type { Conversation, ConversationSet, Session } from "./conversations.ts";

/** A unit with the turns that it cites, or whose words it holds. */
export interface KeptUnit {
  readonly id: string;
  readonly text: string;
  /** ms since the epoch. */
  readonly occurredAt?: number;
  readonly turns: readonly string[];
}

async function keepOf({ occurredAt, turns }: Session, id: string): Promise<KeptUnit[]> {
  const when = occurredAt === undefined ? {} : { occurredAt };
  const told = turns.map(({ id: messageId, speaker, role, text: content }): ConversationTurn => ({
    ...{ messageId, role, name: speaker, content },
    occurredAt: occurredAt === undefined ? null : new Date(occurredAt).toISOString(),
  }));
  const { statements, title, summary } = await proposeCollapse(null, told);
  const facts = statements.map(({ statement: text, messageId, context = [] }, i): KeptUnit => ({
    ...{ id: `${id} fact ${i}`, text, turns: [messageId, ...context], ...when },
  }));
  const held = turns.filter(({ text }) => summary.includes(text)).map((turn) => turn.id);
  return [...facts, { id: `${id} episode`, text: `${title}\n${summary}`, turns: held, ...when }];
}

/** A conversation with what is kept of it. */
export async function collapse(conversation: Conversation): Promise<Conversation> {
  const units: KeptUnit[] = [];
  for (const [i, session] of conversation.sessions.entries()) units.push(...await keepOf(session, `session ${i}`));
  return { ...conversation, units };
}

/** A set of the same conversations, each with what is kept of it. */
export async function collapseSet(set: ConversationSet): Promise<ConversationSet> {
  const conversations: Conversation[] = [];
  for (const one of set.conversations) conversations.push(await collapse(one));
  return { ...set, name: `${set.name}+`, conversations };
}
