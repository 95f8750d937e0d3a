/** The examples of the rows: sentences, and in short what is read in them. For tests and for the knocking-out of rows. */
import type { Claim } from "./claim.ts";

export interface Example {
  readonly sentence: string;
  /** What the sentence says: see `tell`. */
  readonly told: string;
}

const BRACES = /\{([^{}]*)\}/u;

/** The sentences that an example stands for, each with what it says. */
export function expand(example: string): Example[] {
  const [sentence, told = ""] = example.split(" → ") as [string, string?];
  return fill({ sentence, told }, 1);
}

function fill({ sentence, told }: Example, number: number): Example[] {
  const choices = BRACES.exec(sentence)?.[1]?.split("|");
  if (choices === undefined) return [{ sentence, told }];
  return choices.flatMap((word, i) => {
    const words = told.replaceAll(`$${number}`, () => word);
    const parallel = BRACES.exec(words)?.[1]?.split("|");
    return fill({
      sentence: sentence.replace(BRACES, () => word),
      told: parallel?.length === choices.length ? words.replace(BRACES, () => parallel[i]!) : words,
    }, number + 1);
  });
}

/** Claims in short: "user lives in Oslo (replaced, from Rome) [scope]; user not uses Vim?"; "?" marks an unsure one. */
export function tell(claims: readonly Claim[]): string {
  return claims.map(tellClaim).join("; ") || "nothing";
}

function tellClaim(claim: Claim): string {
  const marks = [claim.change, claim.from === null ? null : `from ${claim.from}`, claim.isAddition ? "added" : null]
    .filter((mark) => mark !== null);
  return [
    claim.subject,
    claim.polarity ? "" : "not",
    // What "is" says depends on its respect.
    claim.predicate === "is" && claim.respect !== "attribute" ? `is (${claim.respect})` : claim.predicate,
    claim.value,
    marks.length === 0 ? "" : `(${marks.join(", ")})`,
    claim.scope === "" ? "" : `[${claim.scope}]`,
  ].filter(Boolean).join(" ") + (claim.confidence < 0.8 ? "?" : "");
}
