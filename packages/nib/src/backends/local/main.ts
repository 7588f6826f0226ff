import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { withoutUndefined } from '@plugboard/process';
import { terminalText } from '@plugboard/protocol';
import { VERSION } from '../../version.ts';
import { BackendError } from '../failure.ts';
import { wishOf } from '../flags.ts';
import { stateDirectory } from '../private-file.ts';
import { gitConfig } from './git-config.ts';
import type { World } from './handler.ts';
import { createAsk } from './model/ask.ts';
import { settle } from './settings.ts';

/** Runs the backend, or does what a person has started it for; ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  const wish = wishOf(argv);
  if (typeof wish === 'object') return refuse(`nib-agent-local takes no ${wish.unknown}. See --help.`);
  if (wish === 'version') return void process.stdout.write(`${VERSION}\n`);
  if (wish === 'help') return void process.stdout.write((await import('./help.ts')).HELP);
  if (wish === 'check') return check();
  if (process.stdin.isTTY && !existsSync(process.env.NIB_AGENT_REQUEST_FILE ?? ''))
    return refuse(
      'nib-agent-local is started by nib: NIB_AGENT=local nib … See --help; --check tries the server.',
    );
  const [{ serve }, { createHandler }] = await Promise.all([
    import('@plugboard/agent'),
    import('./handler.ts'),
  ]);
  await serve(createHandler(world()), { as: 'nib', version: VERSION });
}

function refuse(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 2;
}

function world(): World {
  const {
    NIB_AGENT_REQUEST_FILE: _file,
    NIB_LOCAL_API_KEY: _key,
    ...environment
  } = withoutUndefined(process.env);
  return {
    cwd: process.cwd(),
    environment,
    state: stateDirectory(process.env, homedir()),
    now: () => Date.now(),
    show: process.stdout.isTTY ? terminalText : (text) => text,
    settings: async (root, signal) => settle(process.env, await gitConfig(root, environment, signal)),
    ask: (settings) => createAsk(settings, { fetch: globalThis.fetch }),
  };
}

async function check(): Promise<void> {
  const { cwd, settings, ask } = world();
  const { checkServer } = await import('./check.ts');
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    const settled = await settings(cwd, new AbortController().signal);
    process.exitCode = (await checkServer(settled, ask(settled), globalThis.fetch, say)) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof BackendError)) throw error;
    refuse(error.message);
  }
}
