import { type MouseEvent, memo, type ReactNode, useDeferredValue, useMemo } from 'react';
import { LongList } from '../shell/LongList.tsx';
import { copyText } from '../text/clipboard.ts';
import { purifyHtml } from './purify.ts';
import { renderBlocks } from './render.ts';
import './markdown.css';

/** Fewer blocks are always in the document. */
const FEW_BLOCKS = 32;

interface MarkdownProps {
  /** Unique in the conversation: the name of its long list. */
  readonly name: string;
  readonly text: string;
  /** More is coming: a caret shows where. */
  readonly open?: boolean;
}

/** Text of agents and people. Drawing a long one may lag behind its stream; the page stays quick. */
export const Markdown = memo(function Markdown({ name, text, open = false }: MarkdownProps): ReactNode {
  const shown = useDeferredValue(text);
  const blocks = useMemo(
    () => renderBlocks(shown).map((html, index) => ({ key: String(index), html })),
    [shown],
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside are real ones; only their clicks are heard here
    // biome-ignore lint/a11y/useKeyWithClickEvents: a button turns the keyboard into clicks by itself
    <div className={open ? 'md md-open' : 'md'} onClick={copyCode}>
      {blocks.length <= FEW_BLOCKS ? (
        blocks.map(renderBlock)
      ) : (
        <LongList name={name} items={blocks} keyOf={keyOf} render={renderBlock} estimate={48} opensAt="end" />
      )}
    </div>
  );
});

interface RenderedBlock {
  readonly key: string;
  readonly html: string;
}

const keyOf = ({ key }: RenderedBlock): string => key;
const renderBlock = ({ key, html }: RenderedBlock): ReactNode => <Block key={key} html={html} />;

const Block = memo(function Block({ html }: { readonly html: string }): ReactNode {
  const content = useMemo(() => ({ __html: purifyHtml(html) }), [html]);
  // biome-ignore lint/security/noDangerouslySetInnerHtml: this is the one place, and it is purified
  return <div className="md-block" dir="auto" dangerouslySetInnerHTML={content} />;
});

async function copyCode(event: MouseEvent<HTMLElement>): Promise<void> {
  const button = (event.target as HTMLElement).closest<HTMLButtonElement>('button[data-copy]');
  const code = button?.closest('.md-code')?.querySelector('code')?.textContent;
  if (!button || code === undefined || code === null) return;
  const copied = await copyText(code);
  button.textContent = copied ? 'Copied' : 'Not allowed';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 1500);
}
