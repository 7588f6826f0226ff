import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isDirectory, makeDirectory } from '@plugboard/host';
import { CommandFailure } from '../failure.ts';
import { stateDirectory } from '../state.ts';
import { reasonFor } from '../system-problem.ts';

/** The paths inside a gateway's data directory. */
export interface Place {
  readonly directory: string;
  readonly instanceFile: string;
  /** The file with the mark that the gateway's agents carry: `endOrphans` finds them by it after a crash. */
  readonly markFile: string;
  /** Compiled helpers and the like, which can be made again. */
  readonly cache: string;
  /** Where `plugboard channel add` keeps keys, each in a file of its own. */
  readonly secrets: string;
  /** Where the demo agents work. */
  readonly demo: string;
}

export function placeOf(data: string | undefined): Place {
  const directory = data === undefined ? join(stateDirectory(), 'gateway') : resolve(data);
  return {
    directory,
    instanceFile: join(directory, 'gateway.json'),
    markFile: join(directory, 'agents.mark'),
    cache: join(directory, 'cache'),
    secrets: join(directory, 'secrets'),
    demo: join(directory, 'demo'),
  };
}

/** Creates missing directories, readable by their owner only. */
export function makePlace({ directory, demo }: Place): void {
  try {
    for (const each of [directory, demo]) makeDirectory(each);
    accessSync(directory, constants.W_OK);
  } catch (error) {
    throw new CommandFailure(
      `The data directory ${directory} cannot be used: ${reasonFor(error)}. Name another with --data.`,
      1,
    );
  }
}

/**
 * Refuses a data directory that is a file or lies below a file; a missing directory is accepted, since `makePlace`
 * creates it.
 */
export function refuseFile({ directory }: Place): void {
  let there = directory;
  while (!existsSync(there)) there = dirname(there);
  if (isDirectory(there)) return;
  const what = there === directory ? 'is' : `cannot be had: ${there} is`;
  throw new CommandFailure(`The data directory ${directory} ${what} not a folder. Name another with --data.`);
}

/** The configuration file when `--config` is absent: `PLUGBOARD_CONFIG`, or else `plugboard.yaml` here. */
export function configFile(given: string | undefined): string | undefined {
  if (given !== undefined) return given;
  const named = process.env.PLUGBOARD_CONFIG;
  if (named !== undefined && named !== '') return named;
  return ['plugboard.yaml', 'plugboard.yml', 'plugboard.json'].find((name) => existsSync(name));
}

/** Message and remedy when `pageDirectory` finds no built page. */
export const NO_PAGE = { message: 'The web page has not been built.', fix: 'npm run build:page' };

/** The directory of the built page: beside the built program, or in the package `web`. */
export function pageDirectory(): string | undefined {
  const places = [
    join(import.meta.dirname, 'page'),
    join(import.meta.dirname, '..', '..', '..', 'web', 'dist'),
  ];
  return places.find((place) => existsSync(join(place, 'index.html')));
}
