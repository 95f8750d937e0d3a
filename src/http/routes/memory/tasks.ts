/** `/v1/memory/tasks` */
import * as tasks from "../../../operations/tasks.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Tasks",
  section: "Agents",
  description: "Tasks of agents: states, dependencies, leases, delegation.",
};

export const createTask = route("post", "/memory/tasks", tasks.createTask);
export const listTasks = route("get", "/memory/tasks", tasks.listTasks);
export const getTask = route("get", "/memory/tasks/{id}", tasks.getTask);
export const updateTask = route("patch", "/memory/tasks/{id}", tasks.updateTask);
export const delegateTask = route("post", "/memory/tasks/{id}/delegate", tasks.delegateTask);
export const claimTask = route("post", "/memory/tasks/{id}/claim", tasks.claimTask);
export const forgetTask = route("post", "/memory/tasks/{id}/forget", tasks.forgetTask);
