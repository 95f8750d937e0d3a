// deno-lint-ignore-file
import { saysSo } from "../../src/language/support.ts";
import { writeOut } from "../../src/language/informal.ts";
const turn = { messageId: "m", role: "user", name: "Caroline", content: "You are good at chess." } as any;
console.log(writeOut(turn.content), saysSo("Caroline is good at chess", { start: 0, end: 22 }, turn, false));
const t2 = { ...turn, content: "I’ve moved to  Oslo with 2 cats.\nMy favourite colour is green!" } as any;
console.log(saysSo("Caroline moved to Oslo by 8 May 2023", { start: 5, end: 19 }, t2, false));
