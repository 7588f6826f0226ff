import { createPolicy, idleRules, type PolicyOptions } from '../policy/policy.ts';
import { ALL_TOOL_NAMES } from './names.ts';

/**
 * What the operator should know before the agent starts: a rule for a tool that there is not protects nothing. The tools of
 * servers are not known before the servers are, and their names have two underscores.
 */
export function warningsAbout(policy: PolicyOptions): string[] {
  return idleRules(createPolicy(policy), ALL_TOOL_NAMES)
    .filter((rule) => !/^[^:]*__/.test(rule))
    .map((rule) => `The rule ${rule} holds for no tool that there is; check its name.`);
}
