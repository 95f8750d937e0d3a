/** Units of knowledge as lists and screens show them. */
import type {
  Attribution,
  FactClaim,
  KnowledgeUnit,
  SoughtUnit,
  UnitState,
  UnitType,
} from "../../../clients/typescript/mod.ts";
import { href } from "../router.ts";
import { Badge, State } from "./badge.tsx";
import { Words } from "./words.tsx";

/** The types of units, as people call them. */
export const TYPES: Readonly<Record<UnitType, string>> = {
  fact: "Fact",
  decision: "Decision",
  episode: "Episode",
  entity: "Entity",
  skill: "Skill",
  strategy: "Strategy",
  workflow: "Workflow",
};

/** States in the order in which people look for them. */
export const STATES: readonly UnitState[] = [
  "active",
  "contested",
  "superseded",
  "expired",
  "retracted",
  "archived",
  "proposed",
  "accepted",
  "rejected",
  "probationary",
  "retired",
  "merged",
];

/** Who said so, in words. */
export const ATTRIBUTIONS: Readonly<Record<Attribution, string>> = {
  verified: "verified",
  user_stated: "a person said so",
  tool_observed: "a tool saw it",
  document_cited: "a document says so",
  agent_stated: "an agent said so",
  agent_inferred: "an agent concluded it",
  imported: "imported",
  federation_received: "from another instance",
  unverified: "nobody vouches for it",
};

/** What a unit says, in one text. */
export function textOf(unit: KnowledgeUnit): string {
  switch (unit.type) {
    case "fact":
      return unit.statement;
    case "decision":
      return `${unit.title}: ${unit.decision}`;
    case "episode":
      return unit.summary ? `${unit.title}: ${unit.summary}` : unit.title;
    case "entity":
      return unit.canonicalName;
    case "skill":
      return `${unit.name}: ${unit.description}`;
    case "strategy":
      return `${unit.name}: ${unit.situation}`;
    case "workflow":
      return `${unit.name}: ${unit.goal}`;
  }
}

/** A claim in words. */
export function sayClaim({ subject, polarity, predicate, object }: FactClaim): string {
  return `${subject} ${polarity === "negative" ? "not " : ""}${predicate} ${object}`;
}

/** A unit's text, with what says that it is not simply in force. */
export function UnitWords({ unit, isLink }: {
  readonly unit: KnowledgeUnit;
  /** Its text leads to its screen. */
  readonly isLink?: boolean;
}) {
  return (
    <>
      <Words
        text={textOf(unit)}
        invisible={unit.invisibleText}
        {...(isLink && { leadsTo: href(`/unit/${unit.id}`) })}
      />
      {unit.pinned && <Badge tone="info" title="Recall always returns it">pinned</Badge>}
      {unit.stale && <State of="stale" />}
    </>
  );
}

/** Where a statement that was made later can be read. */
export function addressOf({ id, sessionId }: { readonly id: string; readonly sessionId?: string }): string {
  return sessionId === undefined ? href(`/unit/${id}`) : href(`/sessions/${sessionId}`, { turn: id });
}

/** A way to a unit whose text may not be known: above the key's clearance, or erased. */
export function UnitLink({ unit }: { readonly unit: SoughtUnit["unit"] | undefined }) {
  if (unit == null) return <span class="quiet">a unit that you may not see, or that was erased</span>;
  return (
    <span class="unit-link">
      {TYPES[unit.type]} <UnitWords unit={unit} isLink /> <State of={unit.status} />
    </span>
  );
}

/** 0 to 100: how far to trust it, and who said so. */
export function Trust({ unit }: { readonly unit: Pick<KnowledgeUnit, "trustScore" | "attribution"> }) {
  return <span class="trust" title="Trust, from 0 to 100">{unit.trustScore}, {ATTRIBUTIONS[unit.attribution]}</span>;
}
