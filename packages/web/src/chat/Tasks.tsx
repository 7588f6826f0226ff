import type { Task } from '@plugboard/protocol';
import type { ReactNode } from 'react';
import { Icon } from '../shell/icons.tsx';
import { Name } from '../shell/Name.tsx';
import { useNow } from '../shell/useNow.ts';
import { clockText, formatCountdown, fullText } from '../text/time.ts';

const SOON = 60 * 60_000;

/** Background tasks and alarms, as the agent last told them. */
export function Tasks({ tasks }: { readonly tasks: readonly Task[] }): ReactNode {
  const now = useNow(1000);
  const next = Math.min(...tasks.map((task) => firesAt(task) ?? Infinity).filter((at) => at > now));
  return (
    <details className="tasks">
      <summary>
        <Icon name="alarm" />
        {tasks.length === 1 ? '1 task' : `${tasks.length} tasks`}
        {next === Infinity ? null : <span className="muted">next {whenText(next, now)}</span>}
      </summary>
      <ul>
        {tasks.map((task) => (
          <li key={task.id}>
            <Name className="task-text" text={task.description} />
            <Name className="tag" text={task.kind} />
            <Name className="muted" text={task.status} />
            <Fires at={firesAt(task)} now={now} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Fires({ at, now }: { readonly at: number | null; readonly now: number }): ReactNode {
  return at === null ? null : <time title={fullText(at)}>{whenText(at, now)}</time>;
}

function firesAt(task: Task): number | null {
  const at = task.firesAt === undefined ? Number.NaN : Date.parse(task.firesAt);
  return Number.isNaN(at) ? null : at;
}

function whenText(at: number, now: number): string {
  if (at <= now) return 'due';
  return at - now < SOON ? `in ${formatCountdown(at - now)}` : `at ${clockText(at)}`;
}
