import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ask, fileMemory, type OpenAgent, open, type Profile } from '@plugboard/host';
import { type Answer, createTurn, type End, type Event, type TurnInput } from '@plugboard/protocol';
import { type ModelServer, profileFor, temporaryDirectory } from '@plugboard/testkit';
import { onTestFinished } from 'vitest';
import type { RealAgent } from './table.ts';

/** One place with a fresh home, in which processes of the program are started. */
export interface Scene {
  /** In the environment of each of its processes, as a part of `HOME`. */
  readonly path: string;
  readonly workspace: string;
  readonly profile: Profile;
  /** The same profile, as the fields of a profile file. */
  readonly fields: Readonly<Record<string, unknown>>;
  open(): Conversation;
  /** Settles when a session that has begun can be resumed in a new process. */
  untilResumable(): Promise<void>;
}

interface Conversation {
  readonly agent: OpenAgent;
  run(text: string, more?: RunOptions): Promise<{ events: Event[]; end: End }>;
}

interface RunOptions {
  readonly ask?: Ask;
  readonly signal?: AbortSignal;
  readonly turn?: Partial<TurnInput>;
  onEvent?(event: Event): void;
}

export const by = (answer: Partial<Answer>): Answer => ({ by: 'ada', via: 'person', ...answer });

/** A person who answers each question in the same way. */
export const answering =
  (effect: 'allow' | 'deny', text?: string): Ask =>
  async ({ options }) => {
    const option = options.find((one) => one.effect?.startsWith(effect))?.id ?? '';
    return by({ option, ...(text === undefined ? {} : { text }) });
  };

/** Makes a fresh home and workspace, which the end of the test removes. */
export function createScene(agent: RealAgent, argv: readonly string[], model: ModelServer): Scene {
  const temporary = temporaryDirectory();
  const home = join(temporary.path, 'home');
  const workspace = join(temporary.path, 'workspace');
  for (const path of [home, workspace]) mkdirSync(path);
  const surroundings = { model: new URL(model.baseUrl).origin, home };
  for (const [name, content] of Object.entries(agent.files?.(surroundings) ?? {})) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), content);
  }
  const env = agent.environment(surroundings);
  const profile: Profile = {
    ...profileFor(agent.dialect, argv, workspace, { ...agent.settings, env }),
    inherit: 'base',
  };
  const opened: OpenAgent[] = [];
  onTestFinished(async () => {
    await Promise.all(opened.map((one) => one.close({ graceMs: 500 })));
    temporary[Symbol.dispose]();
  });
  const memory = fileMemory(join(temporary.path, 'memory'));
  return {
    path: temporary.path,
    profile,
    workspace,
    fields: { dialect: agent.dialect, command: argv, workspace, env, ...fileFields(agent.settings ?? {}) },
    open() {
      const one = open(profile, { environment: process.env, memory });
      opened.push(one);
      return converse(one);
    },
    untilResumable: () =>
      agent.resumesNextMinute === true ? sleep(60_100 - (Date.now() % 60_000)) : Promise.resolve(),
  };
}

/** Settings as a profile file spells them: `auth_method` for `authMethod`. */
function fileFields(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const spelled = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [spelled(name), value]));
}

let turns = 0;

function converse(agent: OpenAgent): Conversation {
  return {
    agent,
    async run(text, { ask, signal, turn, onEvent } = {}) {
      turns += 1;
      const asked = createTurn({ id: `t${turns}`, text, session: { key: 's' }, ...turn });
      const run = agent.run(asked, signal, ask);
      const events: Event[] = [];
      for await (const event of run) {
        events.push(event);
        onEvent?.(event);
      }
      return { events, end: await run.result };
    },
  };
}
