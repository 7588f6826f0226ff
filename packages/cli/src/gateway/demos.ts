import type { readConfig } from '@plugboard/gateway';
import type { DialectName } from '@plugboard/protocol';
import { demoProfile } from '../target.ts';
import type { Place } from './place.ts';

type Demos = Parameters<typeof readConfig>[1]['demos'];

/** One program, three dialects: what one has no form for, another has. */
const DEMOS: readonly [name: string, dialect: DialectName, description: string][] = [
  ['demo', 'agentproc/v4', 'Comes with Plugboard; streams its answers. Say help.'],
  ['demo-resident', 'nuum', 'The same, with tools, steering and reminders.'],
  ['demo-files', 'terminal', 'The same, with progress and files.'],
];

/** The agents that answer when a configuration names none. They write into a directory of their own. */
export function demoAgents({ demo }: Place): Demos {
  return new Map(
    DEMOS.map(([name, dialect, description]) => [
      name,
      { profile: { ...demoProfile(dialect), workspace: demo }, description },
    ]),
  );
}
