export { type CheckAgentOptions, checkAgent, listAgentCases } from './agent.ts';
export type { Level } from './case.ts';
export { type Detected, type DetectOptions, detectDialect } from './detect/detect.ts';
export { formatReport, PLAIN, type ReportStyle } from './format.ts';
export { type CheckHostOptions, checkHost, listHostCases } from './host.ts';
export type { CaseResult, Report } from './report.ts';
