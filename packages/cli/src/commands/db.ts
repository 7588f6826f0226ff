import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '@plugboard/gateway';
import { StoreError } from '@plugboard/store';
import type { BackedUp, CopiedMedia, OnProgress, Restored } from '@plugboard/store/sqlite';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import { failedBackup, failedRestore } from '../gateway/backup-problem.ts';
import { findGateway, requestGateway } from '../gateway/client.ts';
import { loadConfig } from '../gateway/config.ts';
import { readInstance } from '../gateway/instance.ts';
import { configFile, placeOf, refuseFile } from '../gateway/place.ts';
import { createSpinner } from '../screen/spinner.ts';
import { isSystemError, systemProblem } from '../system-problem.ts';
import { addDbMove } from './db-move.ts';

interface DbOptions {
  readonly config?: string;
  readonly data?: string;
  readonly force?: boolean;
  readonly media: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  plugboard db backup before-upgrade.db             also while the gateway runs
  plugboard db backup words.db --no-media           without files that people sent and agents made
  plugboard db restore before-upgrade.db            only while it does not run
  plugboard db restore before-upgrade.db --force    in place of what is there, which is kept beside
  plugboard db move --to postgres://me@host/plugboard   into another database; plugboard db move --help

Files are copied into FILE.media, which belongs to FILE: keep both together.`;

/** `plugboard db`: backup and restore of the gateway's store and media. */
export function addDb(program: Command): void {
  const db = program
    .command('db')
    .description('Back up, restore and move what the gateway keeps.')
    .addHelpText('after', EXAMPLES);
  addDbMove(db);
  addPlaceOptions(
    db
      .command('backup <file>')
      .description('Copy what was said, and files, to a new place, while the gateway goes on.')
      .addHelpText('after', EXAMPLES),
  ).action(async (file: string, options: DbOptions) => {
    const done = await withProgress((onProgress) => runBackup(file, options, onProgress));
    printResult(options, backupJson(file, done), backupLines(file, done));
  });
  addPlaceOptions(
    db
      .command('restore <file>')
      .description('Put a copy in the place of what is there.')
      .addHelpText('after', EXAMPLES),
  )
    .option('--force', 'also when something is there; it is kept beside')
    .action(async (file: string, options: DbOptions) => {
      const done = await withProgress((onProgress) => runRestore(file, options, onProgress));
      printResult(options, { file, ...restoreJson(done) }, restoreLines(file, done));
    });
}

function addPlaceOptions(command: Command): Command {
  return command
    .option('-c, --config <file>', 'the configuration of the gateway')
    .option('--data <dir>', 'its data directory')
    .option('--no-media', 'leave out files that people sent and agents made')
    .option('--json', 'print what was done as JSON');
}

/** Shows the progress of `work` in a spinner; turns a `StoreError` or a system error into a `CommandFailure`. */
async function withProgress<T>(work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  const spinner = createSpinner(process.stderr);
  try {
    return await work(({ files, of, bytes }) => spinner.show(`${files} of ${of} files, ${sizeText(bytes)}`));
  } catch (error) {
    if (error instanceof StoreError) throw new CommandFailure(error.message, 1);
    if (!isSystemError(error)) throw error;
    throw new CommandFailure(
      `${systemProblem(error)}. Nothing was changed; put that right, and try again.`,
      1,
    );
  } finally {
    spinner.hide();
  }
}

/** A running gateway holds the lock of the store, so it makes the copy itself. */
async function runBackup(file: string, options: DbOptions, onProgress: OnProgress): Promise<BackedUp> {
  if (file === '') throw new CommandFailure('Name the file that the copy is to be.');
  refuseFile(placeOf(options.data));
  const { BackupError, backUp } = await import('@plugboard/store/sqlite');
  const media = options.media ? await mediaDirectory(options) : undefined;
  const target = resolve(file);
  try {
    return await backUp(target, {
      media,
      onProgress,
      copyStore: (copy) => renameInErrors(target, copy, () => copyStore(copy, options)),
    });
  } catch (error) {
    throw error instanceof BackupError ? failedBackup(error) : error;
  }
}

async function copyStore(copy: string, options: DbOptions): Promise<void> {
  if (readInstance(placeOf(options.data).instanceFile) !== undefined) {
    try {
      return await requestGateway(findGateway(options), 'POST', '/api/backup', { file: copy });
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      if (error.code !== 'unreachable')
        throw new CommandFailure(`The gateway, which runs, has not copied: ${error.message}`, 1);
    }
  }
  const config = await loadConfig(configFile(options.config), placeOf(options.data));
  refusePostgres(config);
  // `openSqlite` creates a missing file, and the copy would be an empty store.
  if (!existsSync(config.store.file)) throw storeNotFound(config.store.file);
  const { openSqlite } = await import('@plugboard/store/sqlite');
  const store = openSqlite(config.store.file, { clock: Date.now });
  try {
    await store.backup(copy);
  } finally {
    await store.close();
  }
}

function refusePostgres({ store }: Config): void {
  if (store.url === undefined) return;
  const words = 'This store is in Postgres, which has programs of its own for that: pg_dump and pg_restore.';
  throw new CommandFailure(`${words} See docs/postgres.md.`, 1);
}

function storeNotFound(store: string): CommandFailure {
  return new CommandFailure(
    `There is nothing to copy: ${store} does not exist. Name the data directory of the gateway with --data.`,
  );
}

async function runRestore(file: string, options: DbOptions, onProgress: OnProgress): Promise<Restored> {
  if (file === '') throw new CommandFailure('Name the file that is to be restored.');
  refuseFile(placeOf(options.data));
  const { BackupError, restoreStore } = await import('@plugboard/store/sqlite');
  const config = await loadConfig(configFile(options.config), placeOf(options.data));
  refusePostgres(config);
  const directory = await mediaDirectory(options);
  try {
    return await restoreStore({
      file,
      target: config.store.file,
      directory: directory ?? join(placeOf(options.data).directory, 'media'),
      withMedia: options.media && directory !== undefined,
      force: options.force === true,
      onProgress,
      clock: Date.now,
    });
  } catch (error) {
    throw error instanceof BackupError ? failedRestore(error) : error;
  }
}

/** The directory of media files; undefined when they are in a bucket, which has backups of its own. */
async function mediaDirectory({ config: file, data }: DbOptions): Promise<string | undefined> {
  const place = placeOf(data);
  const { media } = await loadConfig(configFile(file), place);
  if (media?.s3 === undefined) return media?.directory ?? join(place.directory, 'media');
  const { endpoint, bucket } = media.s3;
  process.stderr.write(
    `Files are in the bucket ${bucket} of ${endpoint}, and are left there: versions or copies of the bucket are its own concern.\n`,
  );
  return undefined;
}

/** JSON goes to stdout for scripts, sentences for the operator go to stderr. */
function printResult({ json }: DbOptions, data: unknown, lines: readonly string[]): void {
  if (json === true) process.stdout.write(`${JSON.stringify(data)}\n`);
  else process.stderr.write(`${lines.join('\n')}\n`);
}

function backupJson(file: string, { bytes, media }: BackedUp) {
  return {
    file,
    bytes,
    media: media === undefined ? null : { directory: `${file}.media`, ...mediaJson(media) },
  };
}

function backupLines(file: string, { bytes, media }: BackedUp): string[] {
  const words = `What was said was copied to ${file} (${sizeText(bytes)})`;
  if (media === undefined) return [`${words}. Files were left out.`];
  return [
    `${words}, and ${filesText(media)} to ${file}.media.`,
    ...(media.missing.length === 0
      ? []
      : [`Files that could not be had, since they were forgotten or lost: ${media.missing.length}.`]),
  ];
}

function restoreJson({ kept, keptMedia, dropped, expired, media }: Restored) {
  return {
    kept: kept ?? null,
    keptMedia: keptMedia ?? null,
    dropped,
    expired,
    media: media === undefined ? null : { ...mediaJson(media), checked: media.checked },
  };
}

function restoreLines(file: string, { kept, keptMedia, dropped, expired, media }: Restored): string[] {
  return [
    `${file} was restored${media === undefined ? ', without files' : `, with ${filesText(media)}`}.`,
    ...(media === undefined || media.checked
      ? []
      : [`${file}.media has no list of what its files contained: they were taken as they are.`]),
    ...(kept === undefined ? [] : [`What was there is in ${kept}.`]),
    ...(keptMedia === undefined ? [] : [`Its files are in ${keptMedia}.`]),
    ...(dropped + expired === 0
      ? []
      : [`Messages that waited then are not asked again: ${dropped}. Nor are answers sent: ${expired}.`]),
  ];
}

function mediaJson({ files, bytes, missing }: CopiedMedia) {
  return { files, bytes, missing: missing.length };
}

function filesText({ files, bytes }: CopiedMedia): string {
  return `${files} ${files === 1 ? 'file' : 'files'} (${sizeText(bytes)})`;
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A number of bytes as people read it. */
function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Replaces `copy`, a temporary name, by `file` in error messages: the user knows only the name they typed. */
async function renameInErrors<T>(file: string, copy: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CommandFailure || error instanceof StoreError)) throw error;
    const message = error.message.replaceAll(copy, file);
    throw new CommandFailure(message, error instanceof CommandFailure ? error.exitCode : 1);
  }
}
