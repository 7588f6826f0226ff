// Reads one line, says what its first argument holds, and ends.
let text = '';
process.stdin.on('data', (chunk) => {
  text += chunk;
});
process.stdin.on('end', () => {
  JSON.parse(text);
  process.stdout.write(process.argv[2]);
});
