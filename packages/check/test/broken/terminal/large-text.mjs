#!/usr/bin/env node
import { plain, run } from '../../good/terminal.mjs';

// Says nothing about long texts.
await run((envelope) => envelope.text.length < 100_000 && plain(envelope));
