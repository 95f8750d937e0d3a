/** Decides who may claim which attribution, and how much trust it gives. */
import type { OperationContext } from "../../context.ts";
import { ServiceError } from "../../errors.ts";
import { type Attribution, isCleared, SENSITIVITIES, type Sensitivity, TRUST_SCORES } from "../../schema/common.ts";

/** No cap: the unit was derived from no other. */
export const TRUST_CAP_NONE = 100;

/** Attributions of what people stated or verified: no agent, no consolidation and no peer overwrites it. */
export const PROTECTED_ATTRIBUTIONS = ["verified", "user_stated"] as const;

/** Whether people stated or verified a unit. */
export function isProtected({ attribution }: { readonly attribution: string }): boolean {
  return (PROTECTED_ATTRIBUTIONS as readonly string[]).includes(attribution);
}

/** The trust of a unit: the score of its attribution, bounded by the trust of its sources. */
export function trustOf(attribution: Attribution, cap: number): number {
  return Math.min(TRUST_SCORES[attribution], cap);
}

/** The least trust among sources. */
export function capOf(sources: readonly { readonly trustScore: number }[]): number {
  return Math.min(TRUST_CAP_NONE, ...sources.map((source) => source.trustScore));
}

/**
 * Refuses an attribution that the caller may not claim: only administrators of the memory may give `verified`, and only
 * the receipt from a peer gives `federation_received`.
 * @throws ServiceError `insufficient_scope`, `validation_failed`
 */
export function requireClaimable(ctx: OperationContext, attribution: Attribution): void {
  if (attribution === "verified" && !ctx.scopes.has("memory:admin")) {
    throw new ServiceError("insufficient_scope", "Cannot attribute as verified: the key lacks the scope memory:admin");
  }
  if (attribution === "federation_received") {
    throw new ServiceError("validation_failed", "Cannot attribute as federation_received: it cannot be claimed", {
      errors: [{ path: "attribution", message: "cannot be claimed" }],
    });
  }
}

/** @throws ServiceError `validation_failed` when the sensitivity is above the caller's clearance. */
export function requireClearance(ctx: OperationContext, sensitivity: Sensitivity): void {
  if (isCleared(sensitivity, ctx.maxSensitivity)) return;
  throw new ServiceError("validation_failed", `Cannot store: sensitivity ${sensitivity} is above the key's clearance`, {
    errors: [{ path: "sensitivity", message: `must be at most ${ctx.maxSensitivity}` }],
  });
}

/** The most sensitive of some. */
export function mostSensitive(first: Sensitivity, ...others: readonly Sensitivity[]): Sensitivity {
  return others.reduce((a, b) => SENSITIVITIES.indexOf(b) > SENSITIVITIES.indexOf(a) ? b : a, first);
}

/** The less sensitive of two, so that every reader that saw the one or sees the other is notified. */
export function leastSensitive(a: Sensitivity, b: Sensitivity): Sensitivity {
  return SENSITIVITIES.indexOf(b) < SENSITIVITIES.indexOf(a) ? b : a;
}
