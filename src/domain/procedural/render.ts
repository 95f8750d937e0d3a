/** Renders a version of the playbook as Markdown, and the difference of two versions; without I/O. */
import { type PromptDiff, type PromptRule, RULE_SECTIONS, type RuleSection } from "../../schema/procedural.ts";
import { countTokens } from "../common/tokens.ts";

const TITLES: Readonly<Record<RuleSection, string>> = {
  strategies: "What works",
  pitfalls: "What to avoid",
  tools: "Tools",
  formats: "Formats",
  other: "Other",
};

export interface Rendered {
  readonly prompt: string;
  readonly tokens: number;
  /** Ids of rules that did not fit. */
  readonly omitted: readonly string[];
}

/** Renders as many rules as fit, in order; no rule is cut. */
export function renderPrompt(version: number, rules: readonly PromptRule[], maxTokens: number): Rendered {
  const kept: PromptRule[] = [];
  const omitted: string[] = [];
  let prompt = write(version, kept);
  for (const rule of rules) {
    const longer = write(version, [...kept, rule]);
    if (countTokens(longer) > maxTokens) {
      omitted.push(rule.id);
      continue;
    }
    kept.push(rule);
    prompt = longer;
  }
  return { prompt, tokens: countTokens(prompt), omitted };
}

function write(version: number, rules: readonly PromptRule[]): string {
  const parts = [
    `# Playbook, version ${version}`,
    "Rules from experience. Report by their ids which helped and which harmed.",
  ];
  for (const section of RULE_SECTIONS) {
    const own = rules.filter((rule) => rule.section === section);
    if (own.length > 0) {
      parts.push(`## ${TITLES[section]}`, own.map((rule) => `- [${rule.id}] ${rule.text}`).join("\n"));
    }
  }
  return parts.join("\n\n") + "\n";
}

/** Whether two versions have the same rules; their order does not matter. */
export function hasSameRules(a: readonly PromptRule[], b: readonly PromptRule[]): boolean {
  const { added, removed, changed } = diffRules(a, b);
  return added.length + removed.length + changed.length === 0;
}

export function diffRules(before: readonly PromptRule[], after: readonly PromptRule[]): PromptDiff {
  const [old, fresh] = [before, after].map((rules) => new Map(rules.map((rule) => [rule.id, rule])));
  return {
    added: after.filter((rule) => !old!.has(rule.id)),
    removed: before.filter((rule) => !fresh!.has(rule.id)),
    changed: before.flatMap((rule) => {
      const now = fresh!.get(rule.id);
      const isSame = now === undefined ||
        (now.text === rule.text && now.section === rule.section && now.pinned === rule.pinned);
      return isSame ? [] : [{ before: rule, after: now }];
    }),
  };
}
