/**
 * Words that exclude each other: two statements that differ in such words say different things, however similar they
 * are otherwise. Pure.
 */
import { stemWord } from "./tokenise.ts";

/** A line for each group. */
const GROUPS = `
monday tuesday wednesday thursday friday saturday sunday weekday weekend
january february march april may june july august september october november december
spring summer autumn winter
morning noon afternoon evening night
hourly daily nightly weekly monthly quarterly yearly annually
open closed shut
enabled disabled
activated deactivated
active inactive archived
allowed permitted forbidden banned prohibited denied
approved accepted rejected declined pending
public private confidential secret
together apart alone
internal external
paid unpaid
signed unsigned
minimum maximum
min max
more less
raise lower increase decrease reduce
increased decreased reduced
short long detailed brief
big small large
high low
hot cold warm
old new
left right
north south east west
up down
before after
start stop end
begin end
buy sell
bought sold
win lose
won lost
love hate like dislike
loves hates likes dislikes
always never sometimes
true false
first second third last
male female
married divorced engaged single widowed
dark light
black white red green blue yellow orange purple pink brown grey gray
senior junior
staging production development
read write
import export
encrypted unencrypted
required optional
online offline
manual automatic
vegetarian vegan pescatarian
success failure
succeeded failed
passing failing
present absent
asleep awake
broken intact whole
empty full occupied
experimental stable unstable
alive dead
awake asleep
busy free
wet dry
locked unlocked
on off
onboard ashore
heated unheated
overweight slim thin skinny
rich poor
strong weak
happy sad unhappy
furnished unfurnished
crowded deserted
loud quiet
fast slow
safe dangerous
clean dirty polluted
tidy messy
visible hidden
legal illegal
compulsory mandatory voluntary
sober drunk
blocked passable
remote onsite
employed unemployed retired
`;

const groupsOf = new Map<string, Set<number>>();
for (const [group, line] of GROUPS.trim().split("\n").entries()) {
  for (const word of line.split(" ")) {
    const stem = stemWord(word, "search");
    groupsOf.set(stem, (groupsOf.get(stem) ?? new Set()).add(group));
  }
}

/** Whether two stems of the search form exclude each other. */
export function areOpposed(a: string, b: string): boolean {
  const groups = groupsOf.get(b);
  return a !== b && groups !== undefined && groupsOf.get(a)?.isDisjointFrom(groups) === false;
}
