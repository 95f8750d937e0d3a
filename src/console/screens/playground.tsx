/** Ask what an agent would ask, and see why each result is there. */
export function Playground() {
  return <h1>Playground</h1>;
}
