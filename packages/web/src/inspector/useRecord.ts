import type { SessionView, TurnRecord, TurnView } from '@plugboard/client';
import { useCallback, useEffect, useState } from 'react';
import { gateway } from '../api/gateway.ts';
import { describeError, isLoggedOut } from '../api/request.ts';
import { logOut } from '../state/app.ts';

interface Inspected {
  readonly session: SessionView | null;
  readonly turns: readonly TurnView[];
  readonly record: TurnRecord | null;
  readonly problem: string | null;
  reload(): void;
}

/** The turns of a session, and the record of `turnId`, or of the newest turn without it. */
export function useRecord(sessionId: string, turnId: string | null): Inspected {
  const [session, setSession] = useState<SessionView | null>(null);
  const [turns, setTurns] = useState<readonly TurnView[]>([]);
  const [record, setRecord] = useState<TurnRecord | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [times, setTimes] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: loading again is what `times` counts
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const load = async (): Promise<void> => {
      const [about, page] = await Promise.all([
        gateway.sessions.get(sessionId, signal),
        gateway.turns.list(sessionId, { limit: 50, signal }),
      ]);
      setSession(about);
      setTurns(page.turns);
      const wanted = turnId ?? page.turns[0]?.id;
      if (wanted === undefined) return setProblem('This session has no turns yet.');
      setRecord(await gateway.turns.record(wanted, signal));
      setProblem(null);
    };
    load().catch((error: unknown) => {
      if (signal.aborted) return;
      if (isLoggedOut(error)) logOut();
      setRecord(null);
      setProblem(describeError(error));
    });
    return () => leaving.abort();
  }, [sessionId, turnId, times]);

  return { session, turns, record, problem, reload: useCallback(() => setTimes((count) => count + 1), []) };
}
