/** C0 except tab and newline, DEL, C1, line separators, and marks that reverse the direction of writing. */
const CONTROL = /\r\n|[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g;

/**
 * Text for a terminal: control characters are shown as symbols (`␛`), so that no escape sequence moves the cursor, sets
 * the clipboard or hides words. Tabs and line ends stay; CR LF becomes LF. Each chunk of a stream can be passed by
 * itself.
 */
export function terminalText(text: string): string {
  return text.replace(CONTROL, (found) => {
    if (found === '\r\n') return '\n';
    const code = found.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '\u2421' : '\uFFFD';
  });
}
