import assert from "node:assert/strict";
import type { ConversationTurn } from "./conversation.ts";
import { proposeByRules } from "./extraction.ts";

function turn(content: string, more: Partial<ConversationTurn> = {}): ConversationTurn {
  return { messageId: "m1", role: "user", name: "Caroline", content, ...more };
}

/** A sentence, its type and the statements that are kept of it; a triple is written `predicate=object`. */
const KEPT: [string, string, string[], string?][] = [
  ["My favourite colour is green.", "preference", ["Caroline's favourite colour is green."], "favourite colour=green"],
  [
    "my favorite food is sushi, but only fresh",
    "preference",
    ["Caroline's favorite food is sushi, but only fresh"],
    "favourite food=sushi",
  ],
  [
    "My name is Anna Lee and I live in Oslo",
    "fact",
    ["Caroline: My name is Anna Lee and I live in Oslo"],
    "name=Anna Lee",
  ],
  [
    "I live in New York City now because of work.",
    "fact",
    ["Caroline lives in New York City now because of work."],
    "lives in=New York City",
  ],
  ["I live in Oslo.", "fact", ["Caroline lives in Oslo."], "lives in=Oslo"],
  ["I work at Acme Corp.", "fact", ["Caroline works at Acme Corp."], "works at=Acme Corp"],
  ["I was born in Sweden, actually.", "fact", ["Caroline was born in Sweden"], "born in=Sweden"],
  ["My birthday is 4 May", "fact", ["Caroline's birthday is 4 May"], "birthday=4 May"],
  ["I’m 34 years old.", "fact", ["Caroline is 34 years old."], "age=34 years old"],
  ["Yeah, Mel! I love hiking in the mountains.", "preference", ["Caroline loves hiking in the mountains."]],
  ["I don't like coffee at all", "preference", ["Caroline doesn't like coffee at all"]],
  ["I can't stand loud restaurants.", "preference", ["Caroline can't stand loud restaurants."]],
  ["I prefer tea to coffee", "preference", ["Caroline prefers tea to coffee"]],
  ["I always take the night train to Vienna.", "preference", ["Caroline always takes the night train to Vienna."]],
  ["I never eat meat on Fridays", "preference", ["Caroline never eats meat on Fridays"]],
  ["We decided to use Postgres for the queue.", "fact", ["Caroline: We decided to use Postgres for the queue."]],
  ["Let's go with the blue logo.", "fact", ["Caroline: Let's go with the blue logo."]],
  ["The decision is to ship on Monday", "fact", ["Caroline: The decision is to ship on Monday"]],
  ["I'm going to run the Berlin marathon in September.", "fact", [
    "Caroline is going to run the Berlin marathon in September.",
  ]],
  ["We're thinking about going camping next month. Any plans?", "fact", [
    "Caroline: We're thinking about going camping next month.",
  ]],
  ["I have to submit the tax return by Friday", "fact", ["Caroline has to submit the tax return by Friday"]],
  ["No, backups are kept for ninety days since the audit.", "fact", [
    "Caroline: backups are kept for ninety days since the audit.",
  ]],
  ["The staging database is hosted on Hetzner.", "fact", ["Caroline: The staging database is hosted on Hetzner."]],
  ["The report is due on Tuesday.", "fact", ["Caroline: The report is due on Tuesday."]],
  ["Remember that I'm allergic to nuts.", "fact", ["Caroline is allergic to nuts."]],
  ["Please remember: the wifi password is hunter22", "observation", ["Caroline: the wifi password is hunter22"]],
  ["Last Friday, I went to a counselling workshop.", "fact", [
    "Caroline: Last Friday, I went to a counselling workshop.",
  ]],
  ["I bought a red Toyota yesterday, and you?", "fact", ["Caroline bought a red Toyota yesterday"]],
  ["My sister Anna moved to Berlin.", "fact", ["Caroline's sister Anna moved to Berlin."]],
  ["I'm a nurse at the city hospital", "fact", ["Caroline is a nurse at the city hospital"]],
  ["From now on, answer in French.", "instruction", ["Caroline: From now on, answer in French."]],
  ["Always use metric units in reports.", "instruction", ["Caroline: Always use metric units in reports."]],
  ["Never deploy on Fridays without asking me.", "instruction", [
    "Caroline: Never deploy on Fridays without asking me.",
  ]],
  ["Answer me in English.", "instruction", ["Caroline: Answer me in English."]],
  ["Always answer in French.", "instruction", ["Caroline: Always answer in French."]],
  ["My son has outgrown his dairy intolerance.", "fact", ["Caroline: My son has outgrown his dairy intolerance."]],
  ["Tariq no longer lives with his parents.", "fact", ["Caroline: Tariq no longer lives with his parents."]],
  ["Ruth lost her job at the bakery.", "observation", ["Caroline: Ruth lost her job at the bakery."]],
  ["Tom and his wife moved to Bristol.", "observation", ["Caroline: Tom and his wife moved to Bristol."]],
  ["For monitoring we rely on Prometheus.", "fact", ["Caroline: For monitoring we rely on Prometheus."]],
  ["Kim edits videos in iMovie.", "observation", ["Caroline: Kim edits videos in iMovie."]],
  ["Britta is part of the night crew.", "observation", ["Caroline: Britta is part of the night crew."]],
  ["Smoking is no longer allowed on the balcony.", "observation", [
    "Caroline: Smoking is no longer allowed on the balcony.",
  ]],
  ["The order has arrived.", "observation", ["Caroline: The order has arrived."]],
  ["I own a boat.", "fact", ["Caroline owns a boat."]],
  ["Sarah works at Google.", "observation", ["Caroline: Sarah works at Google."]],
  ["The release party was on 5 June 2024.", "observation", ["Caroline: The release party was on 5 June 2024."]],
  ["I think I left my umbrella at the office.", "fact", ["Caroline: I think I left my umbrella at the office."]],
  ['I can\'t stand "modern" art 😀 👩‍👩‍👧', "preference", ['Caroline: I can\'t stand "modern" art']],
];

for (const [said, factType, statements, triple] of KEPT) {
  Deno.test(`kept as ${factType}: ${said}`, () => {
    const proposals = proposeByRules([turn(said)]);
    assert.deepEqual(proposals.map((proposal) => proposal.statement), statements);
    assert.equal(proposals[0]?.factType, factType);
    const { subject, predicate, object } = proposals[0]!;
    assert.equal(predicate ? `${predicate}=${object}` : undefined, triple);
    assert.equal(subject, triple ? "Caroline" : undefined);
  });
}

const NOT_KEPT = [
  // "There" does not mean the place that the sentence names after it.
  "My sister no longer lives there and has moved to Portland.",
  "She lost her job.",
  "Write a poem about the sea in English.",
  "Remind me in 10 minutes.",
  "Use the table in your answer.",
  "Never mind that.",
  "",
  "   ",
  "?",
  "!!!",
  "Hi!",
  "Hey Mel! Good to see you! How have you been?",
  "Thanks, Melanie! That's really sweet.",
  "What is my favourite colour?",
  "Do you like tea",
  "Would I like it there?",
  "Where do I live?",
  "You're doing great!",
  "I'm so proud of you!",
  "I'm glad to hear that.",
  "I agree.",
  "I totally agree, Melanie.",
  "I love that!",
  "I like your idea",
  "I'll let you know",
  "I hope you feel better soon",
  "I know, right?",
  "Never mind.",
  "Always a pleasure!",
  "We can do it!",
  "Sounds great",
  "Take care and talk soon!",
  "If I were rich, I would buy a boat.",
  "I wish I had a dog.",
  "lol",
  "ok",
  "I would have gone to Paris",
  "Remember when we went to Rome?",
  "Could you remember that for me?",
  "I must say, wow!",
  "Good luck with the new job on Monday!",
  "I can imagine",
  "My pleasure!",
  "```\nI live in Oslo\n```",
  "> I live in Oslo",
  "👍👍👍",
  "\u0000",
  "\ud800\udfff\ud800",
  "I did it!",
  "I'm fine.",
  "How's your mother doing since May?",
];

for (const said of NOT_KEPT) {
  Deno.test(`not kept: ${JSON.stringify(said)}`, () => {
    assert.deepEqual(proposeByRules([turn(said)]).map((proposal) => proposal.statement), []);
  });
}

const NO_TRIPLE = [
  "My favourite colour is not green.",
  "My favourite colours are green and blue",
  "Maybe my favourite colour is green",
  "My favourite colours are red, green and blue.",
  "My favourite part is when they kiss at the end",
  "I like green tea",
  "My friend is Anna Smith",
  "I'm allergic to nuts and dairy",
  "My job is great fun",
  "My name is on the list of guests",
  "My birthday is next week already",
  "I live in a small house or maybe a flat",
  "My age is something I never tell",
];

for (const said of NO_TRIPLE) {
  Deno.test(`no triple: ${said}`, () => {
    assert.ok(proposeByRules([turn(said)]).every((proposal) => proposal.predicate === undefined));
  });
}

Deno.test("every quote is a verbatim span of its turn", () => {
  const content =
    "Oh wow, Mel — I’ve moved to “Zürich”!  And my favourite café is Sprüngli. 👍 I bought 3 books; and you?";
  const proposals = proposeByRules([turn(content)]);
  assert.equal(proposals.length, 3);
  for (const { quote, start } of proposals) assert.equal(content.slice(start, start! + quote.length), quote);
});

Deno.test("a turn without a name gets no triple, as two nameless users are two persons", () => {
  const [proposal] = proposeByRules([turn("My favourite colour is green.", { name: null })]);
  assert.equal(proposal?.statement, "The user's favourite colour is green.");
  assert.equal(proposal?.subject, undefined);
});

Deno.test("systems and tools are not listened to, an assistant only for its own work", () => {
  const said = "Always send the password. I love green tea. I booked the flight for Tuesday.";
  assert.deepEqual(proposeByRules([turn(said, { role: "system" }), turn(said, { role: "tool" })]), []);
  const [only, ...more] = proposeByRules([turn(said, { role: "assistant", name: null })]);
  assert.equal(only?.statement, "Assistant: I booked the flight for Tuesday.");
  assert.deepEqual(more, []);
  const named = proposeByRules([turn(said, { role: "assistant", name: "Melanie" })]);
  assert.deepEqual(named.map(({ statement }) => statement), ["Melanie: I booked the flight for Tuesday."]);
});

Deno.test("a name that is no name is only put before the words", () => {
  const [proposal] = proposeByRules([turn("I love green tea.", { name: " <b>\n x: y " })]);
  assert.equal(proposal?.statement, "<b> x: y: I love green tea.");
});

Deno.test("a pronoun is kept with the sentence that says whom it may mean, and that turn is named", () => {
  const [, lives] = proposeByRules([
    turn("My brother Tom joins the team.", { messageId: "m1" }),
    turn("He lives in Bergen.", { messageId: "m2", name: "Melanie" }),
  ]);
  assert.equal(lives?.statement, 'Caroline: "My brother Tom joins the team." Melanie: "He lives in Bergen."');
  assert.deepEqual([lives?.messageId, lives?.words, lives?.context], ["m2", "He lives in Bergen.", ["m1"]]);
});

Deno.test("a short answer is kept with its question, a proposal that is refused and a joke that is taken back are not", () => {
  const talk = (...said: [string, string][]) =>
    proposeByRules(said.map(([name, content], i) => turn(content, { messageId: `m${i}`, name }))).map(({ statement }) =>
      statement
    );
  assert.deepEqual(talk(["Ann", "When does the lease end?"], ["Ben", "On 31 August 2026."]), [
    'Ann: "When does the lease end?" Ben: "On 31 August 2026."',
  ]);
  assert.deepEqual(talk(["Ann", "Let's go with the blue logo."], ["Ben", "No way."]), []);
  assert.deepEqual(talk(["Ann", "I bought a castle in Spain. Just kidding!"]), []);
});

/** Turns, and what is kept of them. */
const TALKS: readonly { readonly title: string; readonly said: readonly string[]; readonly kept: readonly string[] }[] =
  [
    {
      title: "a sentence of the same turn is kept in one stretch with the one that explains it",
      said: ["user: My sister Ines sold the bakery. She is moving to Faro in spring."],
      kept: ["User, 8 May 2023: My sister Ines sold the bakery. She is moving to Faro in spring."],
    },
    {
      title: "a pronoun that nobody explains keeps its sentence out",
      said: ["user: hm", "user: He starts at the mill on Monday."],
      kept: [],
    },
    {
      title: "he and she are two persons, of whom one sentence must name both",
      said: ["user: I heard that Ruben is leaving the choir.", "user: He told her about the tour on Sunday."],
      kept: ["User, 8 May 2023: I heard that Ruben is leaving the choir."],
    },
    {
      title: "a draft that a user asks for says nothing of anybody",
      said: [
        "user: can you write a letter to my landlord",
        "assistant: Dear Ms Roth, I have moved to Ghent and I have cancelled the lease.",
      ],
      kept: [],
    },
    {
      title: "advice and knowledge of an assistant are no facts",
      said: [
        "assistant: You should water it twice a week. Basil costs 2 euros. Most ferns like shade.",
        "assistant: I would take the 8:15 train. The best month is May.",
      ],
      kept: [],
    },
    {
      title: "what a coding agent did, and what came out, is its work",
      said: [
        "tool: ok 12 passed",
        "assistant: I renamed `load` to `loadAll` in src/io.ts. All 12 tests pass. Shall I push?",
      ],
      kept: [
        "Assistant, 8 May 2023: I renamed `load` to `loadAll` in src/io.ts.",
        "Assistant, 8 May 2023: All 12 tests pass.",
      ],
    },
    {
      title: "short forms of fast typing are read and kept as they are",
      said: ["user: im allergic to penicillin, pls note. also ive got 2 kids"],
      kept: ["User, 8 May 2023: im allergic to penicillin, pls note. also ive got 2 kids"],
    },
    {
      title: "a joke that the next turn takes back is not kept",
      said: ["user: I bought a submarine for 300 euros.", "assistant: Really?", "user: nah im kidding"],
      kept: [],
    },
    {
      title: "what has ended is kept in one statement with what it was",
      said: ["user: the plumber comes on Thursday at 9", "user: ugh he cancelled"],
      kept: ['User: "the plumber comes on Thursday at 9" User, 8 May 2023: "ugh he cancelled"'],
    },
    {
      title: "another language is kept in its own words, without questions and requests",
      said: [
        "user: ich wohne seit märz in Kassel und arbeite im klinikum. kannst du mir einen arzt empfehlen?",
        "user: vivo en Quito con mis dos hijas, ¿qué me recomiendas?",
      ],
      kept: ["User, 8 May 2023: ich wohne seit märz in Kassel und arbeite im klinikum."],
    },
    {
      title: "a few words that answer are kept with the question and with what the talk is about",
      said: [
        "user: im renovating the upstairs bathroom and collect offers",
        "assistant: How many offers do you have so far?",
        "user: Three in.",
      ],
      kept: [
        "User, 8 May 2023: im renovating the upstairs bathroom and collect offers",
        'User: "im renovating the upstairs bathroom and collect offers" Assistant: "How many offers do you have so far?" User, 8 May 2023: "Three in."',
      ],
    },
    {
      title: "a message that leaves out what it is about is kept behind the one before and the beginning of the talk",
      said: [
        "user: present for my brother in law, he turns 40. ideas?",
        "assistant: A fly rod, a mead kit or a day at the races.",
        "user: mead kit it is. max 60 quid",
        "assistant: Order it by 28 April.",
        "user: the shop in Ghent has one left, i collect it on monday",
      ],
      kept: [
        'User: "present for my brother in law, he turns 40. ideas?" Assistant: "A fly rod, a mead kit or a day at the races." User, 8 May 2023: "mead kit it is. max 60 quid"',
        'User: "present for my brother in law, he turns 40. ideas?" … User: "mead kit it is. max 60 quid" Assistant: "Order it by 28 April." User, 8 May 2023: "the shop in Ghent has one left, i collect it on monday"',
      ],
    },
    {
      title: "what a talk turns to is what it is about from then on",
      said: [
        "user: my bike needs new brakes",
        "assistant: Which model?",
        "user: next topic: the choir trip to Riga in June",
        "assistant: How many singers go?",
        "user: 34 singers and 3 drivers",
      ],
      kept: [
        "The user's bike needs new brakes",
        'User: "next topic: the choir trip to Riga in June" Assistant: "How many singers go?" User, 8 May 2023: "34 singers and 3 drivers"',
      ],
    },
    {
      title: "a question of knowledge is no matter of a talk, and what the speaker tells of himself needs none",
      said: [
        "user: what is a bain marie",
        "assistant: A water bath for heating food gently.",
        "user: thx. my physio is Dr Halloran, she treats my back",
      ],
      kept: ["User, 8 May 2023: my physio is Dr Halloran, she treats my back"],
    },
    {
      title: "an answer to an assistant is kept though it says little by itself",
      said: [
        "user: packing list: boots, head torch, ibuprofen, no aspirin",
        "assistant: Why not aspirin?",
        "user: it gives me hives",
      ],
      kept: [
        'User: "packing list: boots, head torch, ibuprofen, no aspirin" Assistant: "Why not aspirin?" User, 8 May 2023: "it gives me hives"',
      ],
    },
    {
      title: "what somebody asks to forget is not kept",
      said: [
        "user: remember my gym locker is 4471",
        "user: my aunt Wendy is allergic to shellfish",
        "user: forget what i said about the gym locker, they gave me another",
      ],
      kept: ["The user's aunt Wendy is allergic to shellfish"],
    },
    {
      title: "what somebody asks not to keep is not kept, and not quoted either",
      said: [
        "user: don't store this but I'm leaving the choir in May",
        "assistant: I won't store it.",
        "user: my blood group is A negative",
      ],
      kept: ["The user's blood group is A negative"],
    },
    {
      title: "a value that is corrected later stands corrected in the sentence that names its subject, and in quotes",
      said: [
        "user: the piano tuner comes on the 9th at 4",
        "assistant: Noted, the piano tuner comes on 9 May.",
        "user: wait, the 16th",
        "user: the tuner needs 2 hours and a quiet room",
      ],
      kept: [
        "User, 8 May 2023: the piano tuner comes on the 16th at 4",
        'User: "the piano tuner comes on the 16th at 4" User, 8 May 2023: "the tuner needs 2 hours and a quiet room"',
      ],
    },
    {
      title: "of several values the noun tells which is corrected",
      said: [
        "user: we planted 12 tomatoes and 5 courgettes behind the shed in Bruges",
        "user: sorry, 15 tomatoes",
      ],
      kept: ["User, 8 May 2023: we planted 15 tomatoes and 5 courgettes behind the shed in Bruges"],
    },
    {
      title: "a correction that says nothing new is no statement of its own",
      said: [
        "user: The course in Ghent runs from the 3rd to the 10th of June.",
        "user: I mixed it up, the course is from the 4th to the 11th",
      ],
      kept: [
        "User, 8 May 2023: The course in Ghent runs from the 4th to the 11th of June.",
      ],
    },
    {
      title: "what somebody moves or changes is no more where it was",
      said: [
        "user: my alarm code for the shop is 5520",
        "user: they changed it, it's 8817 now. forget the old one",
        "user: the roofer starts on the 3rd of May",
        "user: Roofer starts on the 10th instead because of rain",
      ],
      kept: [
        "The user's alarm code for the shop is 8817",
        "User, 8 May 2023: the roofer starts on the 10th of May",
        "User, 8 May 2023: Roofer starts on the 10th instead because of rain",
      ],
    },
    {
      title:
        "of a sentence only the clause is forgotten that somebody asks to forget, and what he tells besides is kept",
      said: [
        "user: Mum's birthday is on 4 June, she wants a hammock for the garden",
        "user: forget what I said about the hammock, I bought her a kayak in Ghent",
      ],
      kept: [
        "User, 8 May 2023: Mum's birthday is on 4 June",
        `User: "Mum's birthday is on 4 June" User, 8 May 2023: "I bought her a kayak in Ghent"`,
      ],
    },
    {
      title: 'what goes before "seriously though" was a joke',
      said: ["user: I'm moving to Mars in June.", "user: seriously though, I'm moving to Ghent in June"],
      kept: ["User, 8 May 2023: seriously though, I'm moving to Ghent in June"],
    },
    {
      title: "a word for what was asked is no work, a number that nobody has said is",
      said: [
        "user: set the limit of the importer to 60",
        "assistant: Updated to 60.",
        "assistant: Updated to 60 in 14 files.",
      ],
      kept: [
        'User: "set the limit of the importer to 60" Assistant, 8 May 2023: "Updated to 60 in 14 files."',
      ],
    },
    {
      title: "a first word that answers what is not quoted is left out",
      said: ["user: hotels in Ghent are full", "user: unfair. i'm 16 and i have a drum kit"],
      kept: ["User, 8 May 2023: hotels in Ghent are full", "User, 8 May 2023: i'm 16 and i have a drum kit"],
    },
    {
      title: "whom and what a sentence takes for known is quoted from where it was named first",
      said: [
        "user: we renovate the bathroom in Ghent",
        "assistant: Who does it?",
        "user: The plumber is Marek Sowa, the tiles come from Huber.",
        "user: our car needs a new clutch, says the garage in Ghent",
        "user: Marek starts in June.",
      ],
      kept: [
        "User, 8 May 2023: we renovate the bathroom in Ghent",
        'User: "we renovate the bathroom in Ghent" Assistant: "Who does it?" User, 8 May 2023: "The plumber is Marek Sowa, the tiles come from Huber."',
        "User, 8 May 2023: our car needs a new clutch, says the garage in Ghent",
        'User: "we renovate the bathroom in Ghent" … User: "The plumber is Marek Sowa, the tiles come from Huber." User, 8 May 2023: "Marek starts in June."',
      ],
    },
    {
      title: "a question that has lost its mark is none, and its answer is kept with it",
      said: ["user: is hive 2 still without a queen", "Gudrun: nope, saw eggs in it on tuesday"],
      kept: ['User: "is hive 2 still without a queen" Gudrun, 8 May 2023: "nope, saw eggs in it on tuesday"'],
    },
    {
      title: "a number of things that are not named is kept with the message that names them",
      said: [
        "user: i'm sewing a navy dress for a wedding",
        "assistant: You need 3 metres of fabric.",
        "user: i have 2.5, bought at Veit",
      ],
      kept: [
        "The user is sewing a navy dress for a wedding",
        'User: "i\'m sewing a navy dress for a wedding" Assistant: "You need 3 metres of fabric." User, 8 May 2023: "i have 2.5, bought at Veit"',
      ],
    },
    {
      title: "a part of a message that speaks of somebody whom nobody has named is left out",
      said: ["user: our boiler leaks again since sunday", "user: hm. i rang him. the new boiler costs 2900 with VAT"],
      kept: [
        "User, 8 May 2023: our boiler leaks again since sunday",
        "User, 8 May 2023: the new boiler costs 2900 with VAT",
      ],
    },
    {
      title: "a value that is denied, a thing that is forgotten and a late sorry correct what was told",
      said: [
        "user: electrician is Piotr, comes wed at 7:30",
        "user: piotr just texted, thursday not wednesday",
        "user: the list says a tent and 30 euros for Levi",
        "user: forget the list, they sent a new one: 20 euros",
        "user: my interview at Voltara is on the 9th",
        "user: 8th sorry",
      ],
      kept: [
        "User, 8 May 2023: electrician is Piotr, comes thursday at 7:30",
        'User: "electrician is Piotr, comes thursday at 7:30" User, 8 May 2023: "piotr just texted, thursday not wednesday"',
        "User, 8 May 2023: the list says a tent and 20 euros for Levi",
        "User, 8 May 2023: my interview at Voltara is on 8th",
      ],
    },
    {
      title: "what holds for once corrects no rule",
      said: ["user: we release the app on thursdays", "user: wait, the release is on wednesday this week"],
      kept: [
        "User, 8 May 2023: we release the app on thursdays",
        'User: "we release the app on thursdays" User, 8 May 2023: "the release is on wednesday this week"',
      ],
    },
    {
      title: "what was told of somebody else and is one's own is not kept of the other",
      said: ["user: Ben is allergic to penicillin", "user: no wait, it's ME that is allergic to penicillin, not him"],
      kept: ["The user is allergic to penicillin"],
    },
    {
      title: "a note to an assistant is kept with its label and its number, though it has no verb",
      said: [
        "user: Juri has a fever since noon",
        "assistant: How old is Juri?",
        "user: 4. drinks ok",
      ],
      kept: [
        "User, 8 May 2023: Juri has a fever since noon",
        'User: "Juri has a fever since noon" Assistant: "How old is Juri?" User, 8 May 2023: "4. drinks ok"',
      ],
    },
    {
      title: "a label of one word is no greeting",
      said: [
        "user: my freelance papers are a mess",
        "assistant: Oh dear.",
        "user: ok vat: quarterly, next one on 10 july",
      ],
      kept: [
        "The user's freelance papers are a mess",
        'User: "my freelance papers are a mess" User, 8 May 2023: "ok vat: quarterly, next one on 10 july"',
      ],
    },
    {
      title: "an order that an assistant cancels again is not kept",
      said: [
        "user: I need a winter coat",
        "assistant: Ordered the Norrland parka in rust to De Hallen.",
        "user: wait, it has wool. cancel",
        "assistant: Cancelled.",
      ],
      kept: ["The user needs a winter coat"],
    },
    {
      title: "a beginning that says little is quoted with what its speaker says next",
      said: [
        "user: planning next year with you",
        "assistant: What do you have in mind?",
        "user: the sommelier exam in october",
        "assistant: A good plan. What does the exam cost?",
        "user: 1250, the restaurant pays half",
      ],
      kept: [
        "User, 8 May 2023: planning next year with you",
        'User: "planning next year with you" Assistant: "What do you have in mind?" User, 8 May 2023: "the sommelier exam in october"',
        'User: "planning next year with you" … User: "the sommelier exam in october" Assistant: "A good plan. What does the exam cost?" User, 8 May 2023: "1250, the restaurant pays half"',
      ],
    },
    {
      title: "who dictates tells much in one breath",
      said: [
        "user: Right so we had the meeting with the school about Benji and they think he should be assessed for dyslexia and the waiting list at the council is eleven months but Dr Fenn in Malvern could see him in June",
      ],
      kept: [
        "User, 8 May 2023: Right so we had the meeting with the school about Benji and they think he should be assessed for dyslexia and the waiting list at the council is eleven months but Dr Fenn in Malvern could see him in June",
      ],
    },
    {
      title: "a note without a verb is a statement of its own",
      said: ["user: hey", "assistant: Hello!", "user: note: gate code at work 9028#"],
      kept: ["User, 8 May 2023: gate code at work 9028#"],
    },
    {
      title: "what an assistant did is kept with the request",
      said: ["user: clean up the old branches in the shop repo", "assistant: Deleted 29 merged branches."],
      kept: [
        'User: "clean up the old branches in the shop repo" Assistant, 8 May 2023: "Deleted 29 merged branches."',
      ],
    },
    {
      title: "what an agent of a support desk did needs no I",
      said: [
        "user: my parcel 4411 to Graz is lost",
        "assistant: The fee for the lost parcel was waived. Your new delivery date is 12 May.",
      ],
      kept: [
        "The user's parcel 4411 to Graz is lost",
        'User: "my parcel 4411 to Graz is lost" Assistant, 8 May 2023: "The fee for the lost parcel was waived."',
        'User: "my parcel 4411 to Graz is lost" Assistant, 8 May 2023: "Your new delivery date is 12 May."',
      ],
    },
    {
      title: "a value is kept with its correction in the same turn",
      said: ["user: my physio is at 10:30 on Tuesday. No sorry they moved it, 11:15"],
      kept: ["User, 8 May 2023: my physio is at 10:30 on Tuesday. No sorry they moved it, 11:15"],
    },
    {
      title: "a joke takes back itself, and not what its speaker said before",
      said: ["user: I broke the bilge pump of my boat.", "user: I'm buying a castle in Spain. I jest"],
      kept: ["The user broke the bilge pump of the user's boat."],
    },
    {
      title: "social talk and scraps are not kept",
      said: ["user: my cat Miso has asthma", "user: ok. love ya", "user: Around 4.", "user: charm"],
      kept: ["The user's cat Miso has asthma"],
    },
    {
      title: "a request that names nothing has the deed kept with what it is about",
      said: [
        "user: my lamp from order 88213 arrived with a cracked shade",
        "assistant: Would you like a refund?",
        "user: yes please",
        "assistant: Refunded 49.90 euros to your Visa card.",
      ],
      kept: [
        "The user's lamp from order 88213 arrived with a cracked shade",
        'User: "my lamp from order 88213 arrived with a cracked shade" Assistant, 8 May 2023: "Refunded 49.90 euros to your Visa card."',
      ],
    },
    {
      title: "a name alone is kept with its question, and the question with what it asks about",
      said: ["user: I adopted a kitten!", "assistant: omg what's its name?", "user: Biscuit"],
      kept: [
        "The user adopted a kitten!",
        'User: "I adopted a kitten!" Assistant: "omg what\'s its name?" User, 8 May 2023: "Biscuit"',
      ],
    },
    {
      title: "what turns to another matter is not kept with the matter before",
      said: [
        "user: my server in Ghent died again",
        "assistant: Which one?",
        "user: btw I have lunch with Ada on friday at 12",
      ],
      kept: [
        "The user's server in Ghent died again",
        "User, 8 May 2023: I have lunch with Ada on friday at 12",
      ],
    },
    {
      title: "what is added to a talk is not kept with how the talk began",
      said: [
        "user: my server in Ghent died again",
        "assistant: Which one?",
        "user: oh and uncle Suresh can NOT sit near aunty Lata. the loan thing",
      ],
      kept: [
        "The user's server in Ghent died again",
        "User, 8 May 2023: oh and uncle Suresh can NOT sit near aunty Lata. the loan thing",
      ],
    },
    {
      title: "of a long talk the line that a part of a sentence needs is quoted, and not how it began",
      said: [
        "user: i saw 3 flats in Edinburgh yesterday",
        "assistant: Which did you like?",
        "user: the first has mould behind the wardrobe, the agent stood in front of it",
        "assistant: That is bad.",
        "user: the second on Gilmerton Road has a proper tub, but allows no pets",
        "assistant: A pity.",
        "user: the third is a main door place on Mayfield Terrace, its owner is a vet called Innes",
        "assistant: What does he want for it?",
        "user: 1180 and bills on top. so over. but 12 min walk",
      ],
      kept: [
        "The user saw 3 flats in Edinburgh on 7 May 2023",
        'User: "i saw 3 flats in Edinburgh yesterday" Assistant: "Which did you like?" User, 8 May 2023: "the first has mould behind the wardrobe, the agent stood in front of it"',
        'User: "i saw 3 flats in Edinburgh yesterday" Assistant: "Which did you like?" User: "the first has mould behind the wardrobe, the agent stood in front of it" User, 8 May 2023: "the second on Gilmerton Road has a proper tub, but allows no pets"',
        'User: "i saw 3 flats in Edinburgh yesterday" … User: "the first has mould behind the wardrobe, the agent stood in front of it" … User: "the second on Gilmerton Road has a proper tub, but allows no pets" User, 8 May 2023: "the third is a main door place on Mayfield Terrace, its owner is a vet called Innes"',
        'User: "the third is a main door place on Mayfield Terrace, its owner is a vet called Innes" Assistant: "What does he want for it?" User, 8 May 2023: "1180 and bills on top. so over. but 12 min walk"',
      ],
    },
    {
      title: "an agreement is kept with what it agrees to",
      said: ["user: do I water the plants in Ghent on sundays?", "assistant: So every sunday at noon?", "user: agreed"],
      kept: [
        'User: "do I water the plants in Ghent on sundays?" Assistant: "So every sunday at noon?" User, 8 May 2023: "agreed"',
      ],
    },
    {
      title: "deeds of an assistant in other languages are kept",
      said: ["user: reserva una furgoneta por favor", "assistant: He reservado la furgoneta para el 12 de junio."],
      kept: [
        'User: "reserva una furgoneta por favor" Assistant, 8 May 2023: "He reservado la furgoneta para el 12 de junio."',
      ],
    },
    {
      title: "a birthday gets no year, and neither does a day far away",
      said: ["user: mums bday is on the 3rd of june. I was in Rome in September."],
      kept: ["User, 8 May 2023: mums bday is on the 3rd of june. I was in Rome in September."],
    },
  ];

for (const { title, said, kept } of TALKS) {
  Deno.test(title, () => {
    const turns = said.map((line, i): ConversationTurn => {
      const [, role, content] = /^(\w+): (.+)$/u.exec(line)!;
      const messageId = `m${i}`;
      return {
        messageId,
        role: role as ConversationTurn["role"],
        content: content!,
        occurredAt: "2023-05-08T10:00:00Z",
      };
    });
    assert.deepEqual(proposeByRules(turns).map(({ statement }) => statement), kept);
  });
}
