import { basename } from 'node:path';
import { type DialectName, PLAIN_DIALECT } from '@plugboard/protocol';
import { withoutSigns } from '../observe/environment.ts';
import { observeProcess } from '../observe/observe.ts';
import { createPlace } from '../observe/place.ts';
import type { Sight } from '../observe/sight.ts';
import type { Probe } from './probe.ts';
import { PROBES, SILENCE } from './probes.ts';

/** A dialect that a command speaks, and the reason in `why`. */
export interface Detected {
  readonly dialect: DialectName;
  readonly why: string;
  /** It prints text, without frames. */
  readonly plain?: true;
}

/** How to look. */
export interface DetectOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How long to wait for each answer; 5 when absent. */
  readonly timeoutSecs?: number;
  /** Where the command is started; a throw-away directory when absent. */
  readonly workspace?: string;
  /** Ends every process that was started. */
  readonly signal?: AbortSignal;
}

/**
 * Starts `command` once for each dialect, all at the same time, with a harmless question; returns the dialects it
 * speaks, best first.
 */
export async function detectDialect(command: readonly string[], options: DetectOptions): Promise<Detected[]> {
  const place = createPlace(options.workspace);
  const around = {
    command,
    environment: withoutSigns(options.environment),
    place,
    timeoutMs: (options.timeoutSecs ?? 5) * 1000,
    graceMs: 0,
    signal: options.signal,
  };
  const observe = (probe: Probe): Promise<Sight> =>
    observeProcess(probe.start(place), {
      ...around,
      dialect: probe.dialect,
      command: probe.command?.(command) ?? command,
    });
  try {
    const known = PROBES.find(({ programs }) => programs?.includes(basename(command[0] ?? '')) === true);
    if (known !== undefined) {
      const why = known.sign(await observe(known));
      return why === undefined ? [] : [{ dialect: known.dialect, why }];
    }
    const [silent, ...sights] = await Promise.all([
      observeProcess(SILENCE, { ...around, dialect: PLAIN_DIALECT }),
      ...PROBES.map(observe),
    ]);
    const found = sights.flatMap((sight, at) => signOf(sight, at));
    return silent === undefined ? found : withGuesses(found, silent, sights);
  } finally {
    place.remove();
  }
}

function signOf(sight: Sight, at: number): Detected[] {
  const probe = PROBES[at];
  const why = probe?.sign(sight);
  return probe === undefined || why === undefined ? [] : [{ dialect: probe.dialect, why }];
}

/** Text is a weak sign, so it counts only where it cannot be anything else, or where there is no other sign. */
function withGuesses(found: readonly Detected[], silent: Sight, sights: readonly Sight[]): Detected[] {
  const all = [...found];
  for (const [at, { dialect, guess, guessIsPlain }] of PROBES.entries()) {
    const sight = sights[at];
    if (sight === undefined || found.some((one) => one.dialect === dialect)) continue;
    const why = guess?.(sight, { silent, found: all.length });
    if (why !== undefined) all.push({ dialect, why, ...(guessIsPlain ? { plain: true } : {}) });
  }
  return all;
}
