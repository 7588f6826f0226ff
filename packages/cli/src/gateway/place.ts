import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isDirectory, makeDirectory } from '@plugboard/host';
import { CommandFailure } from '../failure.ts';
import { stateDirectory } from '../state.ts';
import { reasonFor } from '../system-problem.ts';

/** Where a gateway keeps what it must not forget. */
export interface Place {
  readonly directory: string;
  readonly instanceFile: string;
  /** By which the processes of its agents are found after it was killed. */
  readonly markFile: string;
  /** Compiled helpers and the like, which can be made again. */
  readonly cache: string;
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
    demo: join(directory, 'demo'),
  };
}

/** Makes what is not there yet, for the owner's eyes alone. */
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

/** Refuses a data directory that is a file, or would lie in one; one that is not there yet may come to be. */
export function refuseFile({ directory }: Place): void {
  let there = directory;
  while (!existsSync(there)) there = dirname(there);
  if (isDirectory(there)) return;
  const what = there === directory ? 'is' : `cannot be had: ${there} is`;
  throw new CommandFailure(`The data directory ${directory} ${what} not a folder. Name another with --data.`);
}

/** The configuration that is meant when none is named: the one here, if there is one. */
export function configFile(given: string | undefined): string | undefined {
  if (given !== undefined) return given;
  const named = process.env.PLUGBOARD_CONFIG;
  if (named !== undefined && named !== '') return named;
  return ['plugboard.yaml', 'plugboard.yml', 'plugboard.json'].find((name) => existsSync(name));
}

/** What is wrong where no page was built, and what to run. */
export const NO_PAGE = { message: 'The web page has not been built.', fix: 'npm run build:page' };

/** Where the built page lies: beside the built program, or in its own package. */
export function pageDirectory(): string | undefined {
  const places = [
    join(import.meta.dirname, 'page'),
    join(import.meta.dirname, '..', '..', '..', 'web', 'dist'),
  ];
  return places.find((place) => existsSync(join(place, 'index.html')));
}
