/** The layer program's rules: each is asked for. */
import type { Mutation } from "./mutation.ts";

const TEST = { test: "scripts/gate/check_layers_test.ts", filter: "the program asks for every rule" } as const;
const FILE = "scripts/gate/check_layers.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "layers: what a layer may import",
    file: FILE,
    defence: "    ...edges.flatMap((edge) => judgeEdge(edge) ?? []),\n",
    instead: "",
    ...TEST,
  },
  {
    name: "layers: floors of rooms",
    file: FILE,
    defence: "    ...edges.flatMap((edge) => judgeFloors(edge) ?? []),\n",
    instead: "    ...edges.flatMap((edge) => judgeFloors({ ...edge, to: edge.from }) ?? []),\n",
    ...TEST,
  },
  {
    name: "layers: entrances and second names",
    file: FILE,
    defence: "    ...edges.flatMap((edge) => judgeEntrance(edge, files) ?? []),\n",
    instead: "    ...edges.flatMap((edge) => judgeEntrance({ ...edge, to: edge.from }, files) ?? []),\n",
    ...TEST,
  },
  {
    name: "layers: places of files",
    file: FILE,
    defence: "    ...judgePlaces(files),\n",
    instead: "    ...judgePlaces(new Set()),\n",
    ...TEST,
  },
  {
    name: "layers: circles of files",
    file: FILE,
    defence: '    ...findCircles(product).map((circle) => `circle of imports: ${circle.join(", ")}`),\n',
    instead: '    ...findCircles(product.slice(0, 0)).map((circle) => `circle of imports: ${circle.join(", ")}`),\n',
    ...TEST,
  },
  {
    name: "layers: circles of folders",
    file: FILE,
    defence: '    ...findFolderCircles(edges).map((circle) => `circle of folders: ${circle.join(", ")}`),\n',
    instead: '    ...findFolderCircles([]).map((circle) => `circle of folders: ${circle.join(", ")}`),\n',
    ...TEST,
  },
];
