import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { lookUp } from '@plugboard/process';
import { KNOWN_AGENTS, type KnownAgent } from './known-agents.ts';

/** A known agent on this machine. */
export interface InstalledAgent {
  readonly agent: KnownAgent;
  /** Path of the program; undefined when it is not installed. */
  readonly path: string | undefined;
  /** What it answered to `--version`; undefined when it did not. */
  readonly version: string | undefined;
  /** The file or the variable that shows a login; undefined when none was seen, which proves nothing. */
  readonly login: string | undefined;
}

/** Time for `--version`: some of these programs are large scripts. */
const VERSION_MS = 20_000;

/** At most this many programs are asked for their version at once. */
const TOGETHER = 4;

/** Looks for every known agent on the `PATH` and asks those that are there for their version. */
export async function findInstalled(environment: NodeJS.ProcessEnv): Promise<InstalledAgent[]> {
  const found: InstalledAgent[] = [];
  for (let at = 0; at < KNOWN_AGENTS.length; at += TOGETHER) {
    const group = KNOWN_AGENTS.slice(at, at + TOGETHER);
    found.push(...(await Promise.all(group.map((agent) => examineAgent(agent, environment)))));
  }
  return found;
}

/** Looks for one agent. A program of the same name that does not answer `--version` has no `version`. */
export async function examineAgent(
  agent: KnownAgent,
  environment: NodeJS.ProcessEnv,
): Promise<InstalledAgent> {
  const [file = ''] = agent.profile.command;
  const env = { PATH: environment.PATH ?? '' };
  const { kind, path } = await lookUp({ file, args: [], cwd: process.cwd(), env });
  const login = findLogin(agent, environment);
  if (kind !== 'program') return { agent, path: undefined, version: undefined, login };
  return { agent, path, version: await askVersion(path, agent, environment), login };
}

function askVersion(
  path: string,
  { profile }: KnownAgent,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { env: { ...environment, ...profile.env }, timeout: VERSION_MS, maxBuffer: 1024 * 1024 };
    const child = execFile(path, ['--version'], options, (error, stdout) => {
      const line = stdout.split('\n').find((text) => /\d/.test(text));
      resolve(error === null ? line?.trim().slice(0, 80) : undefined);
    });
    child.stdin?.end();
  });
}

function findLogin({ files, keys }: KnownAgent, environment: NodeJS.ProcessEnv): string | undefined {
  const home = environment.HOME ?? homedir();
  const file = files.find((path) => existsSync(join(home, path)));
  return file === undefined ? keys.find((name) => (environment[name] ?? '') !== '') : `~/${file}`;
}
