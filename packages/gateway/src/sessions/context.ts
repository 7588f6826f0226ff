import type { Cost } from '@plugboard/protocol';
import type { Store } from '@plugboard/store';
import type { Agents } from '../agents/agents.ts';
import type { OpenAsks } from '../asks/open-asks.ts';
import type { Doubts } from '../delivery/doubts.ts';
import type { Plan } from '../delivery/plan.ts';
import type { Previews } from '../delivery/preview/preview.ts';
import type { Feed } from '../live/feed.ts';
import type { Logger } from '../log.ts';
import type { MediaStore } from '../media/media-store.ts';
import type { Peers } from '../nodes/peers.ts';
import type { Recordings } from '../record/recordings.ts';
import type { SessionLeases } from './session-leases.ts';

/** Services that every turn of a gateway uses. */
export interface TurnContext {
  readonly store: Store;
  readonly agents: Agents;
  readonly leases: SessionLeases;
  readonly asks: OpenAsks;
  readonly feed: Feed;
  readonly peers: Peers;
  readonly media: MediaStore;
  readonly recordings: Recordings;
  readonly plan: Plan;
  readonly previews: Previews;
  readonly doubts: Doubts;
  /** Called after a delivery was added to the outbox of `channel`. */
  readonly wakeDelivery: (channel: string) => void;
  /** Adds the cost of a turn to what its sender has used up today. */
  readonly chargeCost: (channel: string, sender: string, cost: Cost) => Promise<void>;
  readonly log: Logger;
}
