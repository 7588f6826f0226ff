import type { SessionView } from '@plugboard/client';
import { type ReactNode, useRef } from 'react';
import { Icon } from '../shell/icons.tsx';

/** Says where the message will go: into the running turn, behind it, or to an agent that waits. */
export function SendButton({
  session,
  ready,
}: {
  readonly session: SessionView;
  readonly ready: boolean;
}): ReactNode {
  const label = session.steerable
    ? 'Send into the running turn'
    : session.state === 'idle'
      ? 'Send'
      : 'Send, to wait its turn';
  return (
    <button
      type="submit"
      className={session.steerable ? 'send steer' : 'send'}
      disabled={!ready}
      aria-label={label}
      title={label}
    >
      <Icon name="send" />
      {session.steerable ? <span>Steer</span> : null}
    </button>
  );
}

export function StopButton({ onStop }: { readonly onStop: () => void }): ReactNode {
  return (
    <button type="button" className="button stop" title="Stop (Esc)" onClick={onStop}>
      <span className="stop-sign" /> Stop
    </button>
  );
}

export function AttachButton({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label="Attach files"
        title="Attach files"
        onClick={() => input.current?.click()}
      >
        <Icon name="clip" />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
    </>
  );
}
