/** `/v1/memory/recall` */
import * as recalls from "../../../operations/recall.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Recall",
  section: "Start here",
  place: 2,
  description: "Ask a question and get ranked evidence. No language model is called.",
};

export const recall = route("post", "/memory/recall", recalls.recall);
export const recallHot = route("post", "/memory/recall/hot", recalls.recallHot);
export const recallUnified = route("post", "/memory/recall/unified", recalls.recallUnified);
export const explainRecall = route("post", "/memory/recall/explain", recalls.explainRecall);
export const recallBatch = route("post", "/memory/recall/batch", recalls.recallBatch);
