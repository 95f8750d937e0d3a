/** Words by which a conversation says that something holds no more. */
export const ENDS =
  /\b(?:cancel(?:s|led|ed|ling)?|call(?:s|ed)? off|no longer|any ?more|any longer|stopped|stops|quits?|ends?|ended|repaired|fixed|returned|sold|broke up|removed|revoked|dropped|refused|scrap(?:ped)?|(?:is|are|was) off(?=[.,;!]|$)|given up|gave up)\b/iu;
