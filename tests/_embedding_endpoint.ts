/** A real model behind the shape of OpenAI's embeddings: the built-in encoder, as another program would serve it. */
import type { ReceivedRequest } from "../src/providers/_fault_server.ts";
import { SentenceEncoder } from "../src/providers/sentence_encoder/sentence_encoder.ts";

export const MODEL = "all-MiniLM-L6-v2";
export const DIMENSION = 384;

const encoder = new SentenceEncoder({ dimension: DIMENSION, mode: "on" });

/** The vectors of the texts that a request asks for, of length 1. */
export async function encode({ body }: ReceivedRequest): Promise<number[][]> {
  const vectors = await encoder.embed(body.input as string[], { purpose: "document" });
  return vectors.map((vector) => {
    const length = Math.hypot(...vector);
    return Array.from(vector, (value) => value / length);
  });
}

/** The reply to a request, whose vectors a fault may spoil. */
export async function reply(
  request: ReceivedRequest,
  spoil: (vector: number[]) => readonly unknown[] = (vector) => vector,
): Promise<Response> {
  const data = (await encode(request)).map((vector, index) => ({
    object: "embedding",
    index,
    embedding: spoil(vector),
  }));
  const tokens = Math.ceil(request.body.input.join("").length / 4);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return Response.json({ object: "list", model: request.body.model, data, usage });
}
