-- What the sweeper removes once its time is over, and how it finds it. Knowledge is never among it.
grant delete on job, svc_break_glass_request to svc_app;
create index job_finished on job (workspace_id, finished_at) where finished_at is not null;
create index reasoning_entry_expiry on reasoning_entry (workspace_id, expires_at) where expires_at is not null;
create index reasoning_entry_retired on reasoning_entry (workspace_id, updated_at) where broken or standing = 'retired';
create index reasoning_use_age on reasoning_use (workspace_id, used_at);
create index procedural_trajectory_age on procedural_trajectory (workspace_id, recorded_at);
