-- A turn whose content was erased stays as a place in its session, so that a client that sends it again brings nothing back.
alter table turn add column erased_at timestamptz(3);
