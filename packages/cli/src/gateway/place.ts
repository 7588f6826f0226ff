import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stateDirectory } from '../state.ts';

/** Where a gateway keeps what it must not forget. */
export interface Place {
  readonly directory: string;
  readonly instanceFile: string;
  /** Compiled helpers and the like, which can be made again. */
  readonly cache: string;
}

export function placeOf(data: string | undefined): Place {
  const directory = data === undefined ? join(stateDirectory(), 'gateway') : resolve(data);
  return { directory, instanceFile: join(directory, 'gateway.json'), cache: join(directory, 'cache') };
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
