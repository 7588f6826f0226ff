import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../free-port.ts';
import { until } from '../processes.ts';

/** A real S3-compatible server: OpenStack Swift with its s3api, on loopback. It checks signatures and content hashes. */
export interface SwiftServer extends AsyncDisposable {
  readonly url: string;
  readonly keys: { readonly accessKey: string; readonly secretKey: string };
}

const SERVERS = ['account', 'container', 'object'] as const;

const PACKAGES = ['swift-proxy', 'swift-account', 'swift-container', 'swift-object'];

/** Installs the Debian packages when it can. Gives the reason when there is no Swift on this machine. */
export function findSwift(): string | undefined {
  if (existsSync('/usr/bin/swift-proxy-server')) return undefined;
  // The user of a CI machine may become root without a password.
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  if ((asRoot.length > 0 && process.env.CI !== 'true') || !existsSync('/usr/bin/apt-get'))
    return `OpenStack Swift is not installed, and this user cannot install it: apt-get install ${PACKAGES.join(' ')}`;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const [program = '', ...before] = [...asRoot, 'apt-get'];
  const apt = (args: readonly string[]): void =>
    void execFileSync(program, [...before, ...args], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 240_000,
    });
  try {
    apt(['update']);
    apt(['install', '-y', '--no-install-recommends', ...PACKAGES]);
  } catch (error) {
    return `OpenStack Swift could not be installed: ${String(error).slice(0, 500)}`;
  }
  return existsSync('/usr/bin/swift-proxy-server')
    ? undefined
    : 'OpenStack Swift is not where Debian has it.';
}

/** Starts four processes with files of their own: a proxy with s3api and tempauth, and its three back ends. */
export async function startSwift(): Promise<SwiftServer> {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-swift-'));
  const user = process.getuid?.() === 0 ? 'root' : execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
  const processes: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(
      processes.map(async (one) => {
        if (one.exitCode !== null || one.signalCode !== null) return;
        const exit = once(one, 'exit');
        one.kill('SIGKILL');
        await exit;
      }),
    );
    rmSync(home, { recursive: true, force: true });
  };
  try {
    const data = join(home, 'data');
    mkdirSync(join(data, 'sda'), { recursive: true });
    chmodSync(home, 0o755);
    writeFileSync(join(home, 'swift.conf'), SWIFT_CONF);
    for (const kind of SERVERS) {
      const port = await findFreePort();
      makeRing(home, kind, port);
      writeFileSync(join(home, `${kind}.conf`), backendConf({ home, user, kind, port }));
      processes.push(launch(home, kind));
    }
    const port = await findFreePort();
    writeFileSync(join(home, 'proxy.conf'), proxyConf({ home, user, port }));
    processes.push(launch(home, 'proxy'));
    const url = `http://127.0.0.1:${port}`;
    await until(() => isUp(url, processes), 'Swift answers', 150_000);
    return { url, keys: { accessKey: 'test:tester', secretKey: 'testing' }, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function isUp(url: string, processes: readonly ChildProcess[]): Promise<boolean> {
  const ended = processes.find(({ exitCode }) => exitCode !== null);
  if (ended !== undefined) throw new Error(`${ended.spawnargs.join(' ')} ended with ${ended.exitCode}`);
  return fetch(`${url}/healthcheck`).then(
    ({ ok }) => ok,
    () => false,
  );
}

function makeRing(home: string, kind: string, port: number): void {
  const builder = join(home, `${kind}.builder`);
  const run = (...args: string[]): void =>
    void execFileSync('swift-ring-builder', [builder, ...args], { stdio: 'ignore' });
  // 2^4 partitions, one replica.
  run('create', '4', '1', '0');
  run('add', `r1z1-127.0.0.1:${port}/sda`, '1');
  run('rebalance');
}

function launch(home: string, kind: string): ChildProcess {
  return spawn(`/usr/bin/swift-${kind}-server`, [join(home, `${kind}.conf`)], {
    env: { ...process.env, SWIFT_DIR: home },
    stdio: ['ignore', 'ignore', process.env.SWIFT_LOG === '1' ? 'inherit' : 'ignore'],
  });
}

const SWIFT_CONF = '[swift-hash]\nswift_hash_path_prefix = plugboard\nswift_hash_path_suffix = plugboard\n';

interface ServerSettings {
  readonly home: string;
  readonly user: string;
  readonly port: number;
}

function defaults({ home, user, port }: ServerSettings): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${user}
swift_dir = ${home}
devices = ${join(home, 'data')}
mount_check = false
log_address = ${join(home, 'no-log')}
`;
}

function backendConf(settings: ServerSettings & { readonly kind: string }): string {
  const { kind } = settings;
  return `${defaults(settings)}
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`;
}

function proxyConf(settings: ServerSettings): string {
  return `${defaults(settings)}
[pipeline:main]
pipeline = catch_errors healthcheck cache s3api tempauth copy slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
`;
}
