import { describe } from 'vitest';
import { describeAsks } from './contract/asks.ts';
import { describeCommands } from './contract/commands.ts';
import { describeDecisions } from './contract/decisions.ts';
import { describeDurability } from './contract/durability.ts';
import { describeErrands } from './contract/errands.ts';
import { describeInbox } from './contract/inbox.ts';
import { describeNotices } from './contract/notices.ts';
import { describeOutbox } from './contract/outbox.ts';
import { describePeople } from './contract/people.ts';
import { describeRecovery } from './contract/recovery.ts';
import { describeSearch } from './contract/search.ts';
import { describeSessions } from './contract/sessions.ts';
import type { OpenStore } from './contract/setup.ts';
import { describeText } from './contract/text.ts';
import { describeTokens } from './contract/tokens.ts';
import { describeTurns } from './contract/turns.ts';

/** What every store must do, whatever it is built on; `open` gives an empty one each time. */
export function describeStore(name: string, open: OpenStore): void {
  describe(name, () => {
    describeSessions(open);
    describeSearch(open);
    describeInbox(open);
    describeCommands(open);
    describeTurns(open);
    describeRecovery(open);
    describeAsks(open);
    describeErrands(open);
    describeNotices(open);
    describeOutbox(open);
    describeDecisions(open);
    describeTokens(open);
    describePeople(open);
    describeText(open);
    describeDurability(open);
  });
}
