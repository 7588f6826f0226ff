import { launcherWarnings } from '../policy/launchers.ts';
import { createPolicy, idleRules, type PolicyOptions } from '../policy/policy.ts';
import { ALL_TOOL_NAMES } from './names.ts';

/**
 * What the operator should know before the agent starts: rules for tools that do not exist, which protect nothing, and rules
 * that allow programs which start others. The tools of servers are not known before the servers are, and their names have
 * two underscores.
 */
export function warningsAbout(options: PolicyOptions): string[] {
  const policy = createPolicy(options);
  const idle = idleRules(policy, ALL_TOOL_NAMES).filter((rule) => !/^[^:]*__/.test(rule));
  return [
    ...idle.map((rule) => `The rule ${rule} holds for no tool that there is; check its name.`),
    ...launcherWarnings(policy),
  ];
}
