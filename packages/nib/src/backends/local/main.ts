import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { withoutUndefined } from '@plugboard/process';
import { terminalText } from '@plugboard/protocol';
import { VERSION } from '../../version.ts';
import { readCommandOutput } from '../command-output.ts';
import { BackendError } from '../failure.ts';
import { parseFlags } from '../flags.ts';
import { getStateDirectory } from '../private-file.ts';
import type { BackendEnv } from './handler.ts';
import { createAsk } from './model/ask.ts';
import { GIT_SECTION, resolveSettings } from './settings.ts';

/** Serves nib, or runs `--check`, `--help` or `--version`; sets `process.exitCode`. */
export async function main(argv: readonly string[]): Promise<void> {
  const mode = parseFlags(argv);
  if (typeof mode === 'object') return refuseStart(`nib-agent-local takes no ${mode.unknown}. See --help.`);
  if (mode === 'version') return void process.stdout.write(`${VERSION}\n`);
  if (mode === 'help') return void process.stdout.write(HELP);
  if (mode === 'check') return checkSetup();
  if (process.stdin.isTTY && !existsSync(process.env.NIB_AGENT_REQUEST_FILE ?? ''))
    return refuseStart(
      'nib-agent-local is started by nib: NIB_AGENT=local nib … See --help; --check tries the server.',
    );
  const [{ serve }, { createHandler }] = await Promise.all([
    import('@plugboard/agent'),
    import('./handler.ts'),
  ]);
  await serve(createHandler(createBackendEnv()), { as: 'nib', version: VERSION });
}

function refuseStart(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 2;
}

function createBackendEnv(): BackendEnv {
  const {
    NIB_AGENT_REQUEST_FILE: _file,
    NIB_LOCAL_API_KEY: _key,
    ...environment
  } = withoutUndefined(process.env);
  return {
    cwd: process.cwd(),
    environment,
    state: getStateDirectory(process.env, homedir()),
    now: () => Date.now(),
    show: process.stdout.isTTY ? terminalText : (text) => text,
    settings: async (root, signal) =>
      resolveSettings(process.env, await readGitConfig(root, environment, signal)),
    ask: (settings) => createAsk(settings, { fetch: globalThis.fetch, now: Date.now }),
  };
}

async function checkSetup(): Promise<void> {
  const { cwd, settings, ask } = createBackendEnv();
  const { checkServer } = await import('./check-server.ts');
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    const settled = await settings(cwd, new AbortController().signal);
    process.exitCode = (await checkServer(settled, ask(settled), globalThis.fetch, say)) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof BackendError)) throw error;
    refuseStart(error.message);
  }
}

const HELP = `nib-agent-local: nib's backend for models on your own machine, or behind any OpenAI-compatible server.

nib starts it: NIB_AGENT=local nib ct ask "Who has the key?", or for good: git config nib.agent local

  --check     try whether the server and the model are there
  --version   print the version
  --help      print this

Settings, each by a variable or in git's configuration:
  NIB_LOCAL_ENDPOINT     nib.agents.local.endpoint     http://localhost:1234/v1
  NIB_LOCAL_MODEL        nib.agents.local.model        qwen3-30b-a3b
  NIB_LOCAL_API_KEY      nib.agents.local.api-key      none
  NIB_LOCAL_NO_THINK     nib.agents.local.no-think     true
  NIB_LOCAL_MAX_TOKENS   nib.agents.local.max-tokens   4096, of one answer
  NIB_LOCAL_MAX_CALLS    nib.agents.local.max-calls    20, in one operation
`;

const TIME_MS = 5_000;

/** The git settings of this backend, by the last part of each key; empty without git or a repository. */
export async function readGitConfig(
  cwd: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const pattern = `^${GIT_SECTION.replaceAll('.', '\\.')}\\.`;
  const args = ['config', '-z', '--get-regexp', pattern];
  const { text } = await readCommandOutput({ file: 'git', args, cwd, env }, TIME_MS, signal);
  return parseEntries(text);
}

/**
 * Parses `git config -z`: entries end in a zero byte, the key at the first line end. The last of several values wins.
 */
export function parseEntries(text: string): Record<string, string> {
  const entries = text.split('\0').map((entry) => {
    const at = entry.indexOf('\n');
    // A key without a value means `true` in git.
    const [key, value] = at === -1 ? [entry, 'true'] : [entry.slice(0, at), entry.slice(at + 1)];
    return [key.slice(GIT_SECTION.length + 1), value.trim()] as const;
  });
  return Object.fromEntries(entries.filter(([name]) => name !== ''));
}
