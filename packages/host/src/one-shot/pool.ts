import { type Child, createPool, type Ending, type StopOptions } from '@plugboard/process';
import type { HostSide, Launch, LaunchContext, Log, Settings } from '@plugboard/protocol';
import { ensureDirectory } from '../process/ensure-directory.ts';
import { createHandover } from '../process/handover.ts';
import type { Starter } from '../process/starter.ts';
import type { Profile } from '../profile/profile.ts';
import { createAhead } from './ahead.ts';
import type { Begun } from './turn.ts';

/** Processes that wait for a turn. */
export interface TurnPool {
  /** A waiting process for this launch: without `requestFile`, and in the same `cwd`. */
  takeFor(launch: Launch): Begun | undefined;
  /** Begins one for a turn that is about to come. */
  startAhead(): void;
  /** A warning, returned once, when the pool has given up. */
  takeComplaint(): Log | undefined;
  close(how: StopOptions): Promise<void>;
}

/**
 * A pool of processes that are started before their turn is known. Undefined where `prewarmProblem` says that the
 * launch depends on the turn.
 */
export function createTurnPool(
  profile: Profile,
  host: HostSide<Settings, unknown>,
  context: LaunchContext,
  startFor: Starter,
): TurnPool | undefined {
  if (host.prewarmProblem(profile.settings) !== undefined) return undefined;
  const launch = host.launch(profile.settings, context);
  if ('refused' in launch) return undefined;
  let complaint: Log | undefined;
  let complained = false;
  const start = (): Child => {
    // A turn would make the workspace as parent of its `ensureDirectory`. If it cannot be made, the process fails to
    // start and reports that.
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
