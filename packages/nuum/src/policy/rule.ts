import { compileWildcard, matchesWildcard } from '../tools/pattern/wildcard.ts';
import type { Tool } from '../tools/tool.ts';

/** What may be said about a call. */
export type Decision = 'allow' | 'ask' | 'deny';

/** One line of a policy, `TOOL[:PATTERN]`. Plain data: a worker thread is given it as it is. */
export interface Rule {
  readonly decision: Decision;
  /** A tool's name, or a pattern with `*` for several. */
  readonly tool: string;
  /** What the call must touch; without one, the rule holds for every call. */
  readonly pattern?: string;
}

/** A rule that cannot be read. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
}

/** Tools that do the same kind of thing: a rule for the name on the right also holds for the tool on the left. */
const COVERED_BY: ReadonlyMap<string, string> = new Map([
  ['edit', 'write'],
  ['glob', 'read'],
  ['grep', 'read'],
]);

const LONGEST_PATTERN = 4096;

/** Reads a rule as it is written on a command line. */
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

/** A rule as it was written. */
export function ruleText({ decision, tool, pattern }: Rule): string {
  return `--${decision} ${pattern === undefined ? tool : `${tool}:${pattern}`}`;
}

/** Whether a rule speaks of a tool at all. */
export function concerns(rule: Rule, tool: Pick<Tool, 'name'>): boolean {
  const names = [tool.name, COVERED_BY.get(tool.name)].filter((name) => name !== undefined);
  const wildcard = compileWildcard(rule.tool);
  return names.some((name) => matchesWildcard(wildcard, name));
}
