import type { UnitType } from "../../src/schema/unit.ts";

/** A body for each kind of unit that is archived, restored and erased by the same code. */
export interface LifecycleFace {
  readonly type: UnitType;
  readonly path: string;
  /** The member of a batch. */
  readonly many: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The paths under which it is forgotten and restored. */
  readonly faces: readonly string[];
  /** The state in which it begins. */
  readonly status: string;
}

function face(
  type: UnitType,
  many: string,
  body: LifecycleFace["body"],
  more: { readonly v2?: true; readonly status?: string } = {},
): LifecycleFace {
  const path = `/v1/memory/${many}`;
  return {
    type,
    path,
    many,
    body,
    faces: [path, ...(more.v2 ? [`/v1/${many}`] : [])],
    status: more.status ?? "active",
  };
}

/** A body of each type, so that a new type cannot be forgotten. */
const LASTING: Readonly<Record<Exclude<UnitType, "fact" | "entity">, LifecycleFace>> = {
  decision: face("decision", "decisions", { title: "Harbour", decision: "We build a harbour." }, {
    v2: true,
    status: "accepted",
  }),
  strategy: face("strategy", "strategies", {
    name: "Harbour",
    situation: "There is a storm.",
    pattern: "Go to the harbour.",
  }),
  workflow: face("workflow", "workflows", { name: "Harbour", steps: ["Enter the harbour."] }),
  skill: face("skill", "skills", {
    name: "harbour",
    description: "Finds a harbour.",
    instructions: "Look at the chart.",
  }, { status: "probationary" }),
  episode: face("episode", "episodes", { title: "Arrival at the harbour", summary: "The boat came in." }, { v2: true }),
};
export const LIFECYCLE_FACES = Object.values(LASTING);

/** The same, and entities, which are found or created. */
export const UNIT_FACES: readonly Pick<LifecycleFace, "type" | "path" | "body">[] = [
  ...LIFECYCLE_FACES,
  { type: "entity", path: "/v1/memory/entities", body: { canonicalName: "Caroline", entityType: "person" } },
];
