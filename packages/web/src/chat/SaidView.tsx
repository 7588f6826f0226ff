import { type ReactNode, useState } from 'react';
import { Markdown } from '../markdown/Markdown.tsx';
import { sendDropped } from '../state/delivery.ts';
import type { Said } from '../state/entry.ts';
import { clockText, fullText } from '../text/time.ts';
import { markInvisible } from '../text/visible.ts';
import { Attachments } from './Attachments.tsx';

interface SaidProps {
  readonly said: Said;
  readonly sessionId: string;
  /** The message was steered into a running turn. */
  readonly steered?: boolean;
}

/** What a person said. */
export function SaidView({ said, sessionId, steered = false }: SaidProps): ReactNode {
  return (
    <article className={said.dropped ? 'said dropped' : 'said'} aria-label="You">
      <Attachments list={said.attachments} />
      {said.text === '' ? null : (
        <div className="bubble">
          <Markdown name={said.key} text={said.text} />
        </div>
      )}
      <p className="said-foot">
        {steered ? <span className="steered">↳ into the running turn</span> : null}
        {said.dropped ? <DroppedFoot said={said} sessionId={sessionId} /> : null}
        <time title={`${markInvisible(said.sender)} ${fullText(said.at)}`.trim()}>{clockText(said.at)}</time>
      </p>
    </article>
  );
}

/** The message stays where it was said; sent again, it is a new one at the end. */
function DroppedFoot({ said, sessionId }: SaidProps): ReactNode {
  const [sent, setSent] = useState(false);
  const sendOnce = (): void => {
    setSent(true);
    sendDropped(sessionId, said);
  };
  return (
    <>
      <span className="outcome error">Stopped before the agent got it</span>
      {sent ? (
        <span>Sent again</span>
      ) : (
        <button type="button" onClick={sendOnce}>
          Send again
        </button>
      )}
    </>
  );
}
