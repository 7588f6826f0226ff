import { type Child, createPool, type Ending, type StopOptions } from '@plugboard/process';
import {
  createTurn,
  type Launch,
  type LaunchContext,
  type Log,
  type OneShotHost,
  type Settings,
} from '@plugboard/protocol';
import type { Profile } from '../profile/profile.ts';
import type { Starter } from '../run/starter.ts';
import { createAhead } from './ahead.ts';
import { ensureDirectory } from './ensure-directory.ts';
import { createHandover } from './handover.ts';
import type { Begun } from './turn.ts';

/** Processes that wait for a turn. */
export interface TurnPool {
  /** One that was started just as this launch asks, if there is one. */
  takeFor(launch: Launch): Begun | undefined;
  /** Begins one for a turn that is about to come. */
  startAhead(): void;
  /** Why processes are no longer kept waiting, said once. */
  takeComplaint(): Log | undefined;
  close(how: StopOptions): Promise<void>;
}

/** Starts processes before their turn is known; what they are given beside stdin must not depend on it. */
export function createTurnPool(
  profile: Profile,
  host: OneShotHost<Settings, unknown>,
  context: LaunchContext,
  startFor: Starter,
): TurnPool | undefined {
  if (!host.prewarms(profile.settings)) return undefined;
  const launch = host.launch(createTurn({ id: 'prewarm' }), profile.settings, context);
  if ('refused' in launch) return undefined;
  let complaint: Log | undefined;
  let complained = false;
  const start = (): Child => {
    // A turn would make it with the directory that it asks for. Where that cannot be done, the process says so.
    if (launch.ensureDirectory !== undefined) ensureDirectory(profile.workspace);
    return startFor(launch);
  };
  const onError = (ending: Ending): void => {
    if (complained) return;
    complained = true;
    complaint = { type: 'log', level: 'warning', text: gaveUp(profile, ending), source: 'host' };
  };
  const size = profile.prewarm ?? 0;
  const pool = size > 0 ? createPool({ size, start, onError }) : undefined;
  const ahead = createAhead(start);
  const handover = createHandover();
  return {
    takeFor({ requestFile, cwd }) {
      if (requestFile !== undefined || cwd !== launch.cwd) return undefined;
      const waiting = pool?.take();
      if (waiting !== undefined) return { child: waiting, handover };
      const child = ahead.take();
      return child && { child };
    },
    startAhead() {
      // A pool has one waiting already, or is about to.
      if (pool === undefined) ahead.start();
    },
    takeComplaint() {
      const told = complaint;
      complaint = undefined;
      return told;
    },
    async close(how) {
      await Promise.all([pool?.close(how), ahead.close(how)]);
    },
  };
}

function gaveUp({ name, prewarm }: Profile, { cause, exitCode, failure }: Ending): string {
  const off = `prewarm: ${prewarm} is off for ${name}`;
  if (failure !== undefined && cause === 'limit') return `${off}: ${failure.message}`;
  if (failure !== undefined) return `${off}, which cannot be started: ${failure.message}`;
  const often = 'again and again before it had a turn';
  return `${off}, which ended ${often} (exit code ${exitCode}): it must wait for its turn on stdin.`;
}
