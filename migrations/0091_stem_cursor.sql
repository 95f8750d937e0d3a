-- How far a worker has given the texts of a workspace the stems of words in other languages than English, and by which rule
-- (`STEM_RULE` in src/language/foreign_stems.ts). Texts of an earlier build have none until the worker has come to them.
create table stem_cursor (
  workspace_id uuid primary key references workspace,
  rule smallint not null,
  -- Texts up to this one are done.
  after_doc bigint not null
);
alter table stem_cursor enable row level security;
alter table stem_cursor force row level security;
create policy stem_cursor_own on stem_cursor to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update on stem_cursor to svc_app;
