/** `/v1/memory/admin` */
import * as jobs from "../../../operations/jobs.ts";
import * as stats from "../../../operations/stats.ts";
import * as transfer from "../../../operations/transfer.ts";
import { download } from "../../download.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Jobs, export and import",
  section: "Administration",
  description: "Consolidation, jobs, usage statistics, export and import.",
};

export const consolidate = route("post", "/memory/admin/consolidate", jobs.consolidate);
export const listJobs = route("get", "/memory/admin/jobs", jobs.listJobs);
export const getJob = route("get", "/memory/admin/jobs/{id}", jobs.getJob);
export const revertJob = route("post", "/memory/admin/jobs/{id}/revert", jobs.revertJob);
export const getUsageStats = route("get", "/memory/admin/stats", stats.getUsageStats);
export const exportMemory = download("post", "/memory/admin/export", transfer.exportMemory);
export const importMemory = route("post", "/memory/admin/import", transfer.importMemory);
