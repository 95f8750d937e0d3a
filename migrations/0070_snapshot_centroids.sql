-- Snapshots kept the sum of the vectors of the latest texts, for drift. The difference of two neighbours is one text's
-- vector, from which its words can be guessed, also after it was erased. The centroid of a moment is now computed of the
-- texts that are still there. Row-level security is forced on the owner too, and no policy of this table is the owner's.
alter table snapshot no force row level security;
update snapshot set data = data #- '{part,centroid}';
alter table snapshot force row level security;
