import { describe } from 'vitest';
import type { Channel, Ingress } from '../../src/channels/channel.ts';
import { describeEnding } from './suite/ending.ts';
import { describeFailures } from './suite/failures.ts';
import { describeHearing } from './suite/hearing.ts';
import { describeLimits } from './suite/limits.ts';
import { describeSending } from './suite/sending.ts';

/** What a platform does to the next call. `lost` and `cut` break the connection before and after it took what was sent. */
export type Failure = 'unreachable' | 'lost' | 'cut' | 'busy' | 'forbidden' | 'key refused';

/** A channel with its platform, as a test sees them. */
export interface ChannelBench extends AsyncDisposable {
  readonly channel: Channel;
  /** A place that is there, and the session in it. */
  readonly place: string;
  readonly sessionId: string;
  /** Writes into the log of the session. */
  readonly note: Ingress['note'];
  /** What people see in the place. */
  seen(): Promise<readonly Seen[]>;
  /** Absent where people come in by another way than the channel. */
  readonly people?: People;
  /** Absent where there is nothing between the channel and its people that could fail. */
  fail?(failure: Failure): Promise<void> | void;
  /** The platform shows a delivery once that is sent to it twice under the same id. */
  readonly dropsRepeats?: true;
  /** Somebody deletes a message. */
  remove?(platformId: string): void;
  /** How often the platform was asked for anything. */
  calls(): number;
}

export interface Seen {
  readonly platformId: string;
  readonly text: string;
  readonly files: number;
}

export interface People {
  /** Says something; gives what the platform calls the message. */
  say(text: string): string;
  /** The platform has been told that it has arrived. */
  isAcknowledged(messageId: string): boolean;
}

/** What every channel must do. What it need not, because its platform cannot, the bench leaves out. */
export function describeChannel(name: string, open: () => Promise<ChannelBench>): void {
  describe(`the channel ${name}`, () => {
    describeLimits(open);
    describeHearing(open);
    describeSending(open);
    describeFailures(open);
    describeEnding(open);
  });
}
