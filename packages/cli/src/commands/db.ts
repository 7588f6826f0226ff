import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import type { Store } from '@plugboard/store';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import { findGateway, request } from '../gateway/client.ts';
import { loadConfig } from '../gateway/config.ts';
import { readInstance } from '../gateway/instance.ts';
import { configFile, placeOf } from '../gateway/place.ts';

interface DbOptions {
  readonly config?: string;
  readonly data?: string;
  readonly force?: boolean;
}

const EXAMPLES = `
Examples:
  plugboard db backup before-upgrade.db        also while the gateway runs
  plugboard db restore before-upgrade.db       only while it does not`;

/** `plugboard db`: copies of everything the gateway knows. */
export function addDb(program: Command): void {
  const db = program.command('db').description('Back up and restore what the gateway keeps.');
  db.addHelpText('after', EXAMPLES);
  placed(
    db.command('backup <file>').description('Copy everything into a new file, while the gateway goes on.'),
  ).action(async (file: string, options: DbOptions) => {
    if (existsSync(file)) throw new CommandFailure(`${file} is there already; name a new file.`);
    await backup(file, options);
    process.stderr.write(`Everything was copied to ${file}.\n`);
  });
  placed(db.command('restore <file>').description('Put a copy in the place of what is there.'))
    .option('--force', 'also when something is there; it is kept beside')
    .action(async (file: string, options: DbOptions) => {
      const kept = await restore(file, options);
      process.stderr.write(
        `${file} was restored.${kept === undefined ? '' : ` What was there is in ${kept}.`}\n`,
      );
    });
}

function placed(command: Command): Command {
  return command
    .option('-c, --config <file>', 'the configuration of the gateway')
    .option('--data <dir>', 'its data directory');
}

/** A gateway that runs has the file, and makes the copy itself. */
async function backup(file: string, options: DbOptions): Promise<void> {
  const { resolve } = await import('node:path');
  if (readInstance(placeOf(options.data).instanceFile) !== undefined) {
    try {
      return await request(findGateway(options), 'POST', '/api/backup', { file: resolve(file) });
    } catch (error) {
      if (!(error instanceof CommandFailure) || !error.message.includes('does not answer')) throw error;
    }
  }
  const store = await openStore(options);
  try {
    await store.backup(resolve(file));
  } finally {
    await store.close();
  }
}

async function restore(file: string, options: DbOptions): Promise<string | undefined> {
  if (!existsSync(file)) throw new CommandFailure(`There is no file ${file}.`);
  const config = await loadConfig(configFile(options.config), placeOf(options.data));
  const target = config.store.file;
  if (existsSync(target) && options.force !== true) {
    throw new CommandFailure(`${target} is there already. With --force it is kept beside and replaced.`);
  }
  await proveStore(file);
  let kept: string | undefined;
  if (existsSync(target)) {
    // Opened and closed: nobody else has it, and what was in its log is in the file.
    await (await openStore(options)).close();
    kept = `${target}.before-restore`;
    renameSync(target, kept);
  }
  for (const suffix of ['-wal', '-shm']) rmSync(`${target}${suffix}`, { force: true });
  copyFileSync(file, `${target}.new`);
  renameSync(`${target}.new`, target);
  return kept;
}

/** A file that is no store of ours must not take the place of one. */
async function proveStore(file: string): Promise<void> {
  const { mkdtempSync } = await import('node:fs');
  const { tmpdir } = await import('node:os');
  const { join } = await import('node:path');
  const directory = mkdtempSync(join(tmpdir(), 'plugboard-restore-'));
  try {
    const copy = join(directory, 'copy.db');
    copyFileSync(file, copy);
    const { openSqlite } = await import('@plugboard/store/sqlite');
    await openSqlite(copy, { clock: Date.now }).close();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function openStore(options: DbOptions): Promise<Store> {
  const config = await loadConfig(configFile(options.config), placeOf(options.data));
  const { openSqlite } = await import('@plugboard/store/sqlite');
  return openSqlite(config.store.file, { clock: Date.now });
}
