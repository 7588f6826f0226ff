import type { JsonObject, Permission } from '@plugboard/protocol';
import type { Permit } from '../loop/run-call.ts';
import { decideCall } from '../policy/decide.ts';
import type { Policy } from '../policy/policy.ts';

export type AskPermission = (tool: string, input: JsonObject) => Promise<Permission>;

/**
 * Applies the policy to a call: runs it, asks for permission, or refuses it with a reason that says what to do instead.
 */
export function permitBy(policy: Policy, directory: string, askPermission: AskPermission): Permit {
  return async (tool, input) => {
    const verdict = decideCall(policy, tool, tool.subjects(input, directory), directory);
    if (verdict.decision === 'allow') return { ok: true, input, paths: verdict.paths };
    if (verdict.decision === 'deny') return { ok: false, reason: `Not permitted. ${verdict.reason}` };
    const { allowed, reason = 'It was not allowed.', input: instead } = await askPermission(tool.name, input);
    if (!allowed) return { ok: false, reason: `Not permitted. ${verdict.reason} ${reason}` };
    return instead === undefined ? { ok: true, input, paths: verdict.paths } : checkAgain(tool, instead);
  };

  /** The host may have changed the input. The new one is parsed and checked like that of the model. */
  function checkAgain(tool: Parameters<Permit>[0], instead: JsonObject): Awaited<ReturnType<Permit>> {
    const parsed = tool.parse(instead);
    if (!parsed.ok) return { ok: false, reason: parsed.problem };
    const verdict = decideCall(policy, tool, tool.subjects(parsed.input, directory), directory);
    if (verdict.decision === 'deny') return { ok: false, reason: `Not permitted. ${verdict.reason}` };
    return { ok: true, input: parsed.input, paths: verdict.paths };
  }
}
