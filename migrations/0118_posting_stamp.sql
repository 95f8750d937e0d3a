-- A large row of postings has a stamp. Two rows with the same stamp hold the same entries, so a process that has kept
-- the entries of a stamp need not read them again. With every change of a large row a trigger gives it another stamp, and
-- a row that becomes small loses its own: small rows are read each time. `svc workspace move` copies rows past these
-- triggers, so a copy keeps the stamp: it has the same entries.

-- Every recall reads this table. If another transaction holds it, recalls must not wait behind this one for long.
set local lock_timeout = '3s';

alter table posting add column stamp uuid;

create function stamp_postings() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
  begin
    new.stamp := case when new.n >= 256 then gen_random_uuid() end;
    return new;
  end
  $$;
create trigger posting_inserted before insert on posting for each row
  when (new.n >= 256 or new.stamp is not null)
  execute function stamp_postings();
create trigger posting_updated before update on posting for each row
  when (new.n >= 256 or new.stamp is not null)
  execute function stamp_postings();

-- Row-level security is forced on the owner, too. The next migration changes the rows of all workspaces.
create policy posting_stamping on posting to current_user using (true) with check (true);
