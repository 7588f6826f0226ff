import type { JsonObject, Permission } from '@plugboard/protocol';
import type { Permit } from '../loop/calls.ts';
import { decide } from '../policy/decide.ts';
import type { Policy } from '../policy/policy.ts';

/** Asks whoever is in charge. */
export type AskPermission = (tool: string, input: JsonObject) => Promise<Permission>;

/** Lets a call run, asks about it, or refuses it, as the policy says. What is refused comes with a way out. */
export function permitBy(policy: Policy, directory: string, askPermission: AskPermission): Permit {
  return async (tool, input) => {
    const verdict = decide(policy, tool, tool.subjects(input, directory), directory);
    if (verdict.decision === 'allow') return { ok: true, input, paths: verdict.paths };
    if (verdict.decision === 'deny') return { ok: false, reason: `Not permitted. ${verdict.reason}` };
    const { allowed, reason = 'It was not allowed.', input: instead } = await askPermission(tool.name, input);
    if (!allowed) return { ok: false, reason: `Not permitted. ${verdict.reason} ${reason}` };
    return instead === undefined ? { ok: true, input, paths: verdict.paths } : checkAgain(tool, instead);
  };

  /** What a person has changed is still input from outside. */
  function checkAgain(tool: Parameters<Permit>[0], instead: JsonObject): Awaited<ReturnType<Permit>> {
    const parsed = tool.parse(instead);
    if (!parsed.ok) return { ok: false, reason: parsed.problem };
    const verdict = decide(policy, tool, tool.subjects(parsed.input, directory), directory);
    if (verdict.decision === 'deny') return { ok: false, reason: `Not permitted. ${verdict.reason}` };
    return { ok: true, input: parsed.input, paths: verdict.paths };
  }
}
