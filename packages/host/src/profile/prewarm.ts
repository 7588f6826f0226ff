import { dialects, type HostSide, type Settings } from '@plugboard/protocol';
import type { Profile } from './profile.ts';

/** Why no process of this agent can wait for its turn, when `prewarm` asks for waiting processes. */
export function prewarmProblem({ dialect, settings, prewarm = 0 }: Profile): string | undefined {
  if (prewarm === 0) return undefined;
  // Each dialect takes its own settings, which are those of its profiles.
  const host = dialects[dialect].host as HostSide<Settings, unknown>;
  const problem = host.prewarmProblem(settings);
  return problem === undefined
    ? undefined
    : `No process can start before its turn: ${problem}. Leave this out.`;
}
