import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { profileFor } from '@plugboard/testkit';
import type { AgentConfig } from '../../src/config/config.ts';

const SLEEPER = join(import.meta.dirname, 'sleeper.ts');

/** An agent whose alarm lies in a file of its session; `manner` is what it does wrong. */
export function sleeper(
  at: string,
  more: Partial<AgentConfig> = {},
  manner: 'well' | 'dies' | 'rings' | 'mute' = 'well',
): AgentConfig {
  const file = join(at, more.share === true ? 'shared' : '{session}');
  const argv = [process.execPath, SLEEPER, file, manner, '--stdio'];
  const profile = { ...profileFor('nuum', argv, at), name: 'sleeper' };
  return { name: 'sleeper', profile, share: false, parkAfterMs: 300_000, onCrash: 'fail', ...more };
}

/** How often its process has been started for a session. */
export function startsOf(at: string, name: string): number {
  const file = join(at, `${name}.starts`);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
}
