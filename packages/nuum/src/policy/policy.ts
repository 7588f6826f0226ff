import { realPath } from '../tools/files/real-path.ts';
import { concerns, type Decision, parseRule, type Rule, ruleText } from './rule.ts';

/** What the agent may do. Plain data: a worker thread is given it as it is. */
export interface Policy {
  readonly rules: readonly Rule[];
  /** Where a `~` leads and where a person keeps keys; undefined when there is no home. */
  readonly home: string | undefined;
}

/** Rules as they are written on a command line, `TOOL[:PATTERN]` each. */
export interface PolicyOptions {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly home?: string;
}

/** Reads a policy; throws a `RuleError` at the first rule that makes no sense. */
export function createPolicy(options: PolicyOptions): Policy {
  const read = (decision: Decision): Rule[] =>
    (options[decision] ?? []).map((text) => parseRule(decision, text));
  return {
    rules: [...read('deny'), ...read('ask'), ...read('allow')],
    home: options.home === undefined ? undefined : homeOf(options.home),
  };
}

function homeOf(path: string): string {
  try {
    return realPath(path);
  } catch {
    return path;
  }
}

/** The rules that no tool of these names falls under, as they were written: most likely a slip of the pen. */
export function idleRules(policy: Policy, tools: readonly string[]): string[] {
  return policy.rules.filter((rule) => !tools.some((name) => concerns(rule, { name }))).map(ruleText);
}
