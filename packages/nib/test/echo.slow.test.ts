import { describe, expect, it } from 'vitest';
import { copyNovel } from './novel.ts';

/** The smallest backend in the protocol's documentation: its proofs change no file. */
const ECHO = `#!/usr/bin/env bash
request=$(cat)
operation=$(echo "$request" | jq -r .operation)
case "$operation" in
  scene-proof | chapter-proof) printf '{"type":"success","operation":"%s","text":"No issues found."}\\n' "$operation" ;;
  project-scaffold) echo '{"type":"success","operation":"project-scaffold","files":[]}' ;;
  scene-critique | chapter-critique | character-talk) echo "Interactive operations not supported" >&2; exit 1 ;;
  *) printf '{"type":"error","error":"unknown operation: %s"}\\n' "$operation" ;;
esac
`;

describe.concurrent('the smallest backend', () => {
  it.each([
    ['ma proof 1.1', 0, 'No issues found.\n'],
    ['ma proof 1-2', 0, 'No issues found.\nNo issues found.\n'],
    ['init new-book --no-git', 0, ''],
    ['ct check 1', 1, ''],
    ['ct ask Who?', 1, ''],
    ['ma find a lie', 1, ''],
    ['ma voice nell-tarrow', 1, ''],
    ['ct index 5.1 --yes', 1, '0 scenes indexed, 1 failed: 0 facts, 0 characters, 0 locations.\n'],
    // A request file leaves stdin empty, so this backend finds no operation.
    ['ma critique 1.1', 0, '{"type":"error","error":"unknown operation: "}\n'],
    ['pr talk nell-tarrow 1.1', 0, '{"type":"error","error":"unknown operation: "}\n'],
  ])('nib %s with the smallest backend exits with %i', async (line, code, out) => {
    using book = copyNovel();
    book.tool('nib-agent-echo', ECHO);
    const said = await book.nib(line, { variables: { NIB_AGENT: 'echo' } });
    expect({ code: said.code, out: said.out }, said.err).toEqual({ code, out });
    if (line.startsWith('ct')) expect(said.err).toContain('unknown operation: continuity-');
  });
});
