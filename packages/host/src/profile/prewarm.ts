import { dialects, type OneShotHost, type Settings } from '@plugboard/protocol';
import type { Profile } from './profile.ts';

/** Why no process of this agent can wait for its turn, when its profile asks for some. */
export function prewarmProblem({ dialect, settings, prewarm = 0 }: Profile): string | undefined {
  if (prewarm === 0) return undefined;
  const { host } = dialects[dialect];
  if (host.resident) return `${dialect} agents have one process that stays; leave this out.`;
  // Each dialect asks for its own settings, which are the ones of this profile.
  if ((host as OneShotHost<Settings, unknown>).prewarms(settings)) return undefined;
  const where = dialect === 'agentproc' ? 'environment' : 'command, variables or directory';
  return `No process can start before its turn: this agent has the turn in its ${where}. Leave this out.`;
}
