import assert from "node:assert/strict";
import { BUILT_IN_UNRELATED, measureUnrelated, scaleOf } from "./cosine_scale.ts";
import { SentenceEncoder } from "./sentence_encoder/sentence_encoder.ts";

const encoder = new SentenceEncoder({ dimension: 256, mode: "on" });
const embed = (texts: readonly string[]) => encoder.embed(texts, { purpose: "document" });

Deno.test("the built-in encoder's own unrelated texts are as near as is written down", async () => {
  const { mean, nearest } = await measureUnrelated(embed);
  assert.ok(Math.abs(mean - BUILT_IN_UNRELATED.mean) < 0.002, `${mean}`);
  assert.ok(Math.abs(nearest - BUILT_IN_UNRELATED.nearest) < 0.002, `${nearest}`);
});

Deno.test("the cosines of a model that holds all texts for alike are stretched to those of the encoder", async () => {
  for (const alike of [0, 0.5, 0.75, 0.9]) {
    // A component that all texts share: the cosine of two is `alike` and of the rest what the encoder says.
    const unrelated = await measureUnrelated(async (texts) =>
      (await embed(texts)).map((vector) => {
        const length = Math.hypot(...vector);
        return Float32Array.of(...vector.map((value) => Math.sqrt(1 - alike) * value / length), Math.sqrt(alike));
      })
    );
    const { slope, offset } = scaleOf(unrelated)!;
    for (const cosine of [0, 0.3, 0.8]) {
      const read = slope * (alike + (1 - alike) * cosine) + offset;
      assert.ok(Math.abs(read - cosine) < 0.01, `${cosine} is read as ${read} at ${alike}`);
    }
  }
});

Deno.test("a model that does not tell texts apart has no scale", async () => {
  const blind = await measureUnrelated((texts) => Promise.resolve(texts.map(() => Float32Array.of(1, 0))));
  assert.equal(scaleOf(blind), undefined);
  assert.equal(scaleOf({ mean: NaN, nearest: NaN }), undefined);
});
