// Reads one line, says what its first argument holds, and ends.
let text = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  text += chunk;
  if (!text.includes('\n')) return;
  JSON.parse(text);
  process.stdout.write(process.argv[2]);
  process.stdin.destroy();
});
