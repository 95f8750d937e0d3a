-- A large row of postings has a stamp. Two rows with the same stamp hold the same entries, so a process that has kept
-- the entries of a stamp need not read them again. Every change of a row gives it another stamp, or none if the row is
-- small then: small rows are read anew each time.
alter table posting add column stamp uuid;

create function stamp_postings() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
  begin
    new.stamp := case when new.n >= 256 then gen_random_uuid() end;
    return new;
  end
  $$;
-- A copy of a row keeps the stamp: it has the same entries.
create trigger posting_inserted before insert on posting for each row
  when (new.n >= 256 and new.stamp is null)
  execute function stamp_postings();
create trigger posting_updated before update on posting for each row
  execute function stamp_postings();

-- Row-level security is forced on the owner too, and no policy of this table is the owner's.
alter table posting no force row level security;
update posting set n = n where n >= 256;
alter table posting force row level security;
