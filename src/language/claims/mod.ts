/** Rules for English that read claims in statements and relate newer claims to older ones. */
export {
  CHANGES,
  type Claim,
  type ClaimChange,
  type ClaimRelation,
  NAMELESS,
  type Respect,
  RESPECTS,
} from "./claim.ts";
export { SURE_MIN } from "./draft.ts";
export { isFramed, isRequest, takesBack } from "./framing.ts";
export { exclusiveOfClaim, toGivenClaim } from "./given.ts";
export { readClaims, readRoughly } from "./read.ts";
export { maskValues } from "./values.ts";
export { keyOfClaim, relateAll, relateClaims } from "./relate.ts";
export { showPredicate } from "./sound.ts";
export { NUMBER_WORDS } from "./values.ts";
