/** What an expression of PromQL asks for: names of metrics with the labels that it uses of each. */
import type { SyntaxNode } from "@lezer/common";
import { parser } from "@prometheus-io/lezer-promql";

export interface Selected {
  /** As it stands there, with `_bucket`, `_sum` or `_count` of a histogram. */
  readonly metric: string;
  /** Labels that it is filtered by, and those that sums over it keep. */
  readonly labels: readonly string[];
  /** Filters `label="value"`, without those by patterns and by `!=`. */
  readonly values: readonly (readonly [label: string, value: string])[];
}

/** @throws Error where the expression cannot be read. */
export function readPromql(expr: string): Selected[] {
  const tree = parser.parse(expr);
  const text = (node: SyntaxNode) => expr.slice(node.from, node.to);
  tree.iterate({
    enter: ({ type, from }) => {
      if (type.isError) throw new Error(`Cannot read ${JSON.stringify(expr)}: it is wrong at character ${from}`);
    },
  });
  const selected: Selected[] = [];
  const visit = (node: SyntaxNode, kept: readonly string[]) => {
    if (node.name === "VectorSelector") {
      const [name] = children(node, "Identifier");
      if (name === undefined) throw new Error(`Cannot read ${JSON.stringify(expr)}: a selector names no metric`);
      const matchers = children(node, "LabelMatchers").flatMap((matcher) => leaves(matcher));
      const values = matchers.filter(({ operator }) => operator === "=").map(({ label, value }) =>
        [label, value] as const
      );
      selected.push({ metric: text(name), labels: [...kept, ...matchers.map(({ label }) => label)], values });
    }
    const grouping = children(node, "AggregateModifier").flatMap((modifier) =>
      descendants(modifier, "LabelName").map(text)
    );
    for (let child = node.firstChild; child !== null; child = child.nextSibling) visit(child, [...kept, ...grouping]);
  };
  const leaves = (matchers: SyntaxNode) =>
    ["UnquotedLabelMatcher", "QuotedLabelMatcher"].flatMap((name) => descendants(matchers, name)).map((matcher) => ({
      label: text(matcher.firstChild!),
      operator: text(children(matcher, "MatchOp")[0]!),
      value: JSON.parse(text(matcher.lastChild!)) as string,
    }));
  visit(tree.topNode, []);
  return selected;
}

function children(node: SyntaxNode, name: string): SyntaxNode[] {
  return node.getChildren(name);
}

function descendants(node: SyntaxNode, name: string): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  node.cursor().iterate(({ node: inner }) => {
    if (inner.name === name && inner.from >= node.from && inner.to <= node.to) found.push(inner);
  });
  return found;
}
