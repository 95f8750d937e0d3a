/** Makes the claim that somebody has something. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { type Draft, say, upTo } from "./draft.ts";
import { maskValues } from "./values.ts";

export function has(clause: Clause, value: string, more: Partial<Draft> = {}): Claim {
  const said = upTo(value).replace(/^(?:my|our|his|her|their|its|the|an?) /iu, "").replace(
    / (?:named|called) .*$/iu,
    "",
  )
    .replace(/ (?:to|for) (?:my|his|her|their|our|a) .*$/iu, "")
    // "got a spare key made"
    .replace(/(?<=\S ?\p{Ll}{3,}) (?:made|cut|installed)(?= |$).*$/u, "");
  // "18 of them" does not say what it counts.
  const isOpen = /^(?:about |around )?\S+(?: of them)?[.!]?$/iu.test(said) && /^0/u.test(maskValues(said).frame);
  return say(clause, "has", said, { ...more, ...(isOpen && { confidence: 0.4 }) });
}
