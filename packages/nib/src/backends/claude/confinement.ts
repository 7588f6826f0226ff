import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, parseJson } from '@plugboard/protocol';
import { explainRefusal, type Policy } from './policy.ts';

/**
 * Runs an action with the arguments that confine `claude` to a policy. `--tools` removes all other tools. A PreToolUse
 * hook, which is this program with `--permit`, decides about every call, and overrides rules of the author's settings
 * that allow more. `--strict-mcp-config` disables the author's MCP servers.
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
    const command = [...hook, '--permit', file].map(quoteWord).join(' ');
    const hooks = { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command }] }] };
    const settings = join(folder, 'settings.json');
    writeFileSync(settings, JSON.stringify({ hooks }), { mode: 0o600 });
    return await action([...tools, '--settings', settings]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The JSON answer of the PreToolUse hook to a call. An invalid call is denied. */
export function decideCall(policyFile: string, call: string): string {
  const refusal = refuseCall(policyFile, call);
  const decision = refusal === undefined ? { permissionDecision: 'allow' } : createDenial(refusal);
  return JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } });
}

function createDenial(reason: string) {
  return { permissionDecision: 'deny', permissionDecisionReason: reason };
}

function refuseCall(policyFile: string, call: string): string | undefined {
  const read = parseJson(call);
  const policy: Policy = JSON.parse(readFileSync(policyFile, 'utf8'));
  if (!read.ok || !isObject(read.value)) return 'The call cannot be read.';
  const { tool_name: tool, tool_input: input, cwd } = read.value;
  if (typeof tool !== 'string' || typeof cwd !== 'string') return 'The call names no tool or no directory.';
  return explainRefusal(policy, tool, input, cwd);
}

function quoteWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
