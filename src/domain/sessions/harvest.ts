/** From what a conversation proposes to the facts that are stored, with their trust and their sources. Pure. */
import { attributeQuote } from "../../language/attribution.ts";
import { type ConversationTurn, speakerLabel, speakerName } from "../../language/conversation.ts";
import { readDecision } from "../../language/decisions.ts";
import type { Statement } from "../../language/proposals.ts";
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

/** A fact that is about to be stored, and why. */
export interface HarvestedFact {
  readonly messageId: string;
  readonly why: (typeof EXTRACTION_REASONS)[number];
  readonly body: CreateFactBody;
}

/** Whoever spoke is trusted for what they said, and for nothing more. */
const ATTRIBUTION_OF_ROLE: Readonly<Record<TurnRole, Attribution>> = {
  user: "user_stated",
  assistant: "agent_stated",
  system: "agent_stated",
  tool: "tool_observed",
};

/** Bytes of a pinned turn that become a statement; the speaker's name is put before them. */
const PINNED_BYTES_MAX = 15_000;
/** A person asked for it. */
const PINNED_CONFIDENCE = 1;

/**
 * Every pinned turn as one fact, and every statement that tells no decision, in the order of the turns. A statement that is the whole of its
 * pinned turn stands for it.
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
    if (!turn.pinned || whole !== undefined) return facts;
    const quote = cutBytes(turn.content, PINNED_BYTES_MAX);
    const statement = attributeQuote(quote, speakerName(turn), speakerLabel(turn));
    const pinned = toBody(session, turn, { statement, quote, factType: "observation", confidence: PINNED_CONFIDENCE });
    return [{ messageId: turn.messageId, why: "pinned", body: pinned }, ...facts];
  });
}

/** A decision that is about to be stored. */
export interface HarvestedDecision {
  readonly messageId: string;
  readonly body: CreateDecisionBody;
}

/**
 * Statements that tell a decision, as decisions; at most `max`, the most certain ones, in their order.
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
    const { title, rationale, alternatives } = readDecision(statement.statement);
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

/** At most `max`: those of pinned turns first, then the most certain; in their order. */
export function keepBest(facts: readonly HarvestedFact[], max: number): HarvestedFact[] {
  if (facts.length <= max) return [...facts];
  const rank = ({ why, body }: HarvestedFact) => (why === "pinned" ? 1 : 0) + body.confidence;
  const kept = new Set(facts.toSorted((a, b) => rank(b) - rank(a)).slice(0, max));
  return facts.filter((fact) => kept.has(fact));
}

/**
 * Whether the statement is its quote with the speaker's name and the dates of its times put to it by rule: then nobody
 * inferred anything. A name that another turn gives is an inference.
 */
function isLiteral(statement: Pick<Statement, "statement" | "quote" | "isPlain">, turn: HarvestTurn): boolean {
  return statement.isPlain === true ||
    statement.statement === attributeQuote(statement.quote, speakerName(turn), speakerLabel(turn));
}

function toBody(
  session: HarvestSession,
  turn: HarvestTurn,
  found: Pick<
    Statement,
    "statement" | "quote" | "factType" | "confidence" | "subject" | "predicate" | "object" | "isPlain" | "context"
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
    occurredAt: turn.occurredAt,
    citations: [
      { messageId: turn.messageId, sessionId: session.id, quote: found.quote },
      ...(found.context ?? []).map((messageId) => ({ messageId, sessionId: session.id })),
    ],
  };
}

/** The longest beginning of a text that has at most `bytesMax` bytes in UTF-8 and cuts no character. */
export function cutBytes(text: string, bytesMax: number): string {
  const bytes = new Uint8Array(bytesMax);
  return text.slice(0, new TextEncoder().encodeInto(text, bytes).read);
}
