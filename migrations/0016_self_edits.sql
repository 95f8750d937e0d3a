-- What agents changed in their own memory: who, why, each operation with its outcome, so that it can be listed and
-- reverted.

create table self_edit (
  workspace_id uuid not null references workspace,
  id uuid not null,
  version integer not null default 1 check (version >= 1),
  mode text not null check (mode in ('atomic', 'per_item')),
  -- What asked for it: a caller, a reflection that was told to apply, the reverting of another edit.
  source text not null check (source in ('edit', 'reflection', 'revert')),
  reason text not null,
  agent_id text,
  -- That of the most sensitive thing that it changed or proposes.
  sensitivity sensitivity not null,
  -- The edit that this one takes back, and the one that took this one back.
  reverts uuid,
  reverted_by uuid,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by text not null,
  primary key (workspace_id, id)
);
create index self_edit_agent on self_edit (workspace_id, agent_id, id) where agent_id is not null;

-- References and numbers alone. What an operation says is in a table of its own, which erasing a unit empties.
create table self_edit_operation (
  workspace_id uuid not null,
  edit_id uuid not null,
  position smallint not null check (position between 0 and 99),
  op text not null,
  ref text,
  outcome text not null
    check (outcome in ('pending', 'applied', 'unchanged', 'review', 'declined', 'refused')),
  -- What it is about: a unit or a relation. No foreign key: it may be gone.
  resource_id uuid,
  resource_type text,
  -- 0: there was none before.
  version_before integer,
  version_after integer,
  -- Every version that it made, of whatever unit: [{ id, type, before, after }].
  changes jsonb not null default '[]',
  error jsonb,
  -- The receipt of an erasure, the conflict that was detected.
  result jsonb,
  review_item_id uuid,
  primary key (workspace_id, edit_id, position),
  foreign key (workspace_id, edit_id) references self_edit (workspace_id, id) on delete cascade,
  foreign key (workspace_id, review_item_id) references review_item (workspace_id, id)
    on delete set null (review_item_id)
);
create index self_edit_operation_resource on self_edit_operation (workspace_id, resource_id)
  where resource_id is not null;
create index self_edit_operation_review on self_edit_operation (workspace_id, review_item_id)
  where review_item_id is not null;

-- The operation as it was asked for. It goes with the unit that it is about, whoever erases that.
create table self_edit_content (
  workspace_id uuid not null,
  edit_id uuid not null,
  position smallint not null,
  unit_id uuid,
  operation jsonb not null,
  primary key (workspace_id, edit_id, position),
  foreign key (workspace_id, edit_id) references self_edit (workspace_id, id) on delete cascade,
  foreign key (workspace_id, unit_id) references unit (workspace_id, id) on delete cascade
);
create index self_edit_content_unit on self_edit_content (workspace_id, unit_id) where unit_id is not null;

alter table self_edit enable row level security;
alter table self_edit force row level security;
create policy self_edit_own on self_edit to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
  with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));
grant select, insert, update on self_edit to svc_app;

-- They are read through the edit alone, whose policy has the clearance.
alter table self_edit_operation enable row level security;
alter table self_edit_operation force row level security;
create policy self_edit_operation_own on self_edit_operation to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update on self_edit_operation to svc_app;

alter table self_edit_content enable row level security;
alter table self_edit_content force row level security;
create policy self_edit_content_own on self_edit_content to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update on self_edit_content to svc_app;

-- The profile's preferences and instructions, the pinned first: a few among very many facts.
create index unit_preference on unit (workspace_id, pinned, worth, id)
  where type = 'fact' and status in ('active', 'contested') and body ->> 'factType' in ('preference', 'instruction');

-- Reflection looks for what is stale, of which there is little.
create index unit_stale on unit (workspace_id, id) where stale;
