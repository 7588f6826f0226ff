import type { ToolPart } from '@plugboard/client';
import type { ToolContent } from '@plugboard/protocol';
import type { ReactNode } from 'react';
import { Icon } from '../shell/icons.tsx';
import { useFold } from '../shell/LongList.tsx';
import { Name } from '../shell/Name.tsx';
import { markInvisible, visibleLines } from '../text/visible.ts';
import { DiffView } from './DiffView.tsx';

const BRIEF = 120;
/** More than this is read in the inspector, not in a chat. */
const LONGEST = 50_000;

interface ToolViewProps {
  readonly part: ToolPart;
  readonly live: boolean;
  /** The key under which `useFold` keeps whether it is open. */
  readonly fold: string;
}

/** A tool call: one line that opens to `input`, `content` and `result`. */
export function ToolView({ part, live, fold }: ToolViewProps): ReactNode {
  const [open, setOpen] = useFold(fold);
  const { name, title, input, result, content, locations } = part;
  const state = stateOf(part, live);
  const isTitled = title !== '' && title !== name;
  return (
    <details
      className={`fold tool ${state}`}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <Icon name="tool" />
        <Name className="tool-name" text={isTitled ? title : name === '' ? 'Tool' : name} />
        <span className="tool-brief">{isTitled ? '' : summarizeInput(input)}</span>
        <span className="tool-state">{state === 'done' || state === 'unknown' ? '' : state}</span>
      </summary>
      {open ? (
        <div className="tool-body">
          {locations.length === 0 ? null : <Locations part={part} />}
          {content.map((one, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
            <Content key={index} content={one} />
          ))}
          <h3>Input</h3>
          <pre className="fold-text">{cutText(formatInput(input))}</pre>
          <h3>{result?.isError ? 'Error' : 'Result'}</h3>
          <pre className="fold-text">{result === null ? 'Not answered.' : cutText(result.content)}</pre>
        </div>
      ) : null}
    </details>
  );
}

function stateOf({ result, status }: ToolPart, live: boolean): string {
  if (result !== null) return result.isError ? 'failed' : 'done';
  if (!live) return 'unknown';
  return status === 'pending' ? 'waiting' : 'running';
}

function Locations({ part }: { readonly part: ToolPart }): ReactNode {
  const places = part.locations.map(({ path, line }) => (line === undefined ? path : `${path}:${line}`));
  return <p className="tool-places">{markInvisible(places.join(', '))}</p>;
}

function Content({ content }: { readonly content: ToolContent }): ReactNode {
  if (content.type === 'diff') return <DiffView diff={content} />;
  const text = content.type === 'text' ? content.text : content.output;
  const code = content.type === 'output' ? content.exitCode : undefined;
  return (
    <>
      <pre className="fold-text">{cutText(text)}</pre>
      {code === undefined ? null : <p className="muted">Exit code {code}</p>}
    </>
  );
}

/** The first string in `input`, for example a command or a path; without a string the first value as JSON. */
function summarizeInput(input: unknown): string {
  const values = typeof input === 'object' && input !== null ? Object.values(input) : [input];
  const telling =
    values.find((value) => typeof value === 'string') ?? (values.length > 0 ? JSON.stringify(values[0]) : '');
  return markInvisible(String(telling ?? '').slice(0, BRIEF));
}

function formatInput(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input, null, 2);
}

function cutText(text: string): string {
  const shown = visibleLines(text.slice(0, LONGEST));
  return text.length > LONGEST ? `${shown}\n… ${text.length - LONGEST} more characters` : shown;
}
