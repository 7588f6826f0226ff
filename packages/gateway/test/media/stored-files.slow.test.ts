import { openPostgres } from '@plugboard/store/postgres';
import { type PostgresServer, startPostgres, temporaryDirectory } from '@plugboard/testkit';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { Secret } from '../../src/config/secret.ts';
import { createGateway } from '../../src/gateway.ts';
import { silentLogger } from '../../src/log.ts';
import { MediaTooLargeError } from '../../src/media/media-error.ts';
import { createStoredFiles } from '../../src/media/small-files.ts';
import { configOf } from '../config-of.ts';
import { describeMediaFiles, inPieces, noise } from './contract/media-files.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres({ durable: false });
});
afterAll(() => server[Symbol.asyncDispose]());

async function openStore() {
  const url = await server.createDatabase();
  const store = await openPostgres(url);
  onTestFinished(() => store.close());
  if (store.smallFiles === undefined) throw new Error('The driver has no place for files.');
  return { url, store, files: createStoredFiles(store.smallFiles) };
}

describeMediaFiles('Postgres', async () => (await openStore()).files, 1024 ** 2);

it('a gateway on Postgres keeps small files there, and refuses large ones by a sentence that names the setting', async () => {
  using home = temporaryDirectory();
  const { url, store, files } = await openStore();
  const config = configOf(home.path, { server: { mediaBytes: 8 * 1024 ** 2 } });
  const gateway = createGateway(
    { ...config, store: { ...config.store, driver: 'postgres', url: new Secret(url) } },
    { store, directory: home.path, environment: process.env, log: silentLogger },
  );
  onTestFinished(() => gateway.stop());
  const session = await store.sessions.open({ channel: 'web', place: 'p', agent: 'echo' });
  const media = await gateway.media.add(session.id, { name: 'a', bytes: inPieces(noise(1024 ** 2)) });
  expect((await files.open(media.file)) === undefined).toBe(false);
  const large = gateway.media.add(session.id, { name: 'a', bytes: inPieces(noise(1024 ** 2 + 1)) });
  await expect(large).rejects.toThrow(MediaTooLargeError);
  await expect(large).rejects.toThrow(
    'larger than 1048576 bytes. The operator can have larger files kept elsewhere: setting "media".',
  );
  const names: string[] = [];
  for await (const { name } of files.list()) names.push(name);
  expect(names).toEqual([media.file]);
});
