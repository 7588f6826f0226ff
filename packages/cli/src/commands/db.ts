import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Store } from '@plugboard/store';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import { findGateway, request } from '../gateway/client.ts';
import { loadConfig } from '../gateway/config.ts';
import { readInstance } from '../gateway/instance.ts';
import { configFile, placeOf } from '../gateway/place.ts';
import type { Restored } from '../gateway/restore.ts';

interface DbOptions {
  readonly config?: string;
  readonly data?: string;
  readonly force?: boolean;
}

const EXAMPLES = `
Examples:
  plugboard db backup before-upgrade.db        also while the gateway runs
  plugboard db restore before-upgrade.db       only while it does not

Files that people sent and agents made lie beside it, in the folder media of the data directory: copy that too.`;

/** `plugboard db`: copies of everything the gateway knows. */
export function addDb(program: Command): void {
  const db = program.command('db').description('Back up and restore what the gateway keeps.');
  db.addHelpText('afterAll', EXAMPLES);
  placed(
    db.command('backup <file>').description('Copy what was said into a new file, while the gateway goes on.'),
  ).action(async (file: string, options: DbOptions) => {
    if (existsSync(file)) throw new CommandFailure(`${file} is there already; name a new file.`);
    await backup(file, options);
    process.stderr.write(`Everything was copied to ${file}.\n`);
  });
  placed(db.command('restore <file>').description('Put a copy in the place of what is there.'))
    .option('--force', 'also when something is there; it is kept beside')
    .action(async (file: string, options: DbOptions) => {
      const { kept, dropped, expired } = await restore(file, options);
      const lines = [
        `${file} was restored.`,
        ...(kept === undefined ? [] : [`What was there is in ${kept}.`]),
        ...(dropped + expired === 0
          ? []
          : [`Messages that waited then are not asked again: ${dropped}. Nor are answers sent: ${expired}.`]),
      ];
      process.stderr.write(`${lines.join('\n')}\n`);
    });
}

function placed(command: Command): Command {
  return command
    .option('-c, --config <file>', 'the configuration of the gateway')
    .option('--data <dir>', 'its data directory');
}

/** A gateway that runs has the file, and makes the copy itself. */
async function backup(file: string, options: DbOptions): Promise<void> {
  if (readInstance(placeOf(options.data).instanceFile) !== undefined) {
    try {
      return await request(findGateway(options), 'POST', '/api/backup', { file: resolve(file) });
    } catch (error) {
      if (!(error instanceof CommandFailure) || error.code !== 'unreachable') throw error;
    }
  }
  const store = await openStore(options);
  try {
    await store.backup(resolve(file));
  } finally {
    await store.close();
  }
}

async function restore(file: string, options: DbOptions): Promise<Restored> {
  if (!existsSync(file)) throw new CommandFailure(`There is no file ${file}.`);
  const config = await loadConfig(configFile(options.config), placeOf(options.data));
  const target = config.store.file;
  if (existsSync(target) && options.force !== true) {
    throw new CommandFailure(`${target} is there already. With --force it is kept beside and replaced.`);
  }
  const { restoreStore } = await import('../gateway/restore.ts');
  return restoreStore(file, target, new Date());
}

async function openStore(options: DbOptions): Promise<Store> {
  const config = await loadConfig(configFile(options.config), placeOf(options.data));
  const { openSqlite } = await import('@plugboard/store/sqlite');
  return openSqlite(config.store.file, { clock: Date.now });
}
