/**
 * A conversation in the form that the extraction and summary rules read: plain data, no identifiers of the database.
 */
import { toWallClock, UTC } from "./local_time.ts";

export interface ConversationTurn {
  readonly messageId: string;
  readonly role: "user" | "assistant" | "system" | "tool";
  readonly name?: string | null | undefined;
  readonly content: string;
  /** RFC 3339. */
  readonly occurredAt?: string | null | undefined;
  /** The offset of the speaker's clock then, such as "+09:00"; default: UTC. */
  readonly utcOffset?: string | null | undefined;
}

/** What the speaker's clock showed, as a date whose members in UTC are those of the clock; null if nobody knows when. */
export function clockOf({ occurredAt, utcOffset }: ConversationTurn): Date | null {
  const ms = occurredAt == null ? NaN : Date.parse(occurredAt);
  return Number.isNaN(ms) ? null : new Date(toWallClock(ms, utcOffset ?? UTC));
}

const NAME_CHARS_MAX = 80;

/** The speaker's name on one line, or null when the turn has none. Names are the caller's data and may hold anything. */
export function speakerName(turn: Pick<ConversationTurn, "name">): string | null {
  const name = (turn.name ?? "").toWellFormed().replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return name === "" ? null : [...name].slice(0, NAME_CHARS_MAX).join("").trim();
}

/** The label before a speaker's words: the name, or else the role. */
export function speakerLabel(turn: ConversationTurn): string {
  return speakerName(turn) ?? turn.role[0]!.toUpperCase() + turn.role.slice(1);
}
