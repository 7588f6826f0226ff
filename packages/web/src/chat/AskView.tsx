import type { AskPart } from '@plugboard/client';
import type { Answer, AskedTool } from '@plugboard/protocol';
import { type FormEvent, type ReactNode, useState } from 'react';
import { gateway } from '../api/gateway.ts';
import { describeError } from '../api/request.ts';
import { markInvisible, visibleLines } from '../text/visible.ts';
import { DiffView } from './DiffView.tsx';
import { FormAnswer } from './FormAnswer.tsx';
import './ask.css';

/** More of a tool's input than this is read in the inspector. */
const LONGEST = 20_000;

/** A question of the agent: its title, the input of the tool, and `AnswerForm` until `ended` names the decision. */
export function AskView({ part }: { readonly part: AskPart }): ReactNode {
  const { question, ended } = part;
  const { title, detail, tool } = question;
  return (
    <section className={`ask ${ended === null ? 'open' : ended.outcome}`} aria-label="Question of the agent">
      <p className="ask-title">{markInvisible(title)}</p>
      {detail === undefined ? null : <p className="ask-detail">{visibleLines(detail)}</p>}
      {tool === undefined ? null : <ToolShown tool={tool} />}
      {ended === null ? <AnswerForm part={part} /> : <p className="ask-end">{endText(part)}</p>}
    </section>
  );
}

/** The change that the tool would make, or else its input. */
function ToolShown({ tool }: { readonly tool: AskedTool }): ReactNode {
  const { diffs = [], command, input } = tool;
  if (diffs.length > 0) return diffs.map((diff) => <DiffView key={diff.path} diff={diff} />);
  return <pre className="fold-text">{inputText(command ?? input)}</pre>;
}

type Given = Pick<Answer, 'option' | 'text' | 'data'>;

function AnswerForm({ part }: { readonly part: AskPart }): ReactNode {
  const { id, question } = part;
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const answer = async (given: Given): Promise<void> => {
    setSending(true);
    setProblem(null);
    try {
      // The form is removed by the `ask-ended` event.
      await gateway.asks.answer(id, given);
    } catch (error) {
      setProblem(describeError(error));
      setSending(false);
    }
  };
  return (
    <>
      <div className="ask-options">
        {question.options.map(({ id: option, label, effect }) => (
          <button
            key={option}
            type="button"
            className={`button ${effect?.startsWith('deny') ? '' : 'primary'}`}
            disabled={sending}
            onClick={() => void answer({ option })}
          >
            {markInvisible(label)}
          </button>
        ))}
      </div>
      {question.kind === 'text' ? <TextAnswer sending={sending} onAnswer={answer} /> : null}
      {question.kind === 'form' ? (
        <FormAnswer schema={question.schema ?? {}} sending={sending} onAnswer={(data) => answer({ data })} />
      ) : null}
      {problem === null ? null : (
        <p className="failure" role="alert">
          {visibleLines(problem)}
        </p>
      )}
    </>
  );
}

interface TextAnswerProps {
  readonly sending: boolean;
  readonly onAnswer: (given: Given) => Promise<void>;
}

function TextAnswer({ sending, onAnswer }: TextAnswerProps): ReactNode {
  const [text, setText] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void onAnswer({ text });
  };
  return (
    <form className="ask-options" onSubmit={submit}>
      <input aria-label="Your answer" value={text} onChange={(event) => setText(event.currentTarget.value)} />
      <button type="submit" className="button primary" disabled={sending || text.trim() === ''}>
        Answer
      </button>
    </form>
  );
}

function inputText(input: unknown): string {
  const text = typeof input === 'string' ? input : JSON.stringify(input, null, 2);
  return visibleLines(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

const ENDS = {
  answered: 'Answered',
  expired: 'Nobody answered in time, which counts as a no.',
  withdrawn: 'The agent waits for the answer no longer.',
  void: 'The agent ended before an answer came.',
} as const;

function endText({ question, ended }: AskPart): string {
  if (ended === null) return '';
  const { outcome, answer } = ended;
  if (outcome !== 'answered' || answer === undefined) return ENDS[outcome];
  const chosen = question.options.find(({ id }) => id === answer.option)?.label ?? answer.text ?? 'no';
  return `${markInvisible(chosen)}, by ${markInvisible(answer.by)}${answer.via === 'policy' ? ' (a rule)' : ''}`;
}
