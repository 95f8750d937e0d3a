/** The service's answers in words, for people at a terminal. Texts from the memory are made harmless here. */
import type { OutputOf } from "../../../clients/typescript/mod.ts";
import { faint, oneLine, plain, plainJson } from "./text.ts";

export function tellWhoami({ workspace, key, scopes, server, maxSensitivity, expiresAt }: OutputOf<"whoami">): string {
  return plain([
    `workspace  ${oneLine(workspace.name)} (${workspace.id}, ${workspace.region})`,
    `key        ${key === null ? "none: an admin's grant" : `${oneLine(key.name)} (${key.id})`}`,
    `scopes     ${scopes.join(", ")}`,
    `clearance  ${maxSensitivity}`,
    `expires    ${expiresAt ?? "never"}`,
    `service    ${server.version}`,
  ].join("\n"));
}

interface Recalled {
  readonly id: string;
  readonly type: string;
  readonly text: string;
  readonly score: number;
  readonly trustScore: number;
  readonly contested: boolean;
  readonly stale: boolean;
  readonly outdatedBy?: string;
  readonly newer?: {
    readonly id: string;
    readonly text: string;
    readonly occurredAt: string;
    readonly ended?: true | undefined;
  };
  readonly occurredAt: string | null;
  readonly validFrom: string | null;
}

/** A result as one line: its text, then its kind and its trust. */
export function tellResult(result: Recalled): string {
  const at = (result.occurredAt ?? result.validFrom)?.slice(0, 10);
  const marks = [
    `${result.type} ${result.id}`,
    `score ${result.score.toFixed(2)}`,
    `trust ${result.trustScore}`,
    ...(result.contested ? ["contested"] : []),
    ...(result.stale ? ["stale"] : []),
    ...(result.outdatedBy === undefined ? [] : [`outdated by ${result.outdatedBy}`]),
    ...(at === undefined ? [] : [at]),
  ];
  const { newer } = result;
  const later = newer === undefined
    ? ""
    : `\n    said later${newer.ended ? ", it has ended" : ""}: ${oneLine(newer.text)} ${
      faint(`[${oneLine(`${newer.id}, ${newer.occurredAt.slice(0, 10)}`)}]`)
    }`;
  return `- ${oneLine(result.text)} ${faint(`[${oneLine(marks.join(", "))}]`)}${later}`;
}

const NOTHING = "Nothing relevant is stored.";

export function tellRecalled({ results, pinned }: OutputOf<"recall">): string {
  const all = [...pinned, ...results.filter(({ id }) => !pinned.some((one) => one.id === id))];
  return all.length === 0 ? NOTHING : all.map(tellResult).join("\n");
}

export function tellExplained({ results, whyNot, evidenceConfidence }: OutputOf<"explainRecall">): string {
  const lines = results.flatMap((result) => [
    tellResult(result),
    `    ${oneLine(result.why)}`,
    faint(
      `    ${
        oneLine(
          result.scoreDetails.arms.map(({ arm, rank, score }) => `${arm} #${rank} ${score.toFixed(3)}`).join(", "),
        )
      }`,
    ),
  ]);
  return [
    ...(lines.length === 0 ? [NOTHING] : lines),
    ...whyNot.map(({ id, reason, explanation }) => `- not ${oneLine(id)}: ${oneLine(`${reason}, ${explanation}`)}`),
    `How likely the answer is among them: ${evidenceConfidence}`,
  ].join("\n");
}

export function tellRemembered(fact: OutputOf<"createFact">): string {
  return oneLine(`Stored ${fact.id}: ${fact.statement}`);
}

export function tellEdit({ status, operations: [done] }: OutputOf<"editSelf">): string {
  const outcome = done?.outcome ?? status;
  // An agent alone cannot undo what a person said.
  if (outcome === "review") return oneLine(`Waits for a person to decide: review ${done?.reviewItemId ?? ""}`);
  const { conflict } = done ?? {};
  const contested = conflict?.outcome === "contested"
    ? `; it contradicts what is stored (${
      conflict.factIds.join(", ")
    }): a person is asked (review ${conflict.reviewItemId})`
    : "";
  return oneLine(`${outcome === "applied" ? "Corrected" : outcome} ${done?.resourceId ?? ""}${contested}`);
}

interface Unit {
  readonly id: string;
  readonly unit: object | null;
}

export function tellUnits({ units }: { readonly units: readonly Unit[] }): string {
  return units.filter(({ unit }) => unit !== null).map((one) => plainJson(one)).join("\n");
}
