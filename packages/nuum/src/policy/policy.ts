import { realPath } from '../tools/files/real-path.ts';
import { appliesTo, type Decision, parseRule, type Rule, ruleText } from './rule.ts';

/** Plain data, since it is sent to worker threads. */
export interface Policy {
  readonly rules: readonly Rule[];
  /** The directory of `~` and of `IN_HOME` secrets. Undefined when there is no home. */
  readonly home: string | undefined;
  /** The file of the memory, which no rule opens: closing a second descriptor of it drops the locks of SQLite. */
  readonly memory?: string;
}

/** Rules as on the command line, each `TOOL[:PATTERN]`. */
export interface PolicyOptions {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly home?: string;
  readonly memory?: string;
}

/** Throws a `RuleError` for the first invalid rule. */
export function createPolicy(options: PolicyOptions): Policy {
  const read = (decision: Decision): Rule[] =>
    (options[decision] ?? []).map((text) => parseRule(decision, text));
  return {
    rules: [...read('deny'), ...read('ask'), ...read('allow')],
    home: options.home === undefined ? undefined : homeOf(options.home),
    ...(options.memory === undefined ? {} : { memory: options.memory }),
  };
}

function homeOf(path: string): string {
  try {
    return realPath(path);
  } catch {
    return path;
  }
}

/** The texts of rules that match none of these tools, most likely by a typing error. */
export function idleRules(policy: Policy, tools: readonly string[]): string[] {
  return policy.rules.filter((rule) => !tools.some((name) => appliesTo(rule, { name }))).map(ruleText);
}
