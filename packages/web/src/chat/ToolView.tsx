import type { ReactNode } from 'react';
import { Icon } from '../shell/icons.tsx';
import { useFold } from '../shell/LongList.tsx';
import { Name } from '../shell/Name.tsx';
import type { ToolPart } from '../state/entry.ts';
import { visible, visibleLines } from '../text/visible.ts';

const BRIEF = 120;
/** More than this is read in the inspector, not in a chat. */
const LONGEST = 50_000;

interface ToolViewProps {
  readonly part: ToolPart;
  readonly live: boolean;
  /** The key under which `useFold` keeps whether it is open. */
  readonly fold: string;
}

/** A tool call: one line, which opens to what went in and what came out. */
export function ToolView({ part, live, fold }: ToolViewProps): ReactNode {
  const [open, setOpen] = useFold(fold);
  const { name, input, result } = part;
  const state = result === null ? (live ? 'running' : 'unknown') : result.isError ? 'failed' : 'done';
  return (
    <details
      className={`fold tool ${state}`}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <Icon name="tool" />
        <Name className="tool-name" text={name === '' ? 'Tool' : name} />
        <span className="tool-brief">{brief(input)}</span>
        <span className="tool-state">{state === 'done' || state === 'unknown' ? '' : state}</span>
      </summary>
      {open ? (
        <div className="tool-body">
          <h3>Input</h3>
          <pre className="fold-text">{cut(pretty(input))}</pre>
          <h3>{result?.isError ? 'Error' : 'Result'}</h3>
          <pre className="fold-text">{result === null ? 'Not answered.' : cut(result.content)}</pre>
        </div>
      ) : null}
    </details>
  );
}

/** The one value that tells most: the first string of the input, such as a command or a path. */
function brief(input: unknown): string {
  const values = typeof input === 'object' && input !== null ? Object.values(input) : [input];
  const telling =
    values.find((value) => typeof value === 'string') ?? (values.length > 0 ? JSON.stringify(values[0]) : '');
  return visible(String(telling ?? '').slice(0, BRIEF));
}

function pretty(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input, null, 2);
}

function cut(text: string): string {
  const shown = visibleLines(text.slice(0, LONGEST));
  return text.length > LONGEST ? `${shown}\n… ${text.length - LONGEST} more characters` : shown;
}
