import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Profile } from '@plugboard/host';
import { profileFor, temporaryDirectory } from '@plugboard/testkit';
import type { Config } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/error.ts';
import { readConfig } from '../../src/config/read.ts';
import type { ReadConfigOptions } from '../../src/config/reading.ts';

export const DEMO: Profile = profileFor('agentproc', ['demo-agent'], '/');

const DEMOS: ReadConfigOptions['demos'] = new Map([
  ['demo', { profile: DEMO, description: 'Says things back' }],
  ['demo-resident', { profile: profileFor('nuum', ['demo-agent', '--stdio'], '/') }],
]);

/** A directory with a configuration in it, gone when the test is over. */
export interface Folder extends Disposable {
  readonly path: string;
  readonly config: string;
  /** Writes a file, `plugboard.yaml` unless named. */
  write(text: string, name?: string): string;
  read(environment?: Record<string, string>): Promise<Config>;
  /** What is wrong with the configuration, without the path of the directory. */
  problems(environment?: Record<string, string>): Promise<readonly string[]>;
}

export function folder(files: Readonly<Record<string, string>> | string = ''): Folder {
  const directory = temporaryDirectory();
  const { path } = directory;
  const config = join(path, 'plugboard.yaml');
  const write = (text: string, name = 'plugboard.yaml'): string => {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const entries = typeof files === 'string' ? { 'plugboard.yaml': files } : files;
  for (const [name, text] of Object.entries(entries)) write(text, name);
  const read: Folder['read'] = (environment = {}) => readConfig(config, optionsOf(path, environment));
  return {
    path,
    config,
    write,
    read,
    problems: async (environment) => {
      return (await problemsOf(read(environment))).map((problem) => problem.replaceAll(`${path}/`, ''));
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

export function optionsOf(path: string, environment: Record<string, string> = {}): ReadConfigOptions {
  return { environment, dataDirectory: join(path, 'data'), demos: DEMOS };
}

export async function problemsOf(reading: Promise<unknown>): Promise<readonly string[]> {
  try {
    await reading;
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

/** A configuration that says everything there is to say. */
export const WHOLE = `# yaml-language-server: $schema=./plugboard.schema.json
$schema: ./plugboard.schema.json
env: [TOKEN, NAME]
agents:
  coder:
    profile: ./coder.yaml
    description: Writes code
    max_running: 2
    on_crash: retry
  helper:
    dialect: terminal
    command: [python3, helper.py, "\${NOT_OURS}"]
    env: { TOKEN: "\${TOKEN}", GREETING: "Hello \${NAME}, $\${NAME}", PLAIN: text }
    share: true
    park_after_secs: 60
    max_running: 4
  demo: { demo: true }
default_agent: helper
server:
  host: 0.0.0.0
  port: 8080
  exposed: true
  names: [Chat.Example.org]
  proxies: [10.0.0.1, "::1"]
  body_bytes: 2048
  media_bytes: 4096
  requests_per_minute: 10
  openai_strict: true
  public_url: https://\${NAME}.example.org/
store: { driver: sqlite, file: ./own.db, synchronous: normal }
channels:
  web: { enabled: false }
  cli: { enabled: true }
limits:
  agents: 2
  waiting: 3
  waiting_per_session: 4
  turn_secs: 1.5
  grace_secs: 6
  recordings: 7
  recording_bytes: 2048
  retention_days: 9
spawn: node
log: { level: debug, format: json }
`;

export const CODER = 'dialect: nuum\ncommand: nuum --stdio\nname: coding\n';

export const ENVIRONMENT = { TOKEN: 'canary-7f3a', NAME: 'ada' };
