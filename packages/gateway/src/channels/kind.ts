import type { ZodObject } from 'zod';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import type { Channel } from './channel.ts';
import type { SessionsBy } from './places.ts';

/** A chat platform: how it is configured, and how its channel is made. Its client library is loaded by `load` alone. */
export interface ChannelKind<Settings = unknown> {
  /** Value of `kind` in the configuration, and the name of the folder. */
  readonly name: string;
  /** Name of the platform, for people. */
  readonly title: string;
  /** Fields in the configuration beside those that all channels have. */
  readonly fields: ZodObject;
  /** Field that no two channels of this kind may share: platforms give each message to one of them alone. */
  readonly account?: string;
  /** Why the fields do not work together; undefined when they do. */
  settingsProblem?(settings: Settings): string | undefined;
  /** Why an entry of `allow` or `owners` cannot be the id of a person; undefined when it can. */
  personProblem?(id: string): string | undefined;
  /** Packages of npm that `load` imports; they are optional dependencies. */
  readonly packages: readonly string[];
  /** What `plugboard channel add` says and asks. */
  readonly setup: ChannelSetup;
  load(): Promise<ChannelModule<Settings>>;
}

export interface ChannelSetup {
  /** What a person does on the platform first, one step each. */
  readonly steps: readonly string[];
  /** The fields that must be known. Secrets are kept in files of their own. */
  readonly questions: readonly {
    readonly field: string;
    readonly question: string;
    readonly secret?: true;
    /** Why a value cannot be right; undefined when it can. */
    check?(value: string): string | undefined;
    /** Whether the question is asked beside the fields that are known already; always when absent. */
    isAsked?(fields: Readonly<Record<string, unknown>>): boolean;
  }[];
}

export interface ChannelModule<Settings> {
  create(given: ChannelGiven<Settings>): Channel;
  /** Asks the platform who the bot is. Rejects with a sentence when the key is refused. */
  prove(given: Pick<ChannelGiven<Settings>, 'settings'>): Promise<Proof>;
}

/** What the platform says about a key. */
export interface Proof {
  /** Name of the bot, as people see it. */
  readonly name: string;
  /** Opens a conversation with the bot. With `code`, the person's first message carries it where the platform can do that. */
  link?(code?: string): string;
  /** Settings on the platform that will keep messages away, each with its remedy. */
  readonly remarks: readonly string[];
}

/** What a channel is made of. */
export interface ChannelGiven<Settings> {
  readonly name: string;
  /** Parsed by `ChannelKind.fields`, with secrets that `reveal()` tells. */
  readonly settings: Settings;
  readonly sessions: SessionsBy;
  readonly progress: 'edit' | 'message' | 'off';
  /** Commands of the gateway, for the menus of the platform. */
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  /** The largest file that is downloaded. */
  readonly mediaBytes: number;
  /** Directory for files of this channel; `create` may find it missing. Absent in tests and in `prove`. */
  readonly directory?: string;
  readonly clock: Clock;
  readonly log: Logger;
}
