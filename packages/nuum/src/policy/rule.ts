import { compileWildcard, matchesWildcard } from '../tools/pattern/wildcard.ts';
import type { Tool } from '../tools/tool.ts';

export type Decision = 'allow' | 'ask' | 'deny';

/** A rule `TOOL[:PATTERN]`. Plain data, since it is sent to worker threads. */
export interface Rule {
  readonly decision: Decision;
  /** The name of a tool, or a pattern with `*`. */
  readonly tool: string;
  /** The pattern of a subject. A rule without one matches every call. */
  readonly pattern?: string;
}

export class RuleError extends Error {
  override readonly name = 'RuleError';
}

/** A rule for the tool on the right also matches the tool on the left. */
const COVERED_BY: ReadonlyMap<string, string> = new Map([
  ['edit', 'write'],
  ['glob', 'read'],
  ['grep', 'read'],
]);

const LONGEST_PATTERN = 4096;

/** Parses `TOOL[:PATTERN]`; throws a `RuleError` that names the problem. */
export function parseRule(decision: Decision, text: string): Rule {
  const colon = text.indexOf(':');
  const tool = (colon < 0 ? text : text.slice(0, colon)).trim();
  const pattern = colon < 0 ? undefined : text.slice(colon + 1).trim();
  const complain = (what: string): never => {
    throw new RuleError(`The rule --${decision} ${JSON.stringify(text)} ${what}.`);
  };
  if (tool === '') complain('names no tool; write TOOL or TOOL:PATTERN, such as bash:ls *');
  if (!/^[A-Za-z0-9_*-]{1,64}$/.test(tool)) {
    complain('names a tool that cannot exist; letters, digits, _, - and * are possible');
  }
  if (pattern === '') complain('has nothing after the colon; leave the colon out to mean every call');
  if (pattern !== undefined && pattern.length > LONGEST_PATTERN) complain('is too long');
  if (pattern?.includes('\0')) complain('holds a zero byte');
  return { decision, tool, ...(pattern === undefined ? {} : { pattern }) };
}

export function ruleText({ decision, tool, pattern }: Rule): string {
  return `--${decision} ${pattern === undefined ? tool : `${tool}:${pattern}`}`;
}

/** Whether the `tool` pattern of a rule matches a tool. */
export function appliesTo(rule: Rule, tool: Pick<Tool, 'name'>): boolean {
  const names = [tool.name, COVERED_BY.get(tool.name)].filter((name) => name !== undefined);
  const wildcard = compileWildcard(rule.tool);
  return names.some((name) => matchesWildcard(wildcard, name));
}
