/** `/v1/session` */
import * as session from "../../operations/session.ts";
import { type Group, route } from "../route.ts";

export const GROUP: Group = {
  name: "Sessions",
  section: "Start here",
  place: 1,
  description:
    "Conversations: turns kept verbatim, a scratchpad, context for the next reply, and collapse into knowledge.",
};

export const startSession = route("post", "/session", session.startSession);
export const listSessions = route("get", "/session", session.listSessions);
export const getSession = route("get", "/session/{id}", session.getSession);
export const addTurns = route("post", "/session/{id}/turns", session.addTurns);
export const listTurns = route("get", "/session/{id}/turns", session.listTurns);
export const eraseTurn = route("delete", "/session/{id}/turns/{messageId}", session.eraseTurn);
export const pinTurn = route("post", "/session/{id}/pin", session.pinTurn);
export const patchScratchpad = route("post", "/session/{id}/scratch", session.patchScratchpad);
export const getSessionContext = route("get", "/session/{id}/context", session.getSessionContext);
export const collapseSession = route("post", "/session/{id}/collapse", session.collapseSession);
export const discardSession = route("delete", "/session/{id}", session.discardSession);
export const purgeSession = route("post", "/session/{id}/purge", session.purgeSession);
