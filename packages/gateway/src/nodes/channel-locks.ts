import { reasonOf } from '@plugboard/protocol';
import type { Nodes } from '@plugboard/store';
import type { Lives } from '../channels/channels.ts';
import type { Logger } from '../log.ts';

/** Divides the channels among the gateways: each channel is one gateway's at a time. */
export interface ChannelLocks {
  /** Takes the channels that no gateway has, now and at intervals. */
  look(): void;
  /** The locks of this gateway are gone: another one may have its channels. */
  drop(): void;
  /** Gives all channels back, and takes none until `resume`. */
  giveUp(): Promise<void>;
  resume(): void;
  close(): void;
}

export interface ChannelLocksOptions {
  readonly nodes: Pick<Nodes, 'takeLock' | 'releaseLock'>;
  readonly lives: Pick<Lives, 'take' | 'giveUp'>;
  /** Names of the channels of this gateway. */
  readonly names: () => Iterable<string>;
  readonly log: Logger;
}

/** A channel that its gateway gave up is taken within this time, in case that nobody said so. */
const LOOK_MS = 1_000;

export function createChannelLocks({ nodes, lives, names, log }: ChannelLocksOptions): ChannelLocks {
  const held = new Set<string>();
  let isGivenUp = false;
  let looking: Promise<void> | undefined;

  const takeFree = async (): Promise<void> => {
    for (const name of names()) {
      if (held.has(name) || isGivenUp) continue;
      if (!(await nodes.takeLock(lockOf(name)))) continue;
      held.add(name);
      lives.take(name);
      log.info('This gateway has the channel now.', { code: 'channel-taken', channel: name });
    }
  };
  const look = (): void => {
    looking ??= takeFree()
      .catch((error: unknown) =>
        log.warn(`The lock of a channel cannot be taken: ${reasonOf(error)}`, { code: 'channel-not-taken' }),
      )
      .finally(() => {
        looking = undefined;
      });
  };
  const giveUpOne = async (name: string): Promise<void> => {
    held.delete(name);
    await lives.giveUp(name);
  };
  const looks = setInterval(look, LOOK_MS);
  looks.unref();
  return {
    look,
    drop() {
      for (const name of held) void giveUpOne(name);
    },
    async giveUp() {
      isGivenUp = true;
      await looking;
      await Promise.all(
        [...held].map(async (name) => {
          await giveUpOne(name);
          await nodes.releaseLock(lockOf(name));
        }),
      );
    },
    resume() {
      isGivenUp = false;
      look();
    },
    close: () => clearInterval(looks),
  };
}

function lockOf(channel: string): string {
  return `channel ${channel}`;
}
