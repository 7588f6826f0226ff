const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text that cannot do anything to a terminal: control characters are shown, not obeyed, and marks that would turn the
 * direction of writing are taken out. Line breaks and tabs stay.
 */
export function safe(text: string): string {
  return text.replace(CONTROL, (char) => {
    const code = char.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '\u2421' : '';
  });
}
