/** Labelled conversations of several kinds, in one form: people who chat with each other, and a person and an assistant. */

import type { KeptUnit } from "./kept.ts";

export interface Turn {
  /** What evidence names. */
  readonly id: string;
  /** A turn's `name`; absent where only the role is known. */
  readonly speaker?: string;
  readonly role: "user" | "assistant";
  readonly text: string;
}

export interface Session {
  /** ms since the epoch. */
  readonly occurredAt?: number;
  readonly turns: readonly Turn[];
}

/** What a question is asked for in a report. `adversarial`: about another person; `abstention`: without an answer. */
export interface LabelledQuestion {
  readonly text: string;
  readonly kind: string;
  readonly evidence: readonly string[];
}

export interface Conversation {
  readonly id: string;
  readonly sessions: readonly Session[];
  /** What is stored beside the turns; see `kept.ts`. */
  readonly units?: readonly KeptUnit[];
  readonly questions: readonly LabelledQuestion[];
}

/** Conversations that are searched together: each set's are one corpus, or each conversation is one. */
export interface ConversationSet {
  readonly name: string;
  readonly isOneCorpus: boolean;
  readonly conversations: readonly Conversation[];
}

interface LocomoTurn {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text: string;
  readonly blip_caption?: string;
}

const LOCOMO_KINDS = ["", "multi-hop", "temporal", "open-domain", "single-hop", "adversarial"];

/** Reads conversations of the LoCoMo form. @param path of conversations.json */
export function readLocomo(path: string): ConversationSet {
  const all = JSON.parse(Deno.readTextFileSync(path)) as {
    readonly sample_id: string;
    readonly conversation: Readonly<Record<string, unknown>>;
    readonly qa: readonly {
      readonly question: string;
      readonly evidence?: readonly string[];
      readonly category: number;
    }[];
  }[];
  const conversations = all.map(({ sample_id: id, conversation, qa }): Conversation => {
    const sessions: Session[] = [];
    for (let n = 1; Array.isArray(conversation[`session_${n}`]); n++) {
      const turns = (conversation[`session_${n}`] as LocomoTurn[]).map((turn): Turn => ({
        id: turn.dia_id,
        speaker: turn.speaker,
        role: "user",
        text: turn.text + (turn.blip_caption ? ` [photo: ${turn.blip_caption}]` : ""),
      }));
      sessions.push({ occurredAt: parseSessionTime(String(conversation[`session_${n}_date_time`])), turns });
    }
    const questions = qa.map(({ question, evidence, category }): LabelledQuestion => ({
      text: question,
      kind: LOCOMO_KINDS[category],
      evidence: category === 5 ? [] : (evidence ?? []).flatMap((e) => e.split(/[;,\s]+/)),
    }));
    return { id, sessions, questions };
  });
  return { name: "locomo", isOneCorpus: true, conversations };
}

function parseSessionTime(text: string): number {
  const m = /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(text);
  if (m === null) throw new Error(`Cannot read session time: ${text}`);
  const hour = +m[1] % 12 + (m[3] === "pm" ? 12 : 0);
  return Date.parse(`${m[4]} ${m[5]} ${m[6]} UTC`) + (hour * 60 + +m[2]) * 60_000;
}

/** Questions that ask for no evidence, or for most of the conversation. */
const NOT_RANKED = new Set(["abstention", "summarization"]);

/**
 * Reads conversations of the BEAM form: a folder for each.
 * @param turnsOfSession cuts each batch into sessions of this many turns; absent: a batch is a session
 */
export function readBeam(folder: string, turnsOfSession?: number): ConversationSet {
  const names = [...Deno.readDirSync(folder)].filter((entry) => entry.isDirectory).map(({ name }) => name);
  const conversations = names.sort((a, b) => +a - +b).map((name): Conversation => {
    const read = (file: string) => JSON.parse(Deno.readTextFileSync(`${folder}/${name}/${file}`));
    const batches = read("chat.json") as {
      readonly turns: readonly (readonly {
        readonly role: Turn["role"];
        readonly id: number;
        readonly content: string;
        readonly time_anchor?: string;
      }[])[];
      readonly time_anchor?: string;
    }[];
    const sessions = batches.flatMap((batch): Session[] => {
      const all = batch.turns.flat();
      const anchor = batch.time_anchor ?? all.find(({ time_anchor: at }) => at)?.time_anchor;
      const occurredAt = anchor === undefined ? NaN : Date.parse(`${anchor.replaceAll("-", " ")} UTC`);
      const turns = all.map(({ role, id, content }): Turn => ({
        id: String(id),
        role,
        text: content.replace(/\s*->->.*$/s, ""),
      }));
      const size = turnsOfSession ?? turns.length;
      return Array.from({ length: Math.ceil(turns.length / size) }, (_, i) => ({
        ...!Number.isNaN(occurredAt) && { occurredAt },
        turns: turns.slice(i * size, (i + 1) * size),
      }));
    });
    const probing = read("probing_questions.json") as Record<string, { question: string; source_chat_ids?: unknown }[]>;
    const questions = Object.entries(probing).flatMap(([kind, some]) =>
      some.map(({ question, source_chat_ids: ids }): LabelledQuestion => ({
        text: question,
        kind,
        evidence: NOT_RANKED.has(kind) ? [] : flatten(ids),
      }))
    );
    return { id: name, sessions, questions };
  });
  return { name: turnsOfSession === undefined ? "beam" : `beam-${turnsOfSession}`, isOneCorpus: false, conversations };
}

/** The ids in any nesting of lists and objects. */
function flatten(ids: unknown): string[] {
  if (typeof ids === "number" || typeof ids === "string") return [String(ids)];
  if (Array.isArray(ids)) return ids.flatMap(flatten);
  return ids !== null && typeof ids === "object" ? Object.values(ids).flatMap(flatten) : [];
}
