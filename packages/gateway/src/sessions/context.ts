import type { Store } from '@plugboard/store';
import type { Agents } from '../agents/agents.ts';
import type { Doubts } from '../delivery/doubts.ts';
import type { Plan } from '../delivery/plan.ts';
import type { Previews } from '../delivery/preview/preview.ts';
import type { Feed } from '../live/feed.ts';
import type { Logger } from '../log.ts';
import type { MediaShelf } from '../media/shelf.ts';
import type { Recordings } from '../record/recordings.ts';

/** What the turns of a gateway have in common. */
export interface TurnContext {
  readonly store: Store;
  readonly agents: Agents;
  readonly feed: Feed;
  readonly media: MediaShelf;
  readonly recordings: Recordings;
  readonly plan: Plan;
  readonly previews: Previews;
  readonly doubts: Doubts;
  /** Something was put into the outbox of a channel. */
  readonly wakeDelivery: (channel: string) => void;
  readonly log: Logger;
}
