/**
 * The one gate for statements that a rule or a language model proposes from a conversation.
 *
 * A proposal is kept only if it quotes a span of a turn word for word and says nothing that the turn does not say. The
 * speaker is read from the turn, never from the proposal. A proposal has no member for trust, clearance or workspace, so
 * nothing that a model writes can raise them.
 */
import { z } from "zod";
import { type CommandSpan, findCommands } from "./commands.ts";
import { clockOf, type ConversationTurn, speakerLabel, speakerName } from "./conversation.ts";
import { FACT_TYPES, type FactType } from "./fact_types.ts";
import { doAll, type Pieces } from "./pieces.ts";
import { findQuote, type Folded, foldText } from "./quotes.ts";
import { type Span, splitSentences } from "./sentences.ts";
import { asksForText, isDraft } from "./own_work.ts";
import { saysSo } from "./entailment.ts";
import { resolveTimes } from "./spoken_times.ts";
import { isSingleValued } from "./triples.ts";
import { listContentStems, listWords } from "./tokenise.ts";

/** A statement with its evidence. */
export interface Statement {
  readonly messageId: string;
  /** The role of the quoted turn, from which the attribution follows. */
  readonly role: ConversationTurn["role"];
  readonly statement: string;
  /** `content.slice(start, end)` of the turn. */
  readonly quote: string;
  readonly start: number;
  readonly end: number;
  readonly factType: FactType;
  readonly subject?: string;
  readonly predicate?: string;
  readonly object?: string;
  readonly confidence: number;
  /** It states what was decided. */
  readonly isDecision?: true;
  /** A rule worded it from the turn's own words, its speaker and its time; nobody inferred anything. */
  readonly isPlain?: true;
  /** What is said, without the speaker, the day and the sentences before; absent: the whole statement. */
  readonly words?: string;
  /** Other turns whose words it uses. */
  readonly context?: readonly string[];
}

export type DropReason =
  | "malformed"
  | "unknown_turn"
  | "system_turn"
  | "not_verbatim"
  | "command"
  | "unsupported"
  | "duplicate"
  | "too_many";

export interface ValidatedProposals {
  readonly statements: Statement[];
  /** The proposals that were not kept, by their index in the input. */
  readonly dropped: { readonly index: number; readonly reason: DropReason }[];
}

const STATEMENT_CHARS_MAX = 2_000;
const STATEMENT_BYTES_MAX = 16_384;
const QUOTE_CHARS_MAX = 4_000;
const STATEMENTS_OF_TURN_MAX = 50;
/** Other turns whose words a statement may use. */
const CONTEXT_MAX = 8;
/** The share of a statement's content words that its turn must hold. */
const SUPPORT_MIN = 0.7;
const NEGATION = /\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|hardly|rarely)\b|n't\b/iu;

const Candidate = z.object({
  messageId: z.string().min(1),
  statement: z.string().trim().min(3).max(STATEMENT_CHARS_MAX),
  quote: z.string().trim().min(1).max(QUOTE_CHARS_MAX),
  start: z.number().int().nonnegative().nullish().catch(null),
  factType: z.enum(FACT_TYPES).catch("fact"),
  subject: z.string().trim().max(200).nullish().catch(null),
  predicate: z.string().trim().max(80).nullish().catch(null),
  object: z.string().trim().max(500).nullish().catch(null),
  confidence: z.number().min(0).max(1).catch(0.5),
  isDecision: z.boolean().nullish().catch(null),
  byRule: z.literal(true).nullish().catch(null),
  words: z.string().nullish().catch(null),
  context: z.array(z.string()).max(CONTEXT_MAX).nullish().catch(null),
});
type Candidate = z.infer<typeof Candidate>;

/** A turn with what is computed from it once, however many proposals cite it. */
interface Source {
  readonly turn: ConversationTurn;
  readonly stems: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
  readonly folded: Folded;
  readonly isNegated: boolean;
  readonly commands: readonly CommandSpan[];
  /** It is a text that somebody asked for, in which "I" is nobody who speaks here. */
  isText: boolean;
  statements: number;
}

/** Keeps the proposals that their turns support, in order. Never throws, whatever the proposals are. */
export function validateProposals(
  turns: readonly ConversationTurn[],
  proposals: readonly unknown[],
): ValidatedProposals {
  return doAll(validateEach(turns, proposals));
}

/** The same, a proposal a piece. */
export function* validateEach(
  turns: readonly ConversationTurn[],
  proposals: readonly unknown[],
): Pieces<ValidatedProposals> {
  const byId = new Map<string, ConversationTurn>();
  const speakers = new Set<string>();
  const texts = new Set<string>();
  let asked = false;
  for (const turn of turns) {
    yield void byId.set(turn.messageId, turn);
    for (const word of listWords(speakerName(turn) ?? "", "prose")) speakers.add(word);
    if (turn.role === "assistant" && (asked || isDraft(turn.content))) texts.add(turn.messageId);
    if (turn.role === "user" || turn.role === "assistant") asked = turn.role === "user" && asksForText(turn.content);
  }
  const sources = new Map<string, Source>();
  const seen = new Set<string>();
  const result: ValidatedProposals = { statements: [], dropped: [] };
  for (const [index, proposal] of proposals.entries()) {
    yield;
    const checked = yield* checkProposal(proposal, byId, sources, speakers, texts);
    if (typeof checked === "string") {
      result.dropped.push({ index, reason: checked });
      continue;
    }
    const key = checked.statement.normalize("NFKC").toLowerCase().replace(/[\s.!]+/gu, " ").trim();
    if (seen.has(key)) {
      result.dropped.push({ index, reason: "duplicate" });
      continue;
    }
    seen.add(key);
    result.statements.push(checked);
  }
  return result;
}

/**
 * Makes a statement of a whole turn, as for a pinned one; null if it says nothing. The part beyond 16 KiB is left out.
 * The statement is the turn's own words, whoever spoke them, so it is no instruction either.
 */
export function quoteTurn(turn: ConversationTurn): Statement | null {
  const { content, messageId, role } = turn;
  const prefix = `${speakerLabel(turn)}: `;
  const start = content.length - content.trimStart().length;
  let end = content.trimEnd().length;
  if (end <= start || !content.isWellFormed() || content.includes("\0")) return null;
  const room = STATEMENT_BYTES_MAX - new TextEncoder().encode(prefix).length;
  const { read } = new TextEncoder().encodeInto(content.slice(start, end), new Uint8Array(room));
  end = start + read;
  const quote = content.slice(start, end);
  return { messageId, role, statement: prefix + quote, quote, start, end, factType: "fact", confidence: 0.95 };
}

/** The share of a title's or a summary's content words that the conversation must hold. */
const SUMMARY_SUPPORT_MIN = 0.6;

/**
 * A title or summary that a model proposes, on one line; null unless it is of good form, at most `charsMax` UTF-16 units
 * long, and made of the conversation's words and numbers.
 */
export function keepSupported(
  text: string | undefined,
  turns: readonly ConversationTurn[],
  charsMax: number,
): string | null {
  const trimmed = text?.replace(/\s+/gu, " ").trim() ?? "";
  if (trimmed === "" || trimmed.length > charsMax || !trimmed.isWellFormed() || /\p{Cc}/u.test(trimmed)) return null;
  const all = turns.map((turn) => `${speakerLabel(turn)} ${turn.occurredAt ?? ""} ${turn.content}`).join(" ");
  const known = new Set([...listContentStems(all, "prose"), ...listWords(all, "prose")]);
  const stems = listContentStems(trimmed, "prose");
  const supported = stems.length > 0 &&
    stems.filter((stem) => known.has(stem)).length >= stems.length * SUMMARY_SUPPORT_MIN;
  const numbers = listWords(trimmed, "prose").filter((word) => /\p{N}/u.test(word));
  return supported && numbers.every((number) => known.has(number)) ? trimmed : null;
}

function* checkProposal(
  proposal: unknown,
  turns: ReadonlyMap<string, ConversationTurn>,
  sources: Map<string, Source>,
  speakers: ReadonlySet<string>,
  texts: ReadonlySet<string>,
): Pieces<Statement | DropReason> {
  const parsed = Candidate.safeParse(proposal);
  if (!parsed.success) return "malformed";
  const { data } = parsed;
  const turn = turns.get(data.messageId);
  if (turn === undefined) return "unknown_turn";
  if (turn.role === "system") return "system_turn";
  const statement = data.statement.replace(/\s+/gu, " ");
  if (!statement.isWellFormed() || /\p{Cc}/u.test(statement)) return "malformed";
  const source = yield* findSource(turn, sources);
  source.isText = texts.has(turn.messageId);
  const span = findQuote(turn.content, source.folded, data.quote, data.start ?? 0);
  if (span === null) return "not_verbatim";
  if (source.commands.some(({ start, end }) => span.start < end && span.end > start)) return "command";
  const quote = turn.content.slice(span.start, span.end);
  const context = yield* readContext(data, turn, turns, sources);
  if (context === null) return "unknown_turn";
  if (!isBorneOut(statement, quote, source, context)) return "unsupported";
  if (data.byRule !== true && !isSaid(statement, span, source, speakers)) return "unsupported";
  if (++source.statements > STATEMENTS_OF_TURN_MAX) return "too_many";
  return {
    messageId: turn.messageId,
    role: turn.role,
    statement: attribute(data, statement, source),
    quote,
    ...span,
    // Only users give instructions: an order in a tool's output or in an agent's words is an observation.
    factType: data.factType === "instruction" && turn.role !== "user" ? "observation" : data.factType,
    ...keepTriple(data, source),
    confidence: data.confidence,
    ...(data.isDecision === true && { isDecision: true }),
    ...(data.byRule === true && { isPlain: true, ...(data.words && { words: data.words }) }),
    ...(context.length > 0 && { context: context.map((other) => other.turn.messageId) }),
  };
}

/** Reads the other turns that a proposal names; null if one is unknown, or is of a tool or the system. */
function* readContext(
  data: Candidate,
  turn: ConversationTurn,
  turns: ReadonlyMap<string, ConversationTurn>,
  sources: Map<string, Source>,
): Pieces<Source[] | null> {
  const context: Source[] = [];
  for (const id of new Set(data.context ?? [])) {
    const other = turns.get(id);
    if (other === undefined || other.role === "system" || other.role === "tool") return null;
    if (other === turn) continue;
    context.push(yield* findSource(other, sources));
  }
  return context;
}

function* findSource(turn: ConversationTurn, sources: Map<string, Source>): Pieces<Source> {
  const known = sources.get(turn.messageId);
  if (known !== undefined) return known;
  const source = yield* readSource(turn);
  sources.set(turn.messageId, source);
  return source;
}

function* readSource(turn: ConversationTurn): Pieces<Source> {
  const at = clockOf(turn);
  // A statement may state the dates that the turn's words mean.
  const dated: string[] = [];
  for (const { start, end } of at === null ? [] : splitSentences(turn.content)) {
    yield void dated.push(resolveTimes(turn.content.slice(start, end), at!));
  }
  const text = `${turn.content} ${dated.join(" ")} ${speakerLabel(turn)} ${turn.role} others decided`;
  const date = at === null ? [] : listDateWords(at);
  return {
    turn,
    stems: new Set([...listContentStems(text, "prose"), ...date]),
    words: new Set([...listWords(text, "prose"), ...date]),
    folded: foldText(turn.content),
    isNegated: NEGATION.test(turn.content.replace(/[\u2018\u2019]/g, "'")),
    commands: findCommands(turn.content, turn.role),
    isText: false,
    statements: 0,
  };
}

/** Words with which a statement may state the turn's date, such as 2023, may, 8 and 08. */
function listDateWords(at: Date): string[] {
  const day = at.getUTCDate();
  const month = at.toLocaleString("en-GB", { month: "long", timeZone: "UTC" });
  const number = at.getUTCMonth() + 1;
  return [String(at.getUTCFullYear()), ...listContentStems(month, "prose"), String(day), String(number)]
    .concat(String(day).padStart(2, "0"), String(number).padStart(2, "0"));
}

/**
 * Whether the turn, with its context, has the words of a statement: it contains at least `SUPPORT_MIN` of the statement's content words, every
 * number in the statement and, if the statement has a negation, a negation; the quote contains at least one of its words.
 */
function isBorneOut(statement: string, quote: string, source: Source, context: readonly Source[]): boolean {
  const stems = listContentStems(statement, "prose");
  if (stems.length === 0) return false;
  const all = [source, ...context];
  const share = stems.filter((stem) => all.some((one) => one.stems.has(stem))).length / stems.length;
  if (share < SUPPORT_MIN) return false;
  const isNumber = (word: string) => /\p{N}/u.test(word);
  if (listWords(statement, "prose").some((word) => isNumber(word) && !all.some((one) => one.words.has(word)))) {
    return false;
  }
  if (NEGATION.test(statement) && !all.some(({ isNegated }) => isNegated)) return false;
  const quoted = new Set(listContentStems(quote, "prose"));
  return stems.some((stem) => quoted.has(stem));
}

/** A date that the turn's words mean may be said. */
const CALENDAR =
  /^(?:January|February|March|April|May|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)$/u;

/** Whether a turn says what a model makes of it: see `saysSo`. A name comes from the turn or is a speaker's. */
function isSaid(
  statement: string,
  span: Span,
  source: Source,
  speakers: ReadonlySet<string>,
): boolean {
  const names = statement.split(" ").slice(1).flatMap((word) => /^\p{Lu}[\p{L}\p{N}-]+/u.exec(word)?.[0] ?? []);
  const isKnown = (name: string) =>
    CALENDAR.test(name) || source.words.has(name.toLowerCase()) || speakers.has(name.toLowerCase()) ||
    source.folded.text.includes(name.toLowerCase());
  return names.every(isKnown) && saysSo(statement, span, source.turn, source.isText);
}

/** Puts the speaker's name in front of a statement that does not contain it. */
function attribute(data: Candidate, statement: string, source: Source): string {
  if (data.byRule === true) return statement;
  const label = speakerLabel(source.turn);
  return statement.toLowerCase().includes(label.toLowerCase()) ? statement : `${label}: ${statement}`;
}

/** Keeps a triple only if the turn names its subject and object, and its predicate has one value at a time. */
function keepTriple(data: Candidate, source: Source): Pick<Statement, "subject" | "predicate" | "object"> {
  const { subject, predicate, object } = data;
  if (!subject || !predicate || !object || !isSingleValued(predicate)) return {};
  const isSaid = (text: string) => text.isWellFormed() && source.folded.text.includes(foldText(text).text);
  const isSpeaker = subject === speakerName(source.turn);
  return (isSpeaker || isSaid(subject)) && isSaid(object)
    ? { subject, predicate: predicate.toLowerCase(), object }
    : {};
}
