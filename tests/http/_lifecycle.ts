/** A body for each kind of unit that is archived, restored and erased by the same code. */
export interface LifecycleFace {
  readonly type: string;
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
  type: string,
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

export const LIFECYCLE_FACES = [
  face("decision", "decisions", { title: "Harbour", decision: "We build a harbour." }, {
    v2: true,
    status: "accepted",
  }),
  face("strategy", "strategies", { name: "Harbour", situation: "There is a storm.", pattern: "Go to the harbour." }),
  face("workflow", "workflows", { name: "Harbour", steps: ["Enter the harbour."] }),
  face("skill", "skills", { name: "harbour", description: "Finds a harbour.", instructions: "Look at the chart." }, {
    status: "probationary",
  }),
  face("episode", "episodes", { title: "Arrival at the harbour", summary: "The boat came in." }, { v2: true }),
] as const;

/** The same and entities, which are found or made. */
export const UNIT_FACES: readonly Pick<LifecycleFace, "type" | "path" | "body">[] = [
  ...LIFECYCLE_FACES,
  { type: "entity", path: "/v1/memory/entities", body: { canonicalName: "Caroline", entityType: "person" } },
];
