import type { RecordedEvent, Replay, TurnRecord } from '@plugboard/client';
import { type ReactNode, useMemo, useState } from 'react';
import { gateway } from '../api/gateway.ts';
import { describeError } from '../api/request.ts';
import { Icon } from '../shell/icons.tsx';
import { LongList } from '../shell/LongList.tsx';
import { type Difference, diffLines } from '../text/diff.ts';
import { markInvisible } from '../text/visible.ts';

/** Replays the recorded bytes with the current code, and shows where the events differ from the recorded ones. */
export function ReplayView({ record }: { readonly record: TurnRecord }): ReactNode {
  const [busy, setBusy] = useState(false);
  const [replay, setReplay] = useState<Replay | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const run = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      setReplay(await gateway.turns.replay(record.turn.id));
    } catch (error) {
      setProblem(describeError(error));
    }
    setBusy(false);
  };
  return (
    <section className="replay" aria-label="Replay">
      <button type="button" className="button" disabled={busy} onClick={run}>
        <Icon name="again" /> Replay
      </button>
      <div role="status" className="replay-answer">
        {problem === null ? null : <span className="outcome error">{problem}</span>}
        {replay === null ? (
          <span className="muted">Reads the recorded bytes anew and compares the events.</span>
        ) : null}
        {replay?.same === true ? (
          <span className="replay-same">The same {replay.events.length} events came out.</span>
        ) : null}
        {replay?.same === false ? <span className="outcome error">Other events came out.</span> : null}
      </div>
      {replay?.same === false ? <Differences before={record.events} after={replay.events} /> : null}
    </section>
  );
}

interface DifferencesProps {
  readonly before: readonly RecordedEvent[];
  readonly after: readonly RecordedEvent[];
}

const SIGNS = { same: ' ', gone: '−', new: '+' } as const;
const AROUND = 2;

function Differences({ before, after }: DifferencesProps): ReactNode {
  const lines = useMemo(
    () =>
      nearDifferences(diffLines(before.map(text), after.map(text))).map((line, index) => ({
        key: String(index),
        line,
      })),
    [before, after],
  );
  return (
    <pre className="diff">
      <LongList name="diff" items={lines} keyOf={keyOf} render={renderLine} estimate={20} opensAt="start" />
    </pre>
  );
}

interface Line {
  readonly key: string;
  readonly line: Difference | null;
}

const keyOf = ({ key }: Line): string => key;
const renderLine = ({ key, line }: Line): ReactNode => (
  <div key={key} className={line === null ? 'skipped' : line.kind}>
    {line === null ? '…' : `${SIGNS[line.kind]} ${markInvisible(line.text)}`}
  </div>
);

const text = ({ event }: RecordedEvent): string => JSON.stringify(event);

/** The differences with `AROUND` lines of context; `null` stands for omitted lines. */
function nearDifferences(lines: readonly Difference[]): (Difference | null)[] {
  const kept = lines.map((_, index) =>
    lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ kind }) => kind !== 'same'),
  );
  return lines.flatMap((line, index) => (kept[index] ? [line] : kept[index - 1] ? [null] : []));
}
