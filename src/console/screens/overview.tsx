/** What the memory holds, what waits for a person, and what changes, as it happens. */
import { svc } from "../session.ts";
import { useLoad } from "../ui/load.ts";
import { Loaded } from "../ui/states.tsx";

export function Overview() {
  const load = useLoad(() => svc.getUnits({ limit: 1 }), []);
  return (
    <>
      <h1>Overview</h1>
      <Loaded load={load}>
        {({ data }) => <p>{data.length === 0 ? "The memory is empty." : "The memory is in use."}</p>}
      </Loaded>
    </>
  );
}
