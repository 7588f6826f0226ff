import type { ChannelView, DeliveryView, PersonView } from '@plugboard/client';
import { useCallback, useEffect, useState } from 'react';
import { gateway } from '../api/gateway.ts';
import { describeError, isLoggedOut } from '../api/request.ts';
import { untilShown, waitForChance } from '../api/wait.ts';
import { logOut } from '../state/app.ts';

/** Everything that the view of the channels shows. */
interface ChannelsState {
  readonly channels: readonly ChannelView[];
  readonly people: readonly PersonView[];
  /** Those with the state `unknown`. */
  readonly deliveries: readonly DeliveryView[];
}

const LOOK_MS = 3_000;
const MOST_DELIVERIES = 50;

/** Reads the state again every 3 s while the page is in sight, and after each action. */
export function useChannels() {
  const [state, setState] = useState<ChannelsState | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const read = useCallback(async (signal?: AbortSignal): Promise<void> => {
    try {
      setState(await readChannels(signal));
      setProblem(null);
    } catch (error) {
      if (isLoggedOut(error)) logOut();
      else if (signal?.aborted !== true) setProblem(describeError(error));
    }
  }, []);
  useEffect(() => {
    const leave = new AbortController();
    const follow = async (): Promise<void> => {
      while (!leave.signal.aborted) {
        await read(leave.signal);
        // `turnedAway`: each answer would otherwise end the wait.
        await waitForChance(LOOK_MS, leave.signal, { turnedAway: true });
        await untilShown(leave.signal);
      }
    };
    void follow();
    return () => leave.abort();
  }, [read]);
  const act = (work: () => Promise<unknown>): void => {
    work().then(
      () => read(),
      (error: unknown) => setProblem(describeError(error)),
    );
  };
  return { state, problem, act };
}

async function readChannels(signal?: AbortSignal): Promise<ChannelsState> {
  const watched = signal === undefined ? {} : { signal };
  const [channels, people, { deliveries }] = await Promise.all([
    gateway.channels.list(signal),
    gateway.people.list(watched),
    gateway.deliveries.list({ state: 'unknown', limit: MOST_DELIVERIES, ...watched }),
  ]);
  return { channels, people, deliveries };
}
