-- Snapshots say which words a memory uses, for drift. They named a word by an unsalted hash of 32 bits, which a dictionary
-- reverses; now by a random token that the vocabulary keeps beside the word. With a word's last text its row in the
-- vocabulary goes, and the token with it: what is left of the word in snapshots is a number that nothing leads to.
alter table vocabulary add column token uuid not null default gen_random_uuid();
-- In how many of the latest units each word stood, by its token.
alter table snapshot add column words jsonb not null default '{}';

-- The hashes of before cannot be turned into tokens: there is no comparing with them any more. Row-level security is
-- forced on the owner too, and no policy of this table is the owner's.
alter table snapshot no force row level security;
update snapshot set data = data #- '{part,terms}';
alter table snapshot force row level security;
