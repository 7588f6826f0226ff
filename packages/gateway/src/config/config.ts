import type { Profile } from '@plugboard/host';

/** What the gateway was told to do, checked, complete and with absolute paths. */
export interface Config {
  /** The file it was read from; absent when there was none. */
  readonly file?: string;
  /** Every file that was read for it: that one, profiles, secrets. */
  readonly files: readonly string[];
  /** The variables that the file may refer to: secrets of the gateway, not meant for every agent that inherits. Absent: none. */
  readonly env?: readonly string[];
  /** By name, in the order they were written; never empty. */
  readonly agents: ReadonlyMap<string, AgentConfig>;
  /** The file names no agents: these are the demos. */
  readonly demos?: true;
  readonly defaultAgent: string;
  readonly server: ServerConfig;
  readonly store: StoreConfig;
  readonly channels: ChannelsConfig;
  readonly limits: LimitsConfig;
  /** How agent processes are started. */
  readonly spawn: 'auto' | 'native' | 'node' | 'direct';
  readonly log: LogConfig;
  /** The same for people to read, with the place that each value comes from and without any secret. */
  readonly shown: readonly ShownField[];
  /** What is allowed but can hardly be meant, each with its place. Absent: nothing. */
  readonly remarks?: readonly string[];
}

/** One agent that people can talk to. */
export interface AgentConfig {
  readonly name: string;
  readonly description?: string;
  readonly profile: Profile;
  /** Resident agents: one process for all sessions rather than one for each. */
  readonly share: boolean;
  /** How long a resident process may be idle before it is ended until the next message; 0 is for ever. */
  readonly parkAfterMs: number;
  /** Turns at a time; absent: no limit of its own. */
  readonly maxRunning?: number;
  /** What becomes of a turn that a crash of the gateway interrupted. */
  readonly onCrash: 'fail' | 'retry';
}

export interface ServerConfig {
  readonly host: string;
  /** 0 is any free port. */
  readonly port: number;
  /** The operator has said that other machines may reach it. */
  readonly exposed: boolean;
  /** Host names that are answered beside the loopback's, in lower case. */
  readonly names: readonly string[];
  /** Addresses of peers whose Forwarded headers are believed. */
  readonly proxies: readonly string[];
  readonly bodyBytes: number;
  readonly mediaBytes: number;
  /** For each token or cookie. */
  readonly requestsPerMinute: number;
  /** Requests under `/v1` with a field that is not known are refused. */
  readonly openaiStrict: boolean;
  /** What links begin with, without a slash at the end. */
  readonly publicUrl?: string;
}

export interface StoreConfig {
  readonly driver: 'sqlite';
  readonly file: string;
  readonly synchronous: 'full' | 'normal';
}

export interface ChannelsConfig {
  readonly web: { readonly enabled: boolean };
  readonly cli: { readonly enabled: boolean };
}

export interface LimitsConfig {
  /** Turns that run at a time. */
  readonly agents: number;
  /** Processes of resident agents that stay while they have nothing to do. */
  readonly resident: number;
  /** Messages that may wait in all; more are refused. */
  readonly waiting: number;
  /** Messages of one token, or of one sender in a channel, that may wait. */
  readonly waitingPerPrincipal: number;
  readonly waitingPerSession: number;
  /** Longest time of any turn; 0 leaves it to the profile. */
  readonly turnMs: number;
  /** How long running turns have when the gateway is stopped. */
  readonly graceMs: number;
  /** Turns whose frames are kept for the inspector; 0 is none. */
  readonly recordings: number;
  /** Bytes of each of those. */
  readonly recordingBytes: number;
  /** 0 keeps everything for ever. */
  readonly retentionDays: number;
}

export interface LogConfig {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly format: 'text' | 'json';
}

/** A value as it was written, or the default that stands for it. */
export interface ShownField {
  /** Such as `server.port`. */
  readonly field: string;
  readonly value: string;
  /** `file:line`, or `default`. */
  readonly origin: string;
}
