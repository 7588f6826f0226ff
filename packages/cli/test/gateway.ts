import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLUGBOARD, until } from '@plugboard/testkit';
import { ENVIRONMENT, type Finished, type Options, plugboard } from './plugboard.ts';

/** A place for a gateway, in which one can be started several times. */
export interface Home extends AsyncDisposable {
  readonly path: string;
  readonly data: string;
  /** What its gateways take for the directory of temporary files. */
  readonly temporary: string;
  /** Writes `plugboard.yaml`, or another file of this place. */
  write(text: string, name?: string): string;
  /** Starts a gateway and waits until it is up. */
  up(...args: string[]): Promise<Up>;
  /** Starts one that is expected to end by itself. */
  start(args: readonly string[], stdio?: readonly ['pipe' | number, 'pipe' | number, 'pipe' | number]): Up;
  /** Runs another command for the gateway of this place. */
  run(args: readonly string[], options?: Options): Promise<Finished>;
}

/** A gateway process. */
export interface Up {
  readonly child: ChildProcess;
  readonly stdout: string;
  readonly stderr: string;
  readonly url: string;
  readonly ended: Promise<number | null>;
  end(signal?: NodeJS.Signals): Promise<number | null>;
  /** A request of the operator. */
  api<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer<T>>;
}

export interface Answer<T> {
  readonly status: number;
  readonly json: T;
}

/** A machine on which the helper has been compiled already, unless it is to be a fresh one. */
export function home(config?: string, { fresh = false } = {}): Home {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-test-')));
  const data = join(path, 'data');
  const temporary = join(path, 'tmp');
  mkdirSync(temporary);
  if (!fresh) shareHelper(data);
  const ups: Up[] = [];
  const write = (text: string, name = 'plugboard.yaml'): string => {
    writeFileSync(join(path, name), text, { mode: 0o600 });
    return join(path, name);
  };
  if (config !== undefined) write(config);
  const start: Home['start'] = (args, stdio = ['pipe', 'pipe', 'pipe']) => {
    const [node = '', program = ''] = PLUGBOARD;
    const env = { ...ENVIRONMENT, TMPDIR: temporary, PLUGBOARD_TOKEN: '' };
    const child = spawn(node, [program, 'up', '--data', data, ...args], {
      cwd: path,
      env,
      stdio: [...stdio],
    });
    const up = upOf(child, join(data, 'gateway.json'));
    ups.push(up);
    return up;
  };
  return {
    path,
    data,
    temporary,
    write,
    start,
    async up(...args) {
      const port = args.includes('--port') ? [] : ['--port', '0'];
      const up = start([...port, ...args]);
      const over = up.ended.then(() => true);
      await until(
        async () => up.url !== '' || (await Promise.race([over, false])),
        `the gateway comes up: ${up.stderr}`,
        20_000,
      );
      if (up.url === '') throw new Error(`The gateway did not come up: ${up.stderr}`);
      return up;
    },
    run: ([command = '', ...args], options = {}) =>
      plugboard([command, ...args, '--data', data], {
        cwd: path,
        ...options,
        env: { PLUGBOARD_TOKEN: '', ...options.env },
      }),
    async [Symbol.asyncDispose]() {
      for (const { child } of ups) child.kill('SIGKILL');
      await Promise.all(ups.map(({ ended }) => ended));
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function shareHelper(data: string): void {
  const shared = join(tmpdir(), 'plugboard-test-helper');
  mkdirSync(shared, { recursive: true, mode: 0o700 });
  mkdirSync(data, { mode: 0o700 });
  symlinkSync(shared, join(data, 'cache'));
}

/** A gateway process that was started, as those who use it see it. */
export function upOf(child: ChildProcess, instanceFile: string): Up {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const ended = new Promise<number | null>((resolve) => {
    child.on('exit', (code) => resolve(code));
  });
  const up: Up = {
    child,
    ended,
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
    get url() {
      return /^http:\S+(?=\n)/.exec(stdout)?.[0] ?? '';
    },
    end(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
    async api(method, path, body) {
      const { url, token } = instanceAt(instanceFile);
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, json: text.startsWith('{') ? JSON.parse(text) : { text } };
    },
  };
  return up;
}

interface Instance {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
}

export function instanceAt(file: string): Instance {
  if (!existsSync(file)) throw new Error(`There is no ${file}.`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

export interface Logged {
  readonly number: number;
  readonly turnId: string | null;
  readonly event: { readonly type: string; readonly [field: string]: unknown };
}

/** A session in which something was said. */
export interface Said {
  readonly id: string;
  events(up?: Up): Promise<readonly Logged[]>;
  /** Waits for an event. */
  hears(what: string, test: (event: Logged['event']) => boolean, up?: Up): Promise<Logged['event']>;
}

/** Begins a session with an agent and says something in it. */
export async function say(first: Up, text: string, agent?: string): Promise<Said> {
  const chosen = agent === undefined ? {} : { agent };
  const { json: session } = await first.api<{ id: string }>('POST', '/api/sessions', chosen);
  const answer = await first.api('POST', `/api/sessions/${session.id}/messages`, { text });
  if (answer.status >= 300) throw new Error(`${answer.status}: ${JSON.stringify(answer.json)}`);
  const events = async (up = first): Promise<readonly Logged[]> =>
    (await up.api<{ events: Logged[] }>('GET', `/api/sessions/${session.id}/events?after=0`)).json.events;
  return {
    id: session.id,
    events,
    async hears(what, test, up = first) {
      let found: Logged | undefined;
      await until(
        async () => {
          found = (await events(up)).find(({ event }) => test(event));
          return found !== undefined;
        },
        what,
        15_000,
      );
      return found?.event ?? { type: '' };
    },
  };
}

/** An agent that begins to answer and then takes its time, as it stands in a configuration. Its processes carry the mark. */
export function slowAgent(mark: string, seconds = 60): string {
  return shellAgent(`echo 'AGENT_PARTIAL:"begun"'; sleep ${seconds}; echo done; : ${mark}`);
}

/** A line of shell as an agent in a configuration. */
export function shellAgent(script: string): string {
  return `{ dialect: agentproc, command: [/bin/sh, -c, ${JSON.stringify(script)}] }`;
}

/** The agent of a slow turn has begun. */
export const begun = ({ type, text }: Logged['event']): boolean => type === 'delta' && text === 'begun';

export const ended = ({ type }: Logged['event']): boolean => type === 'end';
