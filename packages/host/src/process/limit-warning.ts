import { listUnenforcedLimits, type ResourceLimits } from '@plugboard/process';
import type { Log } from '@plugboard/protocol';
import type { Profile } from '../profile/profile.ts';

/** By `limits` rather than by profile: a resident agent gets a copy of its profile for each session. */
const warned = new WeakSet<ResourceLimits>();

/** A warning about limits that this machine cannot enforce, returned once per profile. */
export function takeLimitWarning({ name, limits }: Profile): Log | undefined {
  if (limits === undefined || warned.has(limits)) return undefined;
  warned.add(limits);
  const sentences = listUnenforcedLimits(limits);
  if (sentences.length === 0) return undefined;
  return { type: 'log', level: 'warning', text: `${name}: ${sentences.join(' ')}`, source: 'host' };
}
