import { startPostgres } from '@plugboard/testkit';
import { it } from 'vitest';
import { expectAnswersAfterOutage } from './postgres-outage.ts';

it('a Postgres server that is away for ten seconds delays answers, and each message is answered once', async () => {
  await using server = await startPostgres();
  await expectAnswersAfterOutage(server, 10_000);
});
