/** `/v1/memory/events` */
import * as events from "../../../operations/events.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Events",
  section: "Agents",
  description: "What happened, append-only, listed by time, agent and type.",
};

export const recordEvent = route("post", "/memory/events", events.recordEvent);
export const recordEvents = route("post", "/memory/events/batch", events.recordEvents);
export const listEvents = route("get", "/memory/events", events.listEvents);
export const getEvent = route("get", "/memory/events/{id}", events.getEvent);
export const forgetEvent = route("post", "/memory/events/{id}/forget", events.forgetEvent);
