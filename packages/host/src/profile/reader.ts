export { checkFields, type Fields, isRecord, meant, problemAt } from './check.ts';
export type { Checked } from './checked.ts';
export type { Origin } from './create-profile.ts';
export { parseSource, type SourceDocument } from './document.ts';
export { readSource } from './file.ts';
export { profileFrom, profileSchemas } from './inline.ts';
export { prewarmProblem } from './prewarm.ts';
