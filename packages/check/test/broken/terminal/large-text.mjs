#!/usr/bin/env node
import { plain, run } from '../../good/terminal.mjs';

// Does not answer texts of 100 000 characters and more.
await run((envelope) => envelope.text.length < 100_000 && plain(envelope));
