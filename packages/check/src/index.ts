export { type CheckAgentOptions, checkAgent, listAgentCases } from './agent.ts';
export type { Level } from './case.ts';
export { formatReport, PLAIN, type ReportStyle } from './format.ts';
export type { CaseResult, Report } from './report.ts';
