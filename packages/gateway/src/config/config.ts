import type { Profile } from '@plugboard/host';
import type { AccessPolicy } from '../access/policy.ts';
import type { SessionsBy } from '../channels/places.ts';
import type { MediaConfig } from './media-place.ts';
import type { Secret } from './secret.ts';

/** The configuration: validated, with defaults and absolute paths. */
export interface Config {
  /** Path of the file; absent when there was none. */
  readonly file?: string;
  /** All files that were read: the configuration, profiles and secrets. */
  readonly files: readonly string[];
  /**
   * Names in `env`, to which the file may refer. They are secrets of the gateway and are withheld from agents that
   * inherit the environment.
   */
  readonly env?: readonly string[];
  /** By name, in the order of the file; never empty. */
  readonly agents: ReadonlyMap<string, AgentConfig>;
  /** Set when the file names no agents: `agents` are then the demos. */
  readonly demos?: true;
  readonly defaultAgent: string;
  readonly server: ServerConfig;
  readonly store: StoreConfig;
  /** Where files are; absent: the data directory, or the database of a store in Postgres. */
  readonly media?: MediaConfig;
  readonly channels: ChannelsConfig;
  readonly limits: LimitsConfig;
  /** Kind of the spawner. */
  readonly spawn: 'auto' | 'native' | 'node' | 'direct';
  readonly log: LogConfig;
  /** The configuration for display, with the origin of each value and without secrets. */
  readonly shown: readonly ShownField[];
  /** Warnings about settings without effect, each with its `file:line`. Absent when there are none. */
  readonly remarks?: readonly string[];
}

/** A configured agent. */
export interface AgentConfig {
  readonly name: string;
  readonly description?: string;
  readonly profile: Profile;
  /** For resident agents: one process for all sessions instead of one per session. */
  readonly share: boolean;
  /** Idle time after which a resident process ends until the next message; 0 keeps it. */
  readonly parkAfterMs: number;
  /** Most concurrent turns; absent: unlimited. */
  readonly maxRunning?: number;
  /** Whether a turn that a crash interrupted is retried. */
  readonly onCrash: 'fail' | 'retry';
}

export interface ServerConfig {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Whether the operator allows access from other machines. */
  readonly exposed: boolean;
  /** Accepted names in `Host` beside the loopback names, in lower case. */
  readonly names: readonly string[];
  /** Addresses of proxies whose `X-Forwarded-For` is trusted. */
  readonly proxies: readonly string[];
  readonly bodyBytes: number;
  readonly mediaBytes: number;
  /** Rate limit per token or cookie. */
  readonly requestsPerMinute: number;
  /** Whether requests under `/v1` with an unknown field are refused. */
  readonly openaiStrict: boolean;
  /** Base URL of links, without a trailing slash. */
  readonly publicUrl?: string;
}

export interface StoreConfig {
  readonly driver: 'sqlite' | 'postgres';
  /** The database file; with `url`, the place of the lock of the data directory. */
  readonly file: string;
  readonly synchronous: 'full' | 'normal';
  /** The Postgres database, with the password. */
  readonly url?: Secret;
}

export interface ChannelsConfig {
  readonly web: { readonly enabled: boolean };
  readonly cli: { readonly enabled: boolean };
  /** Channels of platforms, by name. */
  readonly platforms: ReadonlyMap<string, PlatformConfig>;
}

/** A channel of a chat platform. */
export interface PlatformConfig {
  readonly name: string;
  /** `ChannelKind.name`. */
  readonly kind: string;
  /** Fields of its kind. */
  readonly settings: unknown;
  readonly sessions: SessionsBy;
  readonly progress: 'edit' | 'message' | 'off';
  /** Agent of new sessions; the default agent when absent. */
  readonly agent?: string;
  /** Agents that its people may have answer; all when absent. */
  readonly agents?: readonly string[];
  readonly access: AccessPolicy;
}

export interface LimitsConfig {
  /** Most concurrent turns. */
  readonly agents: number;
  /** Most idle processes of resident agents. */
  readonly resident: number;
  /** Most waiting messages in total; more are refused. */
  readonly waiting: number;
  /** Most waiting messages of one token, or of one `sender` in a channel. */
  readonly waitingPerPrincipal: number;
  readonly waitingPerSession: number;
  /** Timeout of a turn; 0 leaves it to the profile. */
  readonly turnMs: number;
  /** Time for running turns to end when the gateway stops. */
  readonly graceMs: number;
  /** Number of turns whose frames are recorded; 0 records none. */
  readonly recordings: number;
  /** Most bytes of one recording. */
  readonly recordingBytes: number;
  /** Age at which sessions are deleted; 0 keeps them for ever. */
  readonly retentionDays: number;
}

export interface LogConfig {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly format: 'text' | 'json';
}

/** A value as written in the file, or its default. */
export interface ShownField {
  /** Path of the field, as in `server.port`. */
  readonly field: string;
  readonly value: string;
  /** `file:line`, or `default`. */
  readonly origin: string;
}
