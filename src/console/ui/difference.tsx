/** Two versions of something, as what went and what came. */
import { diffWordsWithSpace } from "diff";
import type { FactClaim } from "../../../clients/typescript/mod.ts";
import { sayClaim } from "./unit.tsx";
import { Words } from "./words.tsx";

/** Longer texts are compared as wholes: word by word takes too long. */
const COMPARED = 4_000;

/** Two texts in one: what went is crossed out, what came is underlined. */
export function TextDifference({ was, is }: { readonly was: string; readonly is: string }) {
  if (was.length + is.length > COMPARED) {
    return (
      <>
        <del>
          <Words text={was} />
        </del>{" "}
        <ins>
          <Words text={is} />
        </ins>
      </>
    );
  }
  return (
    <bdi class="words">
      {diffWordsWithSpace(was, is).map(({ value, added, removed }, i) =>
        added ? <ins key={i}>{value}</ins> : removed ? <del key={i}>{value}</del> : value
      )}
    </bdi>
  );
}

/** What changes with every version, or follows from other members. */
const NOT_COMPARED = new Set(["version", "updatedAt", "contentHash", "worth", "invisibleText"]);

/** The members of two versions of a resource that differ. */
export function Difference({ was, is }: { readonly was: object; readonly is: object }) {
  const before = was as Record<string, unknown>, after = is as Record<string, unknown>;
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !NOT_COMPARED.has(name) && say(before[name]) !== say(after[name]));
  if (changed.length === 0) return <span class="quiet">nothing that it says</span>;
  return (
    <dl class="difference">
      {changed.map((name) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <TextDifference was={say(before[name])} is={say(after[name])} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function say(value: unknown): string {
  if (value == null || value === "" || (Array.isArray(value) && value.length === 0)) return "none";
  if (Array.isArray(value) && value.every(isClaim)) return value.map(sayClaim).join("; ");
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}

function isClaim(value: unknown): value is FactClaim {
  return typeof value === "object" && value !== null && "polarity" in value && "predicate" in value;
}
