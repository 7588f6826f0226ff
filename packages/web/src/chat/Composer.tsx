import type { SessionView } from '@plugboard/client';
import type { AgentCommand } from '@plugboard/protocol';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
} from 'react';
import { beginSession } from '../shell/shortcuts.ts';
import { isTouched } from '../shell/touch.ts';
import { app } from '../state/app.ts';
import { sendMessage } from '../state/delivery.ts';
import { useStore } from '../state/store.ts';
import { findObstacle } from '../state/upload.ts';
import { uploadsOf } from '../state/uploads.ts';
import { markInvisible } from '../text/visible.ts';
import { AttachButton, SendButton, StopButton } from './ComposerButtons.tsx';
import { SUGGESTIONS_ID, Suggestions, suggestionId } from './Suggestions.tsx';
import { UploadList } from './UploadList.tsx';
import './composer.css';
import { useCommandMenu } from './useCommandMenu.ts';
import { useDraft } from './useDraft.ts';
import { useDrop } from './useDrop.ts';

interface ComposerProps {
  readonly session: SessionView;
  /** Commands of the agent. */
  readonly commands: readonly AgentCommand[];
  readonly onStop: () => void;
}

/** Where a message is written. */
export function Composer({ session, commands, onStop }: ComposerProps): ReactNode {
  if (session.closed) {
    return (
      <div className="composer ended">
        <p className="muted">This session has ended. It can be read, but not continued.</p>
        <button type="button" className="button" onClick={beginSession}>
          New session
        </button>
      </div>
    );
  }
  return <Writing session={session} commands={commands} onStop={onStop} />;
}

function Writing({ session, commands, onStop }: ComposerProps): ReactNode {
  const [text, setText] = useDraft(session.id);
  const uploads = uploadsOf(session.id);
  const files = useStore(uploads.store, (list) => list);
  const field = useRef<HTMLTextAreaElement>(null);
  const takesFiles = useStore(app, (state) => {
    const agent = state.agents.find(({ name }) => name === session.agent);
    return agent === undefined || agent.capabilities.attachments !== 'none';
  });
  const over = useDrop(takesFiles, uploads.add);
  useGrowing(field, text);
  const menu = useCommandMenu(text, setText, commands);

  const media = files.flatMap((upload) => (upload.media === null ? [] : [upload.media]));
  const kept = findObstacle(files);
  const ready = kept === null && (text.trim() !== '' || media.length > 0);
  const submit = (): void => {
    if (!ready) return;
    sendMessage(session.id, text.trim(), media);
    setText('');
    uploads.clear();
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing || menu.take(event)) return;
    // Phones have no Shift+Enter: on a touch device Enter inserts a line, and the button sends.
    if (event.key !== 'Enter' || event.shiftKey || isTouched()) return;
    event.preventDefault();
    submit();
  };
  const onPaste = (event: ClipboardEvent): void => {
    const { files } = event.clipboardData;
    if (!takesFiles || files.length === 0) return;
    event.preventDefault();
    uploads.add(files);
  };
  return (
    <form
      className={over ? 'composer over' : 'composer'}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {menu.commands.length === 0 ? null : (
        <Suggestions commands={menu.commands} chosen={menu.chosen} onPick={menu.pick} />
      )}
      <UploadList list={files} uploads={uploads} />
      <textarea
        ref={field}
        id="composer"
        rows={1}
        dir="auto"
        value={text}
        placeholder={`Message ${markInvisible(session.agent)}`}
        aria-label="Message"
        // biome-ignore lint/a11y/noAutofocus: in a chat, the text is where the person wants to be
        autoFocus={!isTouched()}
        aria-haspopup="listbox"
        aria-controls={SUGGESTIONS_ID}
        aria-autocomplete="list"
        aria-activedescendant={menu.commands.length > 0 ? suggestionId(menu.chosen) : undefined}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <div className="composer-buttons">
        {takesFiles ? <AttachButton onFiles={uploads.add} /> : null}
        <Hint session={session} kept={kept} />
        {session.state === 'idle' ? null : <StopButton onStop={onStop} />}
        <SendButton session={session} ready={ready} />
      </div>
    </form>
  );
}

/** Sets the height of the field to its `scrollHeight`; the style sheet limits it. */
function useGrowing(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured anew whenever the text is another
  useEffect(() => {
    const { current } = field;
    if (current === null) return;
    current.style.height = 'auto';
    current.style.height = `${current.scrollHeight}px`;
  }, [text]);
}

interface HintProps {
  readonly session: SessionView;
  readonly kept: ReturnType<typeof findObstacle>;
}

/** Says where the message will go, or why it cannot be sent yet (`kept`). */
function Hint({ session, kept }: HintProps): ReactNode {
  if (kept !== null) {
    const words = kept === 'busy' ? 'Files are on their way' : 'A file did not get there';
    return <span className="composer-hint needed">{words}</span>;
  }
  return <span className="composer-hint">{describeDestination(session)}</span>;
}

function describeDestination(session: SessionView): string {
  if (session.steerable) return 'Goes into the running turn';
  return session.state === 'idle' ? '' : 'Waits for the running turn';
}
