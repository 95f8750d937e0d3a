/** Renders a profile as text for a system prompt, within a token budget; without I/O. */
import type { SelfProfile } from "../../schema/self_profile.ts";
import { countTokens } from "../common/tokens.ts";

export type ProfileParts = Pick<
  SelfProfile,
  "subjects" | "preferences" | "facts" | "decisions" | "openTasks" | "recentChanges"
>;

/** The longest line, in characters, so that one long fact does not displace ten short ones. */
const LINE_MAX = 300;

type SectionName = "preferences" | "facts" | "decisions" | "subjects" | "recentChanges";

interface Section {
  readonly name: SectionName;
  readonly title: string;
  /** The share of the budget, before leftovers are given away. */
  readonly share: number;
}

/** The sections in the order of the text, in which they also get leftovers. */
const SECTIONS: readonly Section[] = [
  { name: "preferences", title: "Preferences and instructions", share: 0.3 },
  { name: "facts", title: "Key facts", share: 0.3 },
  { name: "decisions", title: "Decisions", share: 0.15 },
  { name: "subjects", title: "About", share: 0.1 },
  { name: "recentChanges", title: "Recent changes", share: 0.1 },
];

function clip(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  if (line.length <= LINE_MAX) return line;
  // Surrogate pairs are not split.
  return `${line.slice(0, LINE_MAX - 1).replace(/[\uD800-\uDBFF]$/u, "")}…`;
}

/** The profile with as many lines of each section as the budget holds; the structured parts hold the same. */
export function packProfile(parts: ProfileParts, maxTokens: number): Omit<SelfProfile, "asOfSeq"> {
  const clipped = clipParts(parts);
  const lines = linesOf(clipped);
  const head = ["# Memory profile", ...(parts.openTasks > 0 ? [`Open tasks: ${parts.openTasks}`] : [])];
  const counts = chooseCounts(lines, maxTokens - countTokens(head.join("\n")));
  const blocks = SECTIONS.filter(({ name }) => counts[name] > 0).map(({ name, title }) =>
    [`## ${title}`, ...lines[name].slice(0, counts[name])].join("\n")
  );
  const text = [head.join("\n"), ...blocks].join("\n\n");
  return {
    text,
    tokens: countTokens(text),
    truncated: SECTIONS.some(({ name }) => counts[name] < lines[name].length),
    subjects: clipped.subjects.slice(0, counts.subjects),
    preferences: clipped.preferences.slice(0, counts.preferences),
    facts: clipped.facts.slice(0, counts.facts),
    decisions: clipped.decisions.slice(0, counts.decisions),
    openTasks: parts.openTasks,
    recentChanges: clipped.recentChanges.slice(0, counts.recentChanges),
  };
}

function clipParts(parts: ProfileParts): ProfileParts {
  return {
    ...parts,
    subjects: parts.subjects.map((subject) => ({ ...subject, name: clip(subject.name) })),
    preferences: parts.preferences.map(clipFact),
    facts: parts.facts.map(clipFact),
    decisions: parts.decisions.map((decision) => {
      return { ...decision, title: clip(decision.title), decision: clip(decision.decision) };
    }),
    recentChanges: parts.recentChanges.map((change) => {
      return { ...change, text: change.text === null ? null : clip(change.text) };
    }),
  };
}

function clipFact(fact: SelfProfile["facts"][number]): SelfProfile["facts"][number] {
  const { text, newer } = fact;
  return { ...fact, text: clip(text), ...(newer && { newer: { ...newer, text: clip(newer.text) } }) };
}

function linesOf(parts: ProfileParts): Readonly<Record<SectionName, readonly string[]>> {
  const marks = (fact: { pinned?: boolean; contested?: boolean; stale: boolean }) =>
    [fact.pinned && "pinned", fact.contested && "contested", fact.stale && "stale"].filter(Boolean).map((m) => `, ${m}`)
      .join("");
  const fact = (item: SelfProfile["facts"][number]) => `- ${item.text} [${item.id}${marks(item)}]${laterOf(item)}`;
  return {
    subjects: parts.subjects.map(({ name, id, mentions }) => `- ${name} (${mentions})${id === null ? "" : ` [${id}]`}`),
    preferences: parts.preferences.map(fact),
    facts: parts.facts.map(fact),
    decisions: parts.decisions.map((item) =>
      `- ${item.title}: ${item.decision} [${item.id}, ${item.status}${marks(item)}]`
    ),
    recentChanges: parts.recentChanges.map(({ kind, id, text }) =>
      `- ${kind}${text === null ? "" : `: ${text}`} [${id}]`
    ),
  };
}

function laterOf({ newer }: SelfProfile["facts"][number]): string {
  if (newer === undefined) return "";
  const { id, text, occurredAt, ended } = newer;
  return ` (said later, ${occurredAt.slice(0, 10)}${ended ? ", it has ended" : ""}: ${text} [${id}])`;
}

/** How many lines of each section fit: first within its share, then within the leftovers. */
function chooseCounts(
  lines: Readonly<Record<SectionName, readonly string[]>>,
  budget: number,
): Record<SectionName, number> {
  const counts = Object.fromEntries(SECTIONS.map(({ name }) => [name, 0])) as Record<SectionName, number>;
  let left = budget;
  const take = (name: SectionName, title: string, until: number) => {
    for (let spent = 0; counts[name] < lines[name].length;) {
      // Each line also costs its break, and the first one its title and a blank line.
      const heading = counts[name] === 0 ? `\n\n## ${title}` : "";
      const cost = countTokens(`${heading}\n${lines[name][counts[name]]}`);
      if (cost > left || spent + cost > until) return;
      spent += cost;
      left -= cost;
      counts[name]++;
    }
  };
  for (const { name, title, share } of SECTIONS) take(name, title, Math.floor(budget * share));
  for (const { name, title } of SECTIONS) take(name, title, Infinity);
  return counts;
}
