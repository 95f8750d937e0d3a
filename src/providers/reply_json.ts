/** The JSON in a model's reply. */

/**
 * The outermost JSON object of a reply, unchecked; undefined if there is none. Models often think aloud first and fence
 * their JSON.
 */
export function readJsonObject(text: string): unknown {
  const thought = text.lastIndexOf("</think>");
  const answer = thought === -1 ? text : text.slice(thought + "</think>".length);
  try {
    return JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1));
  } catch {
    return undefined;
  }
}
