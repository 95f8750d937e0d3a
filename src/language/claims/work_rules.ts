/** Rules for whom somebody works for, and what they belong to. */
import { isTeam } from "./change_rules.ts";
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { type Draft, ENDED, say, upTo } from "./draft.ts";
import { home } from "./home_rules.ts";
import { isNamedPlace } from "./places.ts";
import { related } from "./relation_rules.ts";
import { isOccupation, role } from "./role_rules.ts";
import { type Row, rowsWith } from "./row.ts";
import { cleanValue, firstValue } from "./values.ts";

const COMPANY = /^(?:the )?\p{Lu}/u;
const GROUP_WORD =
  /\b(?:club|team|choir|band|church|gym|society|association|party|union|group|league|board|committee|school|university|college|programme|program|course|class|list)\b/iu;
const NO_PLACE = /^(?:home|school|work|at|in|by|to|the (?:meeting|call|party|room|house|table|office)|a )/iu;

/** Verbs for activities besides work. */
const ASIDE =
  /\b(?:on the side|in (?:my|his|her|their) (?:spare|free) time|part[- ]time|as a (?:hobby|volunteer)|(?:on|at) (?:the )?weekends?|(?:on|every) (?:\p{L}+day)s?(?: \p{L}+)?|at nights?|in the (?:evening|morning|afternoon|holiday)s?|during (?:the )?(?:summer|winter)|sometimes)[.!]?$/iu;

function work(clause: Clause, company: string, more: Partial<Draft> = {}): Claim {
  return say(clause, "works at", upTo(company), more);
}

function joined(clause: Clause, company: string, from?: string): Claim {
  return work(clause, company, { change: "replaced", ...(from !== undefined && { from }) });
}

/** Who leaves something may have worked for it, belonged to it, lived in it or played for it. */
function left(clause: Clause, what: string): Claim[] {
  const value = upTo(what).replace(/ to (?:join|work|start|found|become|pursue) .*$/iu, "");
  return ["works at", "is a member of", "lives in", "plays for"].map((predicate) =>
    say(clause, predicate, value, ENDED)
  );
}

/** Employment: for whom somebody works, joins and leaves. */
export const WORK: readonly Row[] = [
  {
    name: "works for somebody as something",
    verbs: "work",
    match: /^(?:at|for) (.+)$/iu,
    claims: (clause, [, at]) => {
      if (firstValue(at!)) return null;
      const as = /^(.+?) as (.+)$/iu.exec(upTo(at!));
      return as === null ? [work(clause, at!)] : [work(clause, as[1]!), role(clause, as[2]!)];
    },
    says: [
      "I work {at|for} a bank. → user works at bank",
      "I work at Shell as a geologist. → user works at Shell; user works as geologist",
    ],
    saysNot: ["I work at 9 am.", "I work in a bank."],
  },
  {
    name: "works as something at a company",
    verbs: "work",
    match: /^as (.+)$/iu,
    claims: (clause, [, post]) => {
      const place = ASIDE.test(clause.rest)
        ? null
        : /^(.+?) (?:at|for|with) ((?:the |an? )?\p{Lu}.+)$/u.exec(upTo(post!));
      return place === null ? [role(clause, post!)] : [role(clause, place[1]!), work(clause, place[2]!)];
    },
    says: [
      "I work as a nurse. → user works as nurse",
      "I work as a nurse {at|for|with} St Mary's. → user works as nurse; user works at St Mary's",
      "I work as a nurse at {the Red Cross|a BP station|an RAF base}. → user works as nurse; user works at {Red Cross|BP station|RAF base}",
      "I work as a guide at Shell {on the side|in my spare time|in her free time|part-time|part time|as a hobby|as a volunteer|at weekends|on the weekend|on Saturdays|every Friday night|at night|in the evening|in the mornings|in the holidays|in summer|during the winter|over the holidays|now and then|sometimes|this week}. → user works as {guide at Shell on the side|guide at Shell in my spare time|guide at Shell in her free time|guide at Shell part-time|guide at Shell part time|guide at Shell as a hobby|guide at Shell as a volunteer|guide at Shell at weekends|guide at Shell on the weekend|guide at Shell on Saturdays|guide at Shell every Friday night|guide at Shell at night|guide at Shell in the evening|guide at Shell in the mornings|guide at Shell in the holidays|guide; user works at Shell|guide at Shell during the winter?|guide; user works at Shell|guide (began); user works at Shell (began)|guide at Shell sometimes|guide?; user works at Shell?}",
    ],
    saysNot: ["I work at Shell as a nurse."],
  },
  {
    name: "works in a field at a company",
    verbs: "work",
    is: "present",
    when: ({ rest }) => !ASIDE.test(rest),
    head: /^in (?!the |shifts |an? |my |our )[\p{Ll} ]+ (?:at|for) (\p{Lu}.+)$/u,
    claims: (clause, [, company]) => [work(clause, company!)],
    says: ["I work in sales {at|for} Shell. → user works at Shell"],
    saysNot: ["I work in {the office|shifts|a bar|an office|my room|our shop} at Shell."],
  },
  {
    name: "is employed",
    verbs: "employ",
    is: "passive",
    match: /^(?:(?:at|by|with) )?(.*)$/iu,
    claims: (clause, [, company]) => [work(clause, company!)],
    says: ["I'm employed {at|by|with} Shell. → user works at Shell"],
    saysNot: ["They employ Ben."],
  },
  {
    name: "was hired by a company",
    verbs: "hire headhunt poach recruit",
    is: "passive",
    match: /^by (.+)$/iu,
    claims: (clause, [, company]) => [joined(clause, company!)],
    says: ["I've been {hired|headhunted|poached|recruited} by Shell. → user works at Shell (replaced)"],
    saysNot: ["I've been hired for a year."],
  },
  {
    name: "belongs to a group",
    verbs: "belong",
    match: /^to (.+)$/iu,
    claims: (clause, [, group]) => [say(clause, "is a member of", upTo(group!))],
    says: ["I belong to the rowing club. → user is a member of rowing club"],
    saysNot: ["I belong here."],
  },
  {
    name: "sits on a board",
    verbs: "sit",
    match: /^on (the .+)$/iu,
    claims: (clause, [, group]) => [say(clause, "is a member of", upTo(group!))],
    says: ["I sit on the school board. → user is a member of school board"],
    saysNot: ["I sit on a chair."],
  },
  {
    name: "plays for a club",
    verbs: "play",
    is: "present",
    match: /^for (\p{Lu}.*)/u,
    claims: (clause, [, club]) => [say(clause, "plays for", upTo(club!))],
    says: ["Ben plays for Leeds United. → Ben plays for Leeds United"],
    saysNot: ["Ben plays for fun."],
  },
  {
    name: "goes to a school",
    verbs: "go",
    is: "present",
    match: /^to (\p{Lu}.*\b(?:School|High|Elementary|College|University|Academy|Kindergarten)\b.*)$/u,
    claims: (clause, [, school]) => [say(clause, "attend", upTo(school!))],
    says: ["Ben goes to Leeds {School|High|Elementary|College|University|Academy|Kindergarten}. → Ben attend Leeds $1"],
    saysNot: ["Ben goes to Leeds."],
  },
  {
    name: "retires",
    verbs: "retire",
    is: "settled",
    when: ({ isPassive, isPast, isPerfect }) => !(isPassive && (isPast || isPerfect)),
    match: /^[.!]*$/,
    claims: (clause) => [
      say(clause, "works at", "", ENDED),
      say(clause, "status", "retired", { change: "began" }),
    ],
    says: ["Ben {has retired|is retired|retired}. → Ben not works at (ended); Ben status retired (began)"],
    saysNot: ["Redux was retired."],
  },
  {
    name: "starts at a company",
    verbs: "start",
    is: "settled",
    match: /^(?:working )?(?:at|for) (\p{Lu}.*)/u,
    claims: (clause, [, company]) => [joined(clause, company!)],
    says: ["I've started {at|for|working at|working for} Shell. → user works at Shell (replaced)"],
    saysNot: ["I've started at noon."],
  },
  ...rowsWith({ is: "settled past" }, [
    {
      name: "was fired by a company",
      verbs: "lay fire dismiss",
      is: "passive",
      match: /^(?:off )?by (.+)/iu,
      claims: (clause, [, company]) => [work(clause, company!, ENDED)],
      says: ["I was {laid off|fired|dismissed|let go} by Shell. → user not works at Shell (ended)"],
      saysNot: ["I was fired at noon."],
    },
    {
      name: "lost a job",
      verbs: "lose quit leave",
      is: "active",
      match: /^(?:my|his|her|their) (?:job|position|post)(?: (?:at|with) (.+))?[.!]?$/iu,
      claims: (clause, [, company]) => [work(clause, company ?? "", ENDED)],
      says: [
        "I've {lost|quit|left} {my|his|her|their} {job|position|post}. → user not works at (ended)",
        "I've lost my job {at|with} Shell. → user not works at Shell (ended)",
      ],
      saysNot: ["I've lost my keys."],
    },
    {
      name: "handed in one's notice",
      verbs: "hand",
      is: "active",
      match: /^in (?:my|his|her|their) (?:notice|resignation)(?: (?:at|to|with) (.+))?[.!]?$/iu,
      claims: (clause, [, company]) => [work(clause, company ?? "", ENDED)],
      says: [
        "I've handed in {my|his|her|their} {notice|resignation}. → user not works at (ended)",
        "I've handed in my notice {at|to|with} Shell. → user not works at Shell (ended)",
      ],
      saysNot: ["I've handed in my homework."],
    },
    {
      name: "a company fired somebody",
      verbs: "lay fire dismiss let",
      is: "active",
      match: /^(me|\p{Lu}\p{L}+)( off| go)?[.!]?$/u,
      claims: (clause, [, person, way]) =>
        /^(?:lay|let)$/.test(clause.lemma) && way === undefined
          ? null
          : [work(clause, clause.subjectText, { ...ENDED, subject: person === "me" ? clause.speaker : person! })],
      says: [
        "Shell {fired|dismissed} me. → user not works at Shell (ended)",
        "Shell laid {me|Ben} off. → {user|Ben} not works at Shell (ended)",
        "Shell let me go. → user not works at Shell (ended)",
      ],
      saysNot: ["Shell laid me.", "Shell let me."],
    },
    {
      name: "left a name for another",
      verbs: "leave",
      match: /^(?:the )?(\p{Lu}[\p{L}&.' -]*?) for (\p{Lu}.+)$/u,
      claims: (clause, [, before, next]) =>
        isNamedPlace(before!) && isNamedPlace(cleanValue(next!))
          ? [home(clause, next!, "replaced", before!)]
          : [joined(clause, next!, before!)],
      says: [
        "I left {Shell|the Guardian} for BP. → user works at BP (replaced, from {Shell|Guardian})",
        "I left Leeds for {Lyon|BP}. → user {lives in Lyon|works at BP} (replaced, from Leeds)",
      ],
      saysNot: ["I left Shell for good."],
    },
    {
      name: "called off the engagement",
      verbs: "call",
      match: /^off (?:the|their) (?:engagement|wedding)\b/iu,
      claims: (clause) => related(clause, "split up", "", "replaced"),
      says: ["They have called off {the|their} {engagement|wedding}. → they relationship split up (replaced)"],
      saysNot: ["We've called off the picnic."],
    },
    {
      name: "left a place for a time only",
      verbs: "leave quit",
      when: ({ rest }) =>
        !/ing\b/.test(rest.split(" ")[0]!) &&
        (NO_PLACE.test(rest) || /\b(?:early|late|at noon|open|yesterday)\b/iu.test(rest)),
      claims: () => [],
      says: [
        "I left Oslo yesterday. → nothing",
        "I left {early|late|home|school|work|at six|in a hurry|by train|to see Ana|the meeting|the call|the party|the room|the house|the table|the office|a note}. → nothing",
        "I left Shell {at noon|early|late}. → nothing",
        "I left the door open. → nothing",
        "I quit early. → nothing",
      ],
      saysNot: ["I left Shell."],
    },
    {
      name: "left a company or a group",
      verbs: "leave quit",
      when: ({ rest }) => !/ing\b/.test(rest.split(" ")[0]!) && (COMPANY.test(rest) || GROUP_WORD.test(rest)),
      claims: (clause) => left(clause, clause.rest),
      says: [
        "I've {left|quit} Shell. → user not works at Shell (ended); user not is a member of Shell (ended); user not lives in Shell (ended); user not plays for Shell (ended)",
        "I've left the Guardian. → user not works at Guardian (ended); user not is a member of Guardian (ended); user not lives in Guardian (ended); user not plays for Guardian (ended)",
        "I've left the chess {club|team|choir|band|church|gym|society|association|party|union|group|league|board|committee|school|university|college|programme|program|course|class|list}. → user not works at chess $1 (ended); user not is a member of chess $1 (ended); user not lives in chess $1 (ended); user not plays for chess $1 (ended)",
        "I've left Shell {to join|to work for|to start|to found|to become|to pursue} my own thing. → user not works at Shell (ended); user not is a member of Shell (ended); user not lives in Shell (ended); user not plays for Shell (ended)",
      ],
      saysNot: ["I've left my bag.", "I've quit smoking."],
    },
    {
      name: "resigned",
      verbs: "resign withdraw",
      match: /^from (.+)/iu,
      claims: (clause, [, what]) => left(clause, what!),
      says: [
        "I've {resigned|withdrawn} from Shell. → user not works at Shell (ended); user not is a member of Shell (ended); user not lives in Shell (ended); user not plays for Shell (ended)",
      ],
      saysNot: ["I've resigned."],
    },
    {
      name: "was removed from a group",
      verbs: "lay fire dismiss remove discharge kick take strike",
      is: "passive",
      match: /^(?:.*?\bfrom |(?:(?:out|off) of |off ))(.+)/iu,
      claims: (clause, [, what]) => left(clause, what!),
      says: [
        "I was {laid off|fired|dismissed|removed|discharged|kicked out|taken off|struck off} from the board. → user not works at board (ended); user not is a member of board (ended); user not lives in board (ended); user not plays for board (ended)",
        "I was kicked {out of|off of|off} the board. → user not works at board (ended); user not is a member of board (ended); user not lives in board (ended); user not plays for board (ended)",
      ],
      saysNot: ["I was fired."],
    },
    {
      name: "dropped out",
      verbs: "drop",
      match: /^out of (.+)/iu,
      claims: (clause, [, what]) => {
        const studies = /^(.*?) ?(?:school|university|college|degree|course|programme|program)\b/iu.exec(what!)?.[1];
        const value = cleanValue((studies ?? "").replace(/^(?:my|his|her|their|the)\b/iu, ""));
        return [...left(clause, what!), ...(studies === undefined ? [] : [say(clause, "study", value, ENDED)])];
      },
      says: [
        "I've dropped out of {the race|law school|university|college|my physics degree|the course|his chemistry programme|her design program}. → user not works at {race (ended); user not is a member of race (ended); user not lives in race (ended); user not plays for race|law school (ended); user not is a member of law school (ended); user not lives in law school (ended); user not plays for law school (ended); user not study law|university (ended); user not is a member of university (ended); user not lives in university (ended); user not plays for university (ended); user not study|college (ended); user not is a member of college (ended); user not lives in college (ended); user not plays for college (ended); user not study|my physics degree (ended); user not is a member of my physics degree (ended); user not lives in my physics degree (ended); user not plays for my physics degree (ended); user not study physics|course (ended); user not is a member of course (ended); user not lives in course (ended); user not plays for course (ended); user not study|his chemistry programme (ended); user not is a member of his chemistry programme (ended); user not lives in his chemistry programme (ended); user not plays for his chemistry programme (ended); user not study chemistry|her design program (ended); user not is a member of her design program (ended); user not lives in her design program (ended); user not plays for her design program (ended); user not study design} (ended)",
        "They have dropped out of their physics degree. → nothing",
      ],
      saysNot: ["I've dropped the ball."],
    },
    {
      name: "joined a group",
      verbs: "join",
      when: ({ rest }) => !MEETING.test(rest) && (isTeam(rest) || GROUP_WORD.test(rest)),
      claims: (clause) => [say(clause, "is a member of", upTo(clause.rest), { change: "began" })],
      says: ["I've joined {the data team|a book club}. → user is a member of {data team|book club} (began)"],
      saysNot: ["I've joined the team meeting."],
    },
    {
      // Without a word of work, who joins something may play, sing or vote there.
      name: "joined what has a name",
      verbs: "join",
      when: ({ rest }) => !MEETING.test(rest) && COMPANY.test(rest),
      claims: (clause) => {
        const [, company, post] = / as (?:an?|the|their|its) /u.test(clause.rest)
          ? /^(.+?) as (.+)$/u.exec(upTo(clause.rest))!
          : [];
        return post !== undefined && isOccupation(post)
          ? [joined(clause, company!), role(clause, post, "began")]
          : [say(clause, "is a member of", upTo(clause.rest), { change: "began" })];
      },
      says: [
        "I've joined {Shell|the Guardian}. → user is a member of {Shell|Guardian} (began)",
        "I've joined Shell as {a|an|the|their|its} engineer. → user works at Shell (replaced); user works as {engineer|engineer|engineer|their engineer|its engineer} (began)",
        "I've joined Shell as a favour. → user is a member of Shell as a favour (began)",
      ],
      saysNot: ["I've joined the Monday {call|meeting|discussion|conversation}.", "I've joined the queue."],
    },
    {
      name: "signed with a club",
      verbs: "sign",
      match: /^with (\p{Lu}.*)/u,
      claims: (clause, [, club]) => [say(clause, "plays for", upTo(club!), { change: "replaced", confidence: 0.7 })],
      says: ["Ben has signed with Leeds United. → Ben plays for Leeds United (replaced)?"],
      saysNot: ["Ben has signed with a pen."],
    },
    {
      name: "got a job at a company",
      verbs: "get take start find land accept",
      match: /^an? (?:new )?(?:job|position) (?:at|with) (.+)$/iu,
      claims: (clause, [, company]) => [
        joined(clause, company!),
        say(clause, "status", "employed", { change: "began" }),
      ],
      says: [
        "I've {got|taken|started|found|landed|accepted} a {job|new job|position} {at|with} Shell. → user works at Shell (replaced); user status employed (began)",
      ],
      saysNot: ["I've got a job in mind."],
    },
  ]),
];

const MEETING = /\b(?:call|meeting|discussion|conversation)\b/iu;
