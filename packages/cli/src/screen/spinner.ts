const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const INTERVAL_MS = 80;

/** A progress indicator on a terminal, with a line of text. */
export interface Spinner {
  show(text: string): void;
  /** Takes it off the screen, so that other output can come. */
  hide(): void;
}

/** Turns only on a terminal: elsewhere it would fill a log. */
export function createSpinner(stream: NodeJS.WriteStream): Spinner {
  if (!stream.isTTY) return { show: () => {}, hide: () => {} };
  let timer: NodeJS.Timeout | undefined;
  let frame = 0;
  let text = '';
  const draw = (): void => {
    frame = (frame + 1) % FRAMES.length;
    const room = Math.max(10, (stream.columns ?? 80) - 4);
    stream.write(`\r\u001b[2K${FRAMES[frame]} ${text.slice(0, room)}`);
  };
  return {
    show(next) {
      text = next.split('\n')[0] ?? '';
      timer ??= setInterval(draw, INTERVAL_MS).unref();
      draw();
    },
    hide() {
      if (timer === undefined) return;
      clearInterval(timer);
      timer = undefined;
      stream.write('\r\u001b[2K');
    },
  };
}
