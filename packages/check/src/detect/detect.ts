import type { DialectName } from '@plugboard/protocol';
import { withoutSigns } from '../observe/environment.ts';
import { observe } from '../observe/observe.ts';
import { createPlace } from '../observe/place.ts';
import type { Sight } from '../observe/sight.ts';
import { PROBES, SILENCE } from './probes.ts';

/** A dialect that a command speaks, and what gave it away. */
export interface Detected {
  readonly dialect: DialectName;
  readonly why: string;
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
 * Finds out which dialects a command speaks, best first, by starting it once for each with a harmless question; all
 * starts run at the same time. Nothing found is an empty list.
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
  try {
    const [silent, ...sights] = await Promise.all([
      observe(SILENCE, { ...around, dialect: 'terminal' }),
      ...PROBES.map((probe) => observe(probe.start(place), { ...around, dialect: probe.dialect })),
    ]);
    const found = sights.flatMap((sight, at) => signOf(sight, at));
    const spoken = new Map(PROBES.map(({ dialect }, at) => [dialect, sights[at]]));
    return withGuesses(found, silent, spoken);
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
function withGuesses(
  found: readonly Detected[],
  silent: Sight | undefined,
  spoken: ReadonlyMap<DialectName, Sight | undefined>,
): Detected[] {
  const guesses: Detected[] = [];
  const known = (name: DialectName): boolean => found.some(({ dialect }) => dialect === name);
  if (!known('agentproc') && isTalk(spoken.get('agentproc')) && !isTalk(silent)) {
    guesses.push({
      dialect: 'agentproc',
      why: 'it printed text when AGENT_MESSAGE was set, and none when nothing was',
    });
  }
  if (found.length + guesses.length === 0 && isTalk(spoken.get('terminal'))) {
    guesses.push({
      dialect: 'terminal',
      why: 'it printed text and exited with 0: a weak guess, in plain mode (protocol=plain)',
    });
  }
  return [...found, ...guesses];
}

function isTalk(sight: Sight | undefined): boolean {
  return (
    sight !== undefined &&
    !sight.overdue &&
    sight.ending.exitCode === 0 &&
    sight.lines.some(({ text }) => text.trim() !== '')
  );
}
