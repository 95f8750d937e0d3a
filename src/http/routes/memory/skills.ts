/** `/v1/memory/skills` */
import * as skills from "../../../operations/skills.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Skills",
  section: "Knowledge",
  description: "Reusable capabilities, on trial until their outcomes show that they are reliable.",
};

export const createSkill = route("post", "/memory/skills", skills.createSkill);
export const listSkills = route("get", "/memory/skills", skills.listSkills);
export const getSkill = route("get", "/memory/skills/{id}", skills.getSkill);
export const updateSkill = route("patch", "/memory/skills/{id}", skills.updateSkill);
export const archiveSkill = route("delete", "/memory/skills/{id}", skills.archiveSkill);
export const createSkills = route("post", "/memory/skills/batch", skills.createSkills);
export const forgetSkill = route("post", "/memory/skills/{id}/forget", skills.forgetSkill);
export const restoreSkill = route("post", "/memory/skills/{id}/restore", skills.restoreSkill);
export const listSkillRevisions = route("get", "/memory/skills/{id}/revisions", skills.listSkillRevisions);
export const recordSkillOutcome = route("post", "/memory/skills/{id}/outcome", skills.recordSkillOutcome);
