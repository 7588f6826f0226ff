import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findFreePort } from '../free-port.ts';
import { until } from '../processes.ts';
import { findPostgresPrograms, type PostgresPrograms, publish } from './postgres-programs.ts';

/** A Postgres server of one test file, on loopback. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  /** URL of the database `postgres`, as the superuser. */
  readonly url: string;
  /** Makes an empty database, or a copy of the one at the URL `original`, which nobody may have open. Resolves to its URL. */
  createDatabase(original?: string): Promise<string>;
  /** Ends the server. `fast` closes connections in order, `immediate` as in a crash, `kill` by SIGKILL. */
  stop(how?: 'fast' | 'immediate' | 'kill'): Promise<void>;
  /** Starts the server again on its data, at the same port. */
  start(): Promise<void>;
}

/** User `nobody` on Linux: Postgres refuses to run as root, and `initdb` needs a user with a name. */
const UNPRIVILEGED = 65_534;

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;

/**
 * Starts a server with an empty data directory, which `initdb` made for an earlier test file or makes now. `durable: false`
 * turns `fsync` off, for tests that end no server.
 */
export async function startPostgres({ durable = true } = {}): Promise<PostgresServer> {
  const programs = findPostgresPrograms();
  const home = mkdtempSync(join(tmpdir(), 'plugboard-postgres-'));
  const data = join(home, 'data');
  cpSync(findTemplate(programs), data, { recursive: true });
  giveAway(home);
  const port = await findFreePort();
  const url = urlOf(port, 'postgres');
  let server: ChildProcess | undefined;
  let databases = 0;

  const launch = (): ChildProcess => {
    const settings = [
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      `fsync=${durable}`,
    ];
    const flags = settings.flatMap((setting) => ['-c', setting]);
    return spawn(programs.postgres, ['-D', data, ...flags], { ...runAs(), stdio: 'ignore' });
  };
  const start = async (): Promise<void> => {
    server = launch();
    const isUp = async (): Promise<boolean> => {
      // After SIGKILL, the memory of the old server is in use until its last process has ended: a start then fails.
      if (server !== undefined && hasEnded(server)) server = launch();
      return answers(url);
    };
    await until(isUp, 'Postgres answers', 30_000);
  };
  const stop = async (how: keyof typeof SIGNALS = 'fast'): Promise<void> => {
    const ended = server;
    server = undefined;
    if (ended === undefined || hasEnded(ended)) return;
    const exit = once(ended, 'exit');
    ended.kill(SIGNALS[how]);
    await exit;
  };

  await start();
  return {
    port,
    url,
    async createDatabase(original) {
      databases += 1;
      const name = `test${databases}`;
      const template = original === undefined ? 'template1' : new URL(original).pathname.slice(1);
      await runOn(url, `create database ${name} template ${template} strategy file_copy`);
      return urlOf(port, name);
    },
    stop,
    start,
    async [Symbol.asyncDispose]() {
      await stop('immediate');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function urlOf(port: number, database: string): string {
  return `postgres://postgres@127.0.0.1:${port}/${database}`;
}

/** A data directory in `node_modules/.cache`: `initdb` takes 0.7 s, a copy 0.1 s. */
function findTemplate(programs: PostgresPrograms): string {
  const cache = join(import.meta.dirname, '../../../../node_modules/.cache');
  const template = join(
    cache,
    `postgres-data-${createHash('sha256').update(programs.postgres).digest('hex').slice(0, 8)}`,
  );
  if (existsSync(template)) return template;
  const home = mkdtempSync(join(tmpdir(), 'plugboard-initdb-'));
  giveAway(home);
  const data = join(home, 'data');
  // Releases before 17 have no locales of their own.
  const provider = process.env.PLUGBOARD_POSTGRES ? [] : ['--locale-provider=builtin'];
  const locale = ['--encoding=UTF8', ...provider, '--locale=C.UTF-8'];
  execFileSync(programs.initdb, ['-D', data, '-U', 'postgres', '-A', 'trust', '-N', ...locale], {
    ...runAs(),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const partial = `${template}-${process.pid}`;
  cpSync(data, partial, { recursive: true });
  rmSync(home, { recursive: true });
  publish(partial, template);
  return template;
}

function runAs(): { uid?: number; gid?: number; cwd: string } {
  const isRoot = process.getuid?.() === 0;
  return { cwd: tmpdir(), ...(isRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}) };
}

/** As root, changes the owner of a directory tree to `UNPRIVILEGED`. */
function giveAway(path: string): void {
  if (process.getuid?.() !== 0) return;
  chownSync(path, UNPRIVILEGED, UNPRIVILEGED);
  if (!lstatSync(path).isDirectory()) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) giveAway(join(path, name));
}

async function answers(url: string): Promise<boolean> {
  return runOn(url, 'select 1').then(
    () => true,
    () => false,
  );
}

async function runOn(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(sql);
  } finally {
    await client.end().catch(() => {});
  }
}
