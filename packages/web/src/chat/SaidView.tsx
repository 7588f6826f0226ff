import type { ReactNode } from 'react';
import { Markdown } from '../markdown/Markdown.tsx';
import type { Said } from '../state/entry.ts';
import { clockText, fullText } from '../text/time.ts';
import { visible } from '../text/visible.ts';
import { Attachments } from './Attachments.tsx';

/** What a person said. `steered` marks one that went into a running turn. */
export function SaidView({
  said,
  steered = false,
}: {
  readonly said: Said;
  readonly steered?: boolean;
}): ReactNode {
  return (
    <article className="said" aria-label="You">
      <Attachments list={said.attachments} />
      {said.text === '' ? null : (
        <div className="bubble">
          <Markdown name={said.key} text={said.text} />
        </div>
      )}
      <p className="said-foot">
        {steered ? <span className="steered">↳ into the running turn</span> : null}
        <time title={`${visible(said.sender)} ${fullText(said.at)}`.trim()}>{clockText(said.at)}</time>
      </p>
    </article>
  );
}
