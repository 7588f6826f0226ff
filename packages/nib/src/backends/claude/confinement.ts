import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, parseJson } from '@plugboard/protocol';
import { type Policy, refusalOf } from './policy.ts';

/**
 * Runs an action with the arguments that confine `claude` to a policy. `--tools` takes all other tools away; a PreToolUse
 * hook, which is this program with `--permit`, decides about every call, and wins over rules of the author's own settings that
 * allow more. `--strict-mcp-config` leaves out the author's MCP servers.
 */
export async function withConfinement<T>(
  policy: Policy,
  { hook, temporary }: { readonly hook: readonly string[]; readonly temporary: string },
  action: (args: readonly string[]) => Promise<T>,
): Promise<T> {
  const tools = ['--strict-mcp-config', '--tools', policy.tools.join(',')];
  if (policy.tools.length === 0) return action(tools);
  const folder = mkdtempSync(join(temporary, 'nib-claude-'));
  try {
    const file = join(folder, 'policy.json');
    writeFileSync(file, JSON.stringify(policy), { mode: 0o600 });
    const command = [...hook, '--permit', file].map(quote).join(' ');
    const hooks = { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command }] }] };
    const settings = join(folder, 'settings.json');
    writeFileSync(settings, JSON.stringify({ hooks }), { mode: 0o600 });
    return await action([...tools, '--settings', settings]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The answer of the PreToolUse hook to a call, as JSON. A call that cannot be read is denied. */
export function decideCall(policyFile: string, call: string): string {
  const refusal = refuseCall(policyFile, call);
  const decision = refusal === undefined ? { permissionDecision: 'allow' } : deny(refusal);
  return JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } });
}

function deny(reason: string) {
  return { permissionDecision: 'deny', permissionDecisionReason: reason };
}

function refuseCall(policyFile: string, call: string): string | undefined {
  const read = parseJson(call);
  const policy: Policy = JSON.parse(readFileSync(policyFile, 'utf8'));
  if (!read.ok || !isObject(read.value)) return 'The call cannot be read.';
  const { tool_name: tool, tool_input: input, cwd } = read.value;
  if (typeof tool !== 'string' || typeof cwd !== 'string') return 'The call names no tool or no directory.';
  return refusalOf(policy, tool, input, cwd);
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
