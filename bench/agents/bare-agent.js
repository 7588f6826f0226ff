// An agent of Terminal Protocol v1 by hand, with nothing between it and its streams.
let text = '';
process.stdin.on('data', (chunk) => {
  text += chunk;
});
process.stdin.on('end', () => {
  const envelope = JSON.parse(text);
  process.stdout.write(`${JSON.stringify({ type: 'message', text: `You said ${envelope.text}` })}\n`);
});
