import assert from "node:assert/strict";
import { tellsEnd } from "./ended.ts";

/** What was said before, and what somebody says later. */
const ENDS = [
  ["My go-to editor for everything is Sublime Text", "lol ok I caved, its Zed all day now. Sublime is uninstalled"],
  ["i go to the gym on tuesdays", "quit the gym"],
  ["We pay for a Netflix family plan", "cancelled netflix, nobody watched it"],
  ["Ana works at Initech", "Ana's no longer at Initech"],
  ["I eat meat", "i dont eat meat anymore"],
  ["The book club meets on Thursdays", "book club got called off for good"],
  ["Deliveries for the bakery come on Thursdays", "so Thursdays are over"],
  ["I take Italian lessons with Paola", "gave up on italian, no time"],
  ["Ich gehe freitags zum Yoga", "yoga mache ich nicht mehr"],
  ["Wir haben ein Abo bei der Zeitung", "Zeitung gekündigt"],
  ["Je mange de la viande", "je ne mange plus de viande"],
  ["Bebo café por la mañana", "ya no bebo café"],
  ["Vado in piscina il lunedì", "ho smesso di andare in piscina"],
  ["We huren een garage in de stad", "garage opgezegd"],
  ["Я пью кофе по утрам", "я больше не пью кофе"],
  ["我每天喝咖啡", "我不再喝咖啡了"],
] as const;

const GOES_ON = [
  ["Ana works at Initech", "Ana works from home now"],
  ["Ana lives in Berlin with Tom", "Tom doesn't snore anymore"],
  ["I go to the gym on Tuesdays", "gym buddy quit smoking"],
  ["I go to the gym on Tuesdays", "she quit the gym"],
  ["I go to the gym on Tuesdays", "should I quit the gym?"],
  ["I go to the gym on Tuesdays", "thinking of quitting... nearly quit the gym"],
  ["I go to the gym on Tuesdays", "not gonna quit the gym"],
  ["I go to the gym on Tuesdays", "I haven't given up on the gym"],
  ["I go to the gym on Tuesdays", "quit the gym, then went back to it"],
  ["Standup is at nine", "standup is cancelled tomorrow"],
  ["Standup is at nine", "Friday's standup is cancelled, Omar's ill"],
  ["The concert is on 3 May", "the concert is not cancelled any more"],
  ["I quit smoking in May", "still no cigarettes, quit smoking for good"],
  ["Netflix and Spotify are on my card", "cancelled Spotify"],
  ["Netflix, Hulu and Spotify are on my card", "cancelled Spotify"],
  ["My card pays for Netflix, Hulu, and Spotify", "cancelled Spotify"],
  ["yoga & pilates on mondays", "yoga is cancelled"],
  ["The build runs in 4 minutes", "the build is over at 12:40"],
  ["We have 150 users", "we have over 200 users"],
  ["The café on Elm Street opens at 8", "the café opens at 7 now, no more queue"],
  ["Ich gehe freitags zum Yoga", "wenn es so weitergeht, mache ich kein Yoga mehr"],
  ["Bebo café por la mañana", "quiero dejar el café"],
  ["The library closes at six", "the library is no longer closed on Mondays"],
  ["The library closes at six", "the library is no longer closed"],
  ["Marta leads the data team", "Marta stopped by the data team"],
  ["The app supports Firefox", "the app no longer crashes on Firefox"],
  ["Tengo un perro", "ya no tengo miedo al perro"],
  ["Je cours le matin", "je cours plus vite le matin"],
] as const;

Deno.test("a statement says that the matter of another one has ended, in people's words and other languages", () => {
  for (const [older, newer] of ENDS) assert.ok(tellsEnd(older, newer), `${older} / ${newer}`);
});

Deno.test("a wish, a plan, a doubt, one day, somebody else's end, or one of several things is no end", () => {
  for (const [older, newer] of GOES_ON) assert.ok(!tellsEnd(older, newer), `${older} / ${newer}`);
});
