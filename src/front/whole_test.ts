import assert from "node:assert/strict";
import { mergePages } from "./whole.ts";

Deno.test("pages of metrics become one: each described once, each sample with its worker", () => {
  const page = (n: number) =>
    "# HELP a_total What it is\n# TYPE a_total counter\n" +
    `a_total{path="/x y}",b="c"} ${n}\na_total ${n}\n\n# HELP h Times\n# TYPE h histogram\nh_bucket{le="+Inf"} ${n}\nh_sum 0.5\n`;
  const own = '# HELP up Is it up\n# TYPE up gauge\nup{worker="0"} 1\n';
  assert.equal(
    mergePages([{ worker: 0, text: page(1) }, { worker: 1, text: page(2) }, { text: own }]),
    `# HELP a_total What it is
# TYPE a_total counter
a_total{worker="0",path="/x y}",b="c"} 1
a_total{worker="0"} 1
a_total{worker="1",path="/x y}",b="c"} 2
a_total{worker="1"} 2

# HELP h Times
# TYPE h histogram
h_bucket{worker="0",le="+Inf"} 1
h_sum{worker="0"} 0.5
h_bucket{worker="1",le="+Inf"} 2
h_sum{worker="1"} 0.5

# HELP up Is it up
# TYPE up gauge
up{worker="0"} 1
`,
  );
});
