import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CommandFailure } from '../failure.ts';
import { stateDirectory } from '../state.ts';

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
    for (const each of [directory, demo]) mkdirSync(each, { recursive: true, mode: 0o700 });
    accessSync(directory, constants.W_OK);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(
      `The data directory ${directory} cannot be used: ${why}. Name another with --data.`,
      1,
    );
  }
}

/** The configuration that is meant when none is named: the one here, if there is one. */
export function configFile(given: string | undefined): string | undefined {
  if (given !== undefined) return given;
  const named = process.env.PLUGBOARD_CONFIG;
  if (named !== undefined && named !== '') return named;
  return ['plugboard.yaml', 'plugboard.yml', 'plugboard.json'].find((name) => existsSync(name));
}

/** Where the built page lies: beside the built program, or in its own package. */
export function pageDirectory(): string | undefined {
  const places = [
    join(import.meta.dirname, 'page'),
    join(import.meta.dirname, '..', '..', '..', 'web', 'dist'),
  ];
  return places.find((place) => existsSync(join(place, 'index.html')));
}
