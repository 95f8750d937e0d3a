/** How units hang together, around one of them. The service places the nodes; the list says the same in words. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Graph as Net, GraphEdge, PlacedNode, UnitType } from "../../../clients/typescript/mod.ts";
import { go, href, type ScreenProps } from "../router.ts";
import { svc } from "../session.ts";
import { theme } from "../theme.ts";
import { State } from "../ui/badge.tsx";
import { Button, Check, DateField, Select, TextField } from "../ui/form.tsx";
import { useAction, useLoad } from "../ui/load.ts";
import { Alert, Empty, Loaded } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { TYPES } from "../ui/unit.tsx";
import { Words } from "../ui/words.tsx";

const NODES = 200, NODES_MOST = 1_000, EDGES_A_NODE = 5;
const SIZES = [NODES, 500, NODES_MOST].map((n) => ({ value: String(n), label: `${n.toLocaleString()} nodes` }));

const DEPTHS = ["1", "2", "3"].map((n) => ({ value: n, label: n === "1" ? "one step" : `${n} steps` }));

/** One colour for each type, distinct in both themes; the legend names them. */
const COLOURS: Readonly<Record<UnitType, string>> = {
  fact: "#3f7ae0",
  entity: "#d9822b",
  decision: "#a854c7",
  episode: "#2a9d6f",
  skill: "#c94f6d",
  strategy: "#7a8b2e",
  workflow: "#4a9fb5",
};

export function Graph({ query }: ScreenProps) {
  const { around = "", asOf = "", limit = String(NODES), depth = "1" } = query;
  const isList = useSignal(false);
  const load = useLoad((signal) => readGraph({ around, asOf, limit, depth }, signal), [around, asOf, limit, depth]);
  const set = (next: Record<string, string>) => go("/graph", { ...query, ...next }, { replace: true });
  return (
    <>
      <h1>Graph</h1>
      <div class="row filters">
        <Select label="Size" options={SIZES} value={limit} onChange={(to) => set({ limit: to })} />
        {around !== "" && (
          <Select
            label="How far"
            options={DEPTHS}
            value={depth}
            onChange={(to) => set({ depth: to })}
          />
        )}
        <DateField label="As of" value={asOf} onInput={(to) => set({ asOf: to })} />
        <Check label="Show as list" checked={isList.value} onChange={(on) => isList.value = on} />
        <Centre choose={(id) => set({ around: id })} />
        {around !== "" && <a href={href("/graph")}>Show all</a>}
      </div>
      <Loaded load={load} what="the graph">
        {({ net, centre }) =>
          net.nodes.length === 0
            ? <Empty title="There is nothing to draw">Nodes appear as statements are stored.</Empty>
            : (
              <>
                <p class="lead">
                  {centre === "" ? "What was related last." : (
                    <>
                      Around <Words text={net.nodes.find(({ id }) => id === centre)?.label ?? "what is not shown"} />
                    </>
                  )}
                </p>
                {net.truncated && (
                  <Alert tone="info">
                    Not all is shown: the graph reached its{" "}
                    {net.truncatedBy.join(" and ")}. Choose a node to look around it.
                  </Alert>
                )}
                {isList.value ? <List net={net} /> : <Drawing net={net} around={centre} />}
              </>
            )}
      </Loaded>
    </>
  );
}

/** The graph around a unit; without one what was related last, or around an entity if nothing was related by hand. */
async function readGraph(
  { around, asOf, limit, depth }: Record<"around" | "asOf" | "limit" | "depth", string>,
  signal: AbortSignal,
) {
  const ask = (centre: string) =>
    svc.getGraph({
      limit: Number(limit),
      edgeLimit: EDGES_A_NODE * Number(limit),
      implied: true,
      ...(centre && { around: centre, depth: Number(depth) }),
      ...(asOf && { asOf }),
    }, {
      signal,
    });
  const net = await ask(around);
  if (around !== "" || net.nodes.length > 0) return { net, centre: around };
  const [entity] = (await svc.listEntities({ limit: 1 }, { signal })).data;
  return entity === undefined ? { net, centre: "" } : { net: await ask(entity.id), centre: entity.id };
}

/** A field that finds the entity to look around by its name. */
function Centre({ choose }: { readonly choose: (id: string) => void }) {
  const name = useSignal(""), fault = useSignal("");
  const [run] = useAction();
  const find = () =>
    run(async () => {
      const [found] = (await svc.listEntities({ q: name.value.trim(), limit: 1 })).data;
      fault.value = found === undefined ? "No entity has such a name." : "";
      if (found !== undefined) choose(found.id);
    });
  return (
    <form class="row" onSubmit={(event) => (event.preventDefault(), name.value.trim() !== "" && find())}>
      <TextField
        label="Centre on"
        type="search"
        placeholder="a name"
        value={name.value}
        fault={fault.value}
        onInput={(text) => name.value = text}
      />
      <Button type="submit">Go</Button>
    </form>
  );
}

function endsOf({ sourceId, targetId, participants }: GraphEdge): readonly string[] {
  return sourceId !== null && targetId !== null ? [sourceId, targetId] : participants?.map(({ id }) => id) ?? [];
}

function Drawing({ net, around }: { readonly net: Net; readonly around: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const hovered = useSignal<PlacedNode | undefined>(undefined);
  const draw = () => canvas.current && paint(canvas.current, net, around, hovered.value?.id);
  useEffect(() => {
    draw();
    addEventListener("resize", draw);
    return () => removeEventListener("resize", draw);
  }, [net, around, hovered.value, theme.value]);
  const nodeAt = (event: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    return nearest(net.nodes, event.clientX - box.left, event.clientY - box.top, box.width, box.height);
  };
  return (
    <figure class="graph">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${net.nodes.length} nodes and ${net.edges.length} connections; “Show as list” names them`}
        onMouseMove={(event) => hovered.value = nodeAt(event)}
        onMouseLeave={() => hovered.value = undefined}
        onClick={(event) => {
          const node = nodeAt(event);
          if (node !== undefined) go("/graph", { around: node.id });
        }}
      />
      <figcaption>
        <ul class="legend">
          {Object.entries(TYPES).filter(([type]) => net.nodes.some((node) => node.type === type)).map((
            [type, name],
          ) => (
            <li key={type}>
              <svg viewBox="0 0 10 10" aria-hidden="true">
                <circle cx="5" cy="5" r="5" fill={COLOURS[type as UnitType]} />
              </svg>
              {name}
            </li>
          ))}
        </ul>
        <p class="quiet">
          {hovered.value === undefined ? "Point at a node to read it; click it to look around it." : (
            <>
              <Words text={hovered.value.label} /> ({TYPES[hovered.value.type].toLowerCase()})
            </>
          )}
        </p>
      </figcaption>
    </figure>
  );
}

const MARGIN = 16, REACH = 12;

function placeOf({ x, y }: PlacedNode, width: number, height: number): readonly [number, number] {
  return [MARGIN + (x + 1) / 2 * (width - 2 * MARGIN), MARGIN + (y + 1) / 2 * (height - 2 * MARGIN)];
}

function nearest(nodes: readonly PlacedNode[], x: number, y: number, width: number, height: number) {
  let best: PlacedNode | undefined, least = REACH;
  for (const node of nodes) {
    const [nodeX, nodeY] = placeOf(node, width, height), distance = Math.hypot(nodeX - x, nodeY - y);
    if (distance < least) least = distance, best = node;
  }
  return best;
}

/** Draws all of it at once: a thousand nodes and five thousand edges take one frame. */
function paint(canvas: HTMLCanvasElement, { nodes, edges }: Net, around: string, chosen: string | undefined): void {
  const { clientWidth: width, clientHeight: height } = canvas, scale = devicePixelRatio;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext("2d")!, style = getComputedStyle(canvas);
  pen.scale(scale, scale);
  const places = new Map(nodes.map((node) => [node.id, placeOf(node, width, height)]));
  pen.strokeStyle = style.getPropertyValue("border-color");
  pen.lineWidth = 1;
  pen.beginPath();
  const lit: (readonly [number, number])[][] = [];
  for (const edge of edges) {
    const ends = endsOf(edge), at = ends.flatMap((id) => places.get(id) === undefined ? [] : [places.get(id)!]);
    if (at.length < 2) continue;
    if (ends.includes(chosen ?? around)) lit.push(at);
    for (const other of at.slice(1)) pen.moveTo(...at[0]!), pen.lineTo(...other);
  }
  pen.stroke();
  pen.strokeStyle = style.color;
  pen.beginPath();
  for (const at of lit) for (const other of at.slice(1)) pen.moveTo(...at[0]!), pen.lineTo(...other);
  pen.stroke();
  for (const { id, type, degree } of nodes) {
    const radius = 3 + Math.min(5, Math.sqrt(degree)), [x, y] = places.get(id)!;
    pen.fillStyle = COLOURS[type];
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.fill();
    if (id === chosen || id === around) pen.stroke();
  }
  name(pen, nodes, places, style, around, chosen);
}

const NAMED = 24, NAME_LENGTH = 28;

/** Names the nodes with most connections, and those that the person looks at. */
function name(
  pen: CanvasRenderingContext2D,
  nodes: readonly PlacedNode[],
  places: ReadonlyMap<string, readonly [number, number]>,
  style: CSSStyleDeclaration,
  around: string,
  chosen: string | undefined,
): void {
  pen.fillStyle = style.color;
  pen.font = `12px ${style.fontFamily}`;
  const most = [...nodes].sort((a, b) => b.degree - a.degree).slice(0, NAMED);
  for (const { id, label } of new Set([...most, ...nodes.filter(({ id: one }) => one === around || one === chosen)])) {
    const [x, y] = places.get(id)!;
    pen.fillText(label.length > NAME_LENGTH ? `${label.slice(0, NAME_LENGTH)}…` : label, x + 9, y + 4);
  }
}

function List({ net: { nodes, edges } }: { readonly net: Net }) {
  const of = new Map(nodes.map((node) => [node.id, node]));
  const link = (id: string) => {
    const node = of.get(id);
    return node === undefined ? <span class="quiet">not shown</span> : (
      <a href={href(`/unit/${id}`)}>
        <Words text={node.label} />
      </a>
    );
  };
  const ties = edges.flatMap((edge, i) => {
    const [from, ...to] = endsOf(edge);
    return from === undefined ? [] : to.map((target) => ({ key: `${i} ${target}`, from, target, verb: edge.verb }));
  });
  return (
    <>
      <Table
        caption="nodes"
        rows={nodes}
        keyOf={({ id }) => id}
        columns={[
          { head: "What", isWide: true, cell: ({ id }) => link(id) },
          { head: "Type", cell: ({ type }) => TYPES[type] },
          { head: "State", cell: ({ status }) => <State of={status} /> },
          { head: "Connections", isNumber: true, cell: ({ degree }) => degree },
        ]}
      />
      <h2 class="section">Connections</h2>
      <Table
        caption="connections"
        rows={ties}
        keyOf={({ key }) => key}
        columns={[
          { head: "From", cell: ({ from }) => link(from) },
          { head: "How", cell: ({ verb }) => verb.replaceAll("_", " ") },
          { head: "To", isWide: true, cell: ({ target }) => link(target) },
        ]}
      />
    </>
  );
}
