import { join, resolve } from 'node:path';
import type { Config } from '@plugboard/gateway';
import { StoreError } from '@plugboard/store';
import type { MovedStore, StorePlace } from '@plugboard/store/move';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import { loadConfig } from '../gateway/config.ts';
import { configFile, placeOf, refuseFile } from '../gateway/place.ts';
import type { MovedMediaFiles } from '../move/move-media.ts';
import { createMoveProgress } from '../move/progress.ts';
import { readTarget, type TargetPlace } from '../move/target-place.ts';

interface MoveCommandOptions {
  readonly to?: string;
  readonly media?: boolean;
  readonly config?: string;
  readonly data?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  plugboard db move --to postgres://plugboard@db.example.org/plugboard
  plugboard db move --to file:./database                a file with a URL that has a password
  plugboard db move --to file:./database --media        with the files that people sent and agents made
  plugboard db move --to sqlite:./plugboard.db          back from Postgres

No gateway may run meanwhile. What is moved stays where it was. A move that was broken off goes on where it was.`;

/** `plugboard db move`: copies the store into another database, and proves the copy. */
export function addDbMove(db: Command): void {
  db.command('move')
    .description('Copy what is kept from SQLite to Postgres or back, and prove the copy.')
    .requiredOption('--to <place>', 'postgres://…, file:PATH with such a URL, or sqlite:PATH')
    .option('--media', 'copy files of people and agents, too')
    .option('-c, --config <file>', 'the configuration of the gateway')
    .option('--data <dir>', 'its data directory')
    .option('--json', 'print what was done as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (options: MoveCommandOptions) => {
      const done = await runMove(options);
      if (options.json === true) process.stdout.write(`${JSON.stringify(moveJson(done))}\n`);
      else process.stderr.write(`${moveLines(done).join('\n')}\n`);
      if ((done.media?.missing.length ?? 0) > 0)
        throw new CommandFailure('Files are missing in the new place: see above.', 1);
    });
}

interface DoneMove {
  readonly config: Config;
  readonly directory: string;
  readonly from: StorePlace;
  readonly target: TargetPlace;
  readonly moved: MovedStore;
  /** Undefined without `--media`. */
  readonly media: MovedMediaFiles | undefined;
  readonly totalMs: number;
}

async function runMove(options: MoveCommandOptions): Promise<DoneMove> {
  const target = readTarget(options.to ?? '');
  const place = placeOf(options.data);
  refuseFile(place);
  const config = await loadConfig(configFile(options.config), place);
  const from: StorePlace =
    config.store.url === undefined
      ? { kind: 'sqlite', file: config.store.file }
      : { kind: 'postgres', url: config.store.url.reveal() };
  refuseSameKind(from, target.place);
  const { moveStore } = await import('@plugboard/store/move');
  const { moveMedia, refuseLargeMedia } = await import('../move/move-media.ts');
  const progress = createMoveProgress(process.stderr);
  const began = performance.now();
  const parts = { config, directory: place.directory, from, to: target.place };
  try {
    if (options.media === true) await refuseLargeMedia(parts);
    const moved = await moveStore({ from, to: target.place, onProgress: progress.rows });
    const media =
      options.media === true ? await moveMedia({ ...parts, onProgress: progress.files }) : undefined;
    return {
      config,
      directory: place.directory,
      from,
      target,
      moved,
      media,
      totalMs: performance.now() - began,
    };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const advice =
      error.code === 'in-use' && from.kind === 'sqlite'
        ? ' Stop the gateway: nothing may change during a move.'
        : '';
    throw new CommandFailure(`${error.message}${advice}`, 1);
  } finally {
    progress.hide();
  }
}

function refuseSameKind(from: StorePlace, to: StorePlace): void {
  if (from.kind === 'sqlite' && to.kind === 'sqlite')
    throw new CommandFailure(
      'This store is in SQLite already: plugboard db backup copies it into another file.',
    );
  if (from.kind === 'postgres' && to.kind === 'postgres')
    throw new CommandFailure(
      'This store is in Postgres already: pg_dump and pg_restore copy it into another database.',
    );
}

function moveLines(done: DoneMove): string[] {
  const { config, moved, target, totalMs } = done;
  const rows = moved.tables.reduce((sum, table) => sum + table.rows, 0);
  const counts = moved.tables.filter((table) => table.rows > 0).map((table) => `${table.name} ${table.rows}`);
  return [
    `${rows} rows were moved to ${shownPlace(target.place)} in ${(totalMs / 1000).toFixed(1)} s, and each was compared: ${counts.join(', ')}.`,
    ...(moved.isResumed ? ['An earlier move was continued.'] : []),
    ...(moved.changedTexts > 0
      ? [
          `Texts with NUL, which Postgres does not take: ${moved.changedTexts}. They have U+FFFD in its place.`,
        ]
      : []),
    ...mediaLines(done),
    'The old store is as it was.',
    '',
    `In ${config.file ?? 'plugboard.yaml'}, write:`,
    '',
    ...settingsOf(done).map((line) => `  ${line}`),
    ...(process.env.PLUGBOARD_STORE === undefined ? [] : ['', 'And unset the variable PLUGBOARD_STORE.']),
  ];
}

function mediaLines({ media, from, config, directory }: DoneMove): string[] {
  if (media !== undefined)
    return [
      `Files: ${media.copied} were copied, ${media.there} were there already.`,
      ...(media.missing.length === 0
        ? []
        : [`Files that are gone, or shorter than they were: ${media.missing.join(', ')}.`]),
    ];
  if (config.media !== undefined) return ['Files stay where "media" in the configuration has them.'];
  return [
    from.kind === 'sqlite'
      ? `Files stay in ${join(directory, 'media')}.`
      : 'Files in Postgres were not copied: run the same command with --media into a new file, if there are any.',
  ];
}

/** The lines of the configuration that change. */
function settingsOf({ config, target, media, from, directory }: DoneMove): string[] {
  const staysInDirectory = media === undefined && config.media === undefined && from.kind === 'sqlite';
  return [
    target.setting,
    ...(staysInDirectory ? [`media: { directory: ${JSON.stringify(resolve(directory, 'media'))} }`] : []),
  ];
}

/** Without user and password. */
function shownPlace(place: StorePlace): string {
  if (place.kind === 'sqlite') return place.file;
  const { host, pathname } = new URL(place.url);
  return `the database ${host}${pathname}`;
}

function moveJson(done: DoneMove): object {
  const { moved, media, target } = done;
  return {
    to: shownPlace(target.place),
    tables: Object.fromEntries(moved.tables.map(({ name, rows }) => [name, rows])),
    resumed: moved.isResumed,
    changedTexts: moved.changedTexts,
    media: media ?? null,
    settings: settingsOf(done),
  };
}
