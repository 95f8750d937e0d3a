/** How a rule makes a claim of a clause. */
import type { Change, Claim, Respect } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { cleanValue, stemsOf } from "./values.ts";

/** From this confidence on a claim is sure enough to end an older one. */
export const SURE_MIN = 0.8;
const PLAIN = 0.9;
const PASSING = 0.4;
const FUTURE = 0.6;

export interface Draft {
  readonly respect: Respect;
  readonly predicate: string;
  readonly value: string;
  readonly subject?: string;
  readonly polarity?: boolean;
  readonly change?: Change | null;
  readonly from?: string | null;
  readonly confidence?: number;
}

/** A rule reads the claims of a clause; null: the rule does not apply. An empty list: the clause claims nothing. */
export type Rule = (clause: Clause) => readonly Claim[] | null;

/** The claim that a rule reads, with what the clause says of its certainty. */
export function draw(clause: Clause, draft: Draft): Claim {
  const { value, scope } = draft.respect === "relation"
    ? { value: cleanValue(draft.value), scope: [] }
    : splitScope(draft.value);
  const change = clause.isStill ? null : draft.change ?? (clause.hasEnded ? "ended" : clause.isNew ? "began" : null);
  const from = draft.from ?? clause.from;
  return {
    subject: draft.subject ?? clause.subject,
    respect: draft.respect,
    predicate: draft.predicate,
    value,
    polarity: draft.polarity ?? !clause.isDenied,
    change,
    from: from === null ? null : cleanValue(from),
    scope: [...new Set([...stemsOf(clause.lead), ...scope])].sort().join(" "),
    isAddition: clause.isAddition,
    confidence: Math.min(draft.confidence ?? PLAIN, confidenceOf(clause)),
  };
}

function confidenceOf(clause: Clause): number {
  if (clause.isPassing || clause.isBounded) return PASSING;
  return clause.modal === "will" && !clause.isNew && clause.from === null ? FUTURE : 1;
}

/** A purpose ("for billing questions") and a part limit what is said. */
function splitScope(text: string): { readonly value: string; readonly scope: string[] } {
  const value = cleanValue(text);
  const match = /^(.+?) (?:for|when|whenever|while|because|to) (?!days?\b|\d)(.+)$/iu.exec(value);
  if (match === null) return { value, scope: [] };
  return { value: cleanValue(match[1]!), scope: stemsOf(match[2]!) };
}

/** The text up to the next clause, reason or purpose. */
export function upTo(text: string): string {
  return text.split(
    /,\s(?!\p{Lu}\p{Ll}+[.!]*$)|[;!](?:\s|$)|(?<!\b(?:St|Dr|Mr|Mrs|Ms|Prof|No|Inc))\.(?:\s|$)|\s(?:because|since|so that|who|which|where|to be|and|but|with my|with his|with her|after|when|while)\s/u,
  )[0]!.trim();
}
