import { launcherWarnings } from '../policy/launcher-warnings.ts';
import { createPolicy, idleRules, type PolicyOptions } from '../policy/policy.ts';
import { ALL_TOOL_NAMES } from './names.ts';

/**
 * Warnings before the start: rules for tools that do not exist, and rules that allow a launcher (`launcherWarnings`).
 * MCP tools are unknown before their servers run; their names have two underscores.
 */
export function warningsAbout(options: PolicyOptions): string[] {
  const policy = createPolicy(options);
  const idle = idleRules(policy, ALL_TOOL_NAMES).filter((rule) => !/^[^:]*__/.test(rule));
  return [
    ...idle.map((rule) => `The rule ${rule} holds for no tool that there is; check its name.`),
    ...launcherWarnings(policy),
  ];
}
