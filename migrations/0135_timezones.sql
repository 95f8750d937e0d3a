-- Where people are, so that "yesterday" is their yesterday: by a turn's own offset, its session's zone, its workspace's.
set local lock_timeout = '3s';
alter table turn add column utc_offset text check (utc_offset ~ '^[+-][0-9]{2}:[0-9]{2}$');
alter table session add column timezone text check (octet_length(timezone) between 1 and 64);
alter table workspace add column timezone text check (octet_length(timezone) between 1 and 64);
