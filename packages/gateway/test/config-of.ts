import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DialectName } from '@plugboard/host';
import type { Store } from '@plugboard/store';
import { profileFor, startedAs } from '@plugboard/testkit';
import type { Channel } from '../src/channels/channel.ts';
import type {
  AgentConfig,
  Config,
  LimitsConfig,
  PlatformConfig,
  ServerConfig,
} from '../src/config/config.ts';
import type { MediaConfig } from '../src/config/media-place.ts';
import type { Logger } from '../src/log.ts';

const WORKER = [process.execPath, join(import.meta.dirname, 'agents/worker.ts')];

/** An agent that does what it is told, in a dialect. */
export function worker(
  name: string,
  dialect: DialectName,
  workspace: string,
  more: Partial<AgentConfig> = {},
): AgentConfig {
  const profile = { ...profileFor(dialect, startedAs(dialect, WORKER), workspace), name };
  return { name, profile, share: false, parkAfterMs: 0, onCrash: 'fail', ...more };
}

/** An agent that is a line of shell: its text is what it says. */
export function shell(
  name: string,
  script: string,
  workspace: string,
  more: Partial<AgentConfig> = {},
): AgentConfig {
  const profile = { ...profileFor('terminal', ['/bin/sh', '-c', script], workspace), name };
  return { name, profile, share: false, parkAfterMs: 0, onCrash: 'fail', ...more };
}

export interface Setting {
  readonly agents?: (workspace: string) => readonly AgentConfig[];
  readonly limits?: Partial<LimitsConfig>;
  readonly server?: Partial<ServerConfig>;
  readonly channels?: readonly Channel[];
  /** Settings of these channels, by their names. */
  readonly platforms?: readonly PlatformConfig[];
  readonly media?: MediaConfig;
  readonly log?: Logger;
  readonly directory?: string;
  /** What the gateway is given instead of its store. */
  readonly storeFor?: (store: Store) => Store;
}

export const LIMITS: LimitsConfig = {
  agents: 8,
  resident: 32,
  waiting: 1_000,
  waitingPerPrincipal: 500,
  waitingPerSession: 20,
  turnMs: 0,
  graceMs: 5_000,
  recordings: 100,
  recordingBytes: 1_048_576,
  retentionDays: 0,
};

export function configOf(directory: string, setting: Setting): Config {
  // Beside what the gateway keeps, which no agent may hand out.
  const workspace = join(directory, 'workspace');
  mkdirSync(workspace, { recursive: true });
  const agents = setting.agents?.(workspace) ?? [
    shell('echo', 'echo "you said: $(cat | tr -d "\\n" | head -c 0)ok"', workspace),
  ];
  return {
    files: [],
    agents: new Map(agents.map((agent) => [agent.name, agent])),
    defaultAgent: agents[0]?.name ?? '',
    server: {
      host: '127.0.0.1',
      port: 0,
      exposed: false,
      names: [],
      proxies: [],
      bodyBytes: 1_048_576,
      mediaBytes: 1_048_576,
      requestsPerMinute: 100_000,
      openaiStrict: false,
      ...setting.server,
    },
    store: { driver: 'sqlite', file: join(directory, 'gateway.db'), synchronous: 'normal' },
    ...(setting.media === undefined ? {} : { media: setting.media }),
    channels: {
      web: { enabled: true },
      cli: { enabled: true },
      platforms: new Map((setting.platforms ?? []).map((one) => [one.name, one])),
    },
    limits: { ...LIMITS, ...setting.limits },
    spawn: 'direct',
    log: { level: 'info', format: 'text' },
    env: [],
    shown: [],
  };
}
