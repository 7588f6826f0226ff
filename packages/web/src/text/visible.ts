/**
 * Invisible characters with an effect: controls, bidirectional marks, and zero-width characters. The joiner U+200D is
 * kept, because emoji sequences contain it.
 */
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;
const HIDDEN_IN_LINES =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Names instead of the Unicode control pictures, which most fonts lack. */
const CONTROLS =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  );

/** A name on one line, with hidden characters replaced by visible marks. */
export function markInvisible(text: string): string {
  return text.replace(HIDDEN, markCharacter);
}

/** Text of several lines, for example code: as `markInvisible`, but line ends and tabs stay. */
export function visibleLines(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(HIDDEN_IN_LINES, markCharacter);
}

function markCharacter(character: string): string {
  const code = character.charCodeAt(0);
  const name = code === 0x7f ? 'DEL' : CONTROLS[code];
  if (name !== undefined) return `⟨${name}⟩`;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
