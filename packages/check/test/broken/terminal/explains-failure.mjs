#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { plain } from '../../good/terminal.mjs';

// Lets what goes wrong go wrong.
plain(JSON.parse(readFileSync(0, 'utf8')));
