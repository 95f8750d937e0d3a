/** Turns the proposals from a conversation into the facts to store, with their trust and sources. Pure. */
import { type ConversationTurn, speakerName } from "../../language/conversation.ts";
import { readDecision } from "../../language/decisions.ts";
import { UTC } from "../../language/local_time.ts";
import type { Statement } from "../../language/proposals.ts";
import { splitSentences } from "../../language/sentences.ts";
import { attribute, isCertainTime } from "../../language/reported_speech.ts";
import { parseDates } from "../../language/dates.ts";
import type { Attribution, Sensitivity } from "../../schema/common.ts";
import { CreateDecisionBody } from "../../schema/decision.ts";
import type { CreateFactBody } from "../../schema/fact.ts";
import type { EXTRACTION_REASONS } from "../../schema/session.ts";
import type { TurnRole } from "../../schema/turn.ts";

/** A turn as collapsing reads it. */
export interface HarvestTurn extends ConversationTurn {
  readonly role: TurnRole;
  readonly pinned: boolean;
  readonly occurredAt: string;
}

export interface HarvestSession {
  readonly id: string;
  readonly sensitivity: Sensitivity;
  readonly tags: readonly string[];
}

/** A fact to store, and the reason. */
export interface HarvestedFact {
  readonly messageId: string;
  readonly why: (typeof EXTRACTION_REASONS)[number];
  readonly body: CreateFactBody;
}

/** Speakers are trusted for what they said, and for nothing more. */
const ATTRIBUTION_OF_ROLE: Readonly<Record<TurnRole, Attribution>> = {
  user: "user_stated",
  assistant: "agent_stated",
  system: "agent_stated",
  tool: "tool_observed",
};

/** Bytes of a pinned turn that become a statement; the speaker's name is put before them. */
const PINNED_BYTES_MAX = 15_000;
/** Certain, because a person asked for it. */
const PINNED_CONFIDENCE = 1;

/**
 * Makes a fact of every pinned turn, and of every statement that tells no decision, in the order of the turns. A
 * statement that covers its whole pinned turn replaces it.
 */
export function harvestFacts(
  session: HarvestSession,
  turns: readonly HarvestTurn[],
  statements: readonly Statement[],
): HarvestedFact[] {
  const facts = statements.filter(({ isDecision }) => isDecision !== true);
  const byTurn = Map.groupBy(facts, (statement) => statement.messageId);
  return turns.flatMap((turn): HarvestedFact[] => {
    const found = byTurn.get(turn.messageId) ?? [];
    const whole = found.find((statement) =>
      statement.quote.trim() === turn.content.trim() && isLiteral(statement, turn)
    );
    const facts = found.map((statement): HarvestedFact => {
      const why = turn.pinned && statement === whole ? "pinned" : isLiteral(statement, turn) ? "stated" : "inferred";
      return { messageId: turn.messageId, why, body: toBody(session, turn, statement) };
    });
    if (!turn.pinned || whole !== undefined || turn.content.trim() === "") return facts;
    const quote = cutBytes(turn.content, PINNED_BYTES_MAX);
    const statement = attribute(quote, turn);
    const pinned = toBody(session, turn, { statement, quote, factType: "observation", confidence: PINNED_CONFIDENCE });
    return [{ messageId: turn.messageId, why: "pinned", body: pinned }, ...facts];
  });
}

/** A decision to store. */
export interface HarvestedDecision {
  readonly messageId: string;
  readonly body: CreateDecisionBody;
}

/**
 * Makes decisions of the statements that tell one; at most `max`, the most certain ones, in their order.
 * @param now nobody has decided anything after it, whatever time a turn has
 */
export function harvestDecisions(
  session: HarvestSession,
  turns: readonly HarvestTurn[],
  statements: readonly Statement[],
  now: Date,
  max: number,
): HarvestedDecision[] {
  const byId = new Map(turns.map((turn) => [turn.messageId, turn]));
  const told = statements.filter(({ isDecision }) => isDecision === true);
  const best = new Set(told.toSorted((a, b) => b.confidence - a.confidence).slice(0, max));
  return told.filter((statement) => best.has(statement)).map((statement): HarvestedDecision => {
    const turn = byId.get(statement.messageId)!;
    const { title, rationale, alternatives } = readDecision(statement.words ?? statement.statement);
    const decidedBy = speakerName(turn);
    const decidedAt = turn.occurredAt < now.toISOString() ? turn.occurredAt : now.toISOString();
    return {
      messageId: turn.messageId,
      body: CreateDecisionBody.parse({
        title,
        decision: statement.statement,
        ...(rationale !== null && { rationale }),
        alternatives,
        ...(decidedBy !== null && { decidedBy }),
        decidedAt,
        attribution: isLiteral(statement, turn) ? ATTRIBUTION_OF_ROLE[turn.role] : "agent_inferred",
        confidence: statement.confidence,
        sensitivity: session.sensitivity,
        tags: [...session.tags],
        metadata: { sessionId: session.id, messageIds: [turn.messageId, ...statement.context ?? []] },
      }),
    };
  });
}

/** Keeps at most `max`: those of pinned turns first, then the most certain; in their order. */
export function keepBest(facts: readonly HarvestedFact[], max: number): HarvestedFact[] {
  if (facts.length <= max) return [...facts];
  const rank = ({ why, body }: HarvestedFact) => (why === "pinned" ? 1 : 0) + body.confidence;
  const kept = new Set(facts.toSorted((a, b) => rank(b) - rank(a)).slice(0, max));
  return facts.filter((fact) => kept.has(fact));
}

/**
 * Whether the statement is its quote, to which rules have added only the speaker's name and the dates of its times:
 * then nobody inferred anything. A name from another turn is an inference.
 */
function isLiteral(statement: Pick<Statement, "statement" | "quote" | "isPlain">, turn: HarvestTurn): boolean {
  return statement.isPlain === true || statement.statement === attribute(statement.quote, turn);
}

function toBody(
  session: HarvestSession,
  turn: HarvestTurn,
  found: Pick<
    Statement,
    | "statement"
    | "words"
    | "quote"
    | "factType"
    | "confidence"
    | "subject"
    | "predicate"
    | "object"
    | "isPlain"
    | "context"
  >,
): CreateFactBody {
  return {
    statement: found.statement,
    subject: found.subject,
    predicate: found.predicate,
    object: found.object,
    factType: found.factType,
    attribution: isLiteral(found, turn) ? ATTRIBUTION_OF_ROLE[turn.role] : "agent_inferred",
    confidence: found.confidence,
    sensitivity: session.sensitivity,
    tags: [...session.tags],
    metadata: {},
    pinned: false,
    derivedFrom: [],
    entityIds: [],
    occurredAt: eventTime(found.words ?? found.statement, turn) ?? turn.occurredAt,
    citations: [
      { messageId: turn.messageId, sessionId: session.id, quote: found.quote },
      ...(found.context ?? []).map((messageId) => ({ messageId, sessionId: session.id })),
    ],
  };
}

const HALF_DAY_MS = 43_200_000;
/** "1961 to 1978" */
const YEAR = /(?<!\d)(?:19|20)\d\d(?!\d)/gu;
const countYears = (statement: string) => statement.match(YEAR)?.length ?? 0;
/** Words before a date that is the bound of a state, or tells which thing is meant, and not when something happened. */
const BOUND = /\b(?:since|until|till|by|from|before|after|of)(?: the)?\s*$/iu;
/** Counted from the day on which it is said. */
const AGO = /\b(?:weeks?|months?|years?) ago\b/iu;
/** Words behind which a time is that of a cause or of another thing. */
const BESIDE =
  /\b(?:because|due|since|caused?|from|which|that|who|whose|as|after|before|like|than|where|when|model|version|edition|vintage|weil|wegen|parce|porque|perché)\b/iu;
const BARE_YEAR = /^(?:(?:in|during|back in) )?(?:\p{L}{3,9}\.? (?:of )?)?(?:19|20)\d\d$/iu;
/** What stands between two clauses, of which only one may be of a year that the statement names. */
const CLAUSES = /[,;:\u2013\u2014] \p{L}|\b(?:and|but|so) (?:i|we|he|she|they|it|that|now|nobody|there)\b/iu;
const BOUND_WITHIN = /^(?:since|until|till|by|from|before|after)\b/iu;

/**
 * When a statement says that something happened, by the clock of its speaker; undefined if it names no time that was over
 * when it was said, or several. The hour is noon, which is on the same day in almost every zone.
 */
function eventTime(statement: string, { occurredAt, utcOffset }: HarvestTurn): string | undefined {
  // Of several sentences one may tell when it happened, and the others what is so.
  if (splitSentences(statement).length > 1) return undefined;
  const told = Date.parse(occurredAt);
  const { windows: [window, ...others], spans: [span] } = parseDates(statement, told, utcOffset ?? UTC);
  if (window === undefined || span === undefined || others.length > 0 || countYears(statement) > 1) return undefined;
  const said = statement.slice(span.start, span.end);
  if (window.yearless || window.to > told || !(isCertainTime(said) || AGO.test(said))) return undefined;
  if (BOUND.test(statement.slice(0, span.start)) || BOUND_WITHIN.test(statement.slice(span.start))) return undefined;
  // "The crown of 2024 broke": a year beside the matter is not its time.
  const lead = statement.slice(0, span.start);
  const isOfYear = BARE_YEAR.test(said.trim());
  if (isOfYear && !/\b(?:in|during) *$/iu.test(lead) && !/^(?:in|during|back in) /iu.test(said)) return undefined;
  if (/\d{4}/u.test(said) && BESIDE.test(lead)) return undefined;
  // "His shed burnt down in 2019, that's why I want an extinguisher", "we lost the tree, planted in 1987".
  if (isOfYear && CLAUSES.test(statement)) return undefined;
  return new Date(window.from + HALF_DAY_MS).toISOString();
}

/** The longest beginning of a text that has at most `bytesMax` bytes in UTF-8 and splits no character. */
export function cutBytes(text: string, bytesMax: number): string {
  const bytes = new Uint8Array(bytesMax);
  return text.slice(0, new TextEncoder().encodeInto(text, bytes).read);
}
