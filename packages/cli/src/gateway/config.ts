import type { Config, readConfig } from '@plugboard/gateway';
import type { DialectName } from '@plugboard/protocol';
import { demoProfile } from '../target.ts';
import type { Place } from './place.ts';

/** Reads a configuration as `plugboard up` does; without a file, the default configuration with the demo agents. */
export async function loadConfig(file: string | undefined, place: Place): Promise<Config> {
  const { readConfig } = await import('@plugboard/gateway');
  return readConfig(file, {
    environment: process.env,
    dataDirectory: place.directory,
    demos: demoAgents(place),
  });
}

type Demos = Parameters<typeof readConfig>[1]['demos'];

/** The same demo program in 3 dialects: none of them has a form for all of its features. */
const DEMOS: readonly [name: string, dialect: DialectName, description: string][] = [
  ['demo', 'agentproc/v4', 'Comes with Plugboard; streams its answers. Say help.'],
  ['demo-resident', 'nuum', 'The same, with tools, steering and reminders.'],
  ['demo-files', 'terminal', 'The same, with progress and files.'],
];

const APPROVALS = { default: 'ask', rules: [], timeoutSecs: 300 } as const;

/** The agents that answer when a configuration names none. They write into a directory of their own. */
function demoAgents({ demo }: Place): Demos {
  return new Map(
    DEMOS.map(([name, dialect, description]) => [
      name,
      { profile: { ...demoProfile(dialect), workspace: demo, approvals: APPROVALS }, description },
    ]),
  );
}
