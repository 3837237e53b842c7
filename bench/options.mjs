// Options of the command line.

import { parseArgs } from 'node:util';

const USAGE = `node bench/run.mjs [--rounds n] [--only scenario]… [--quick] [--profile]

  --rounds n       how often each contender is measured (default 5; 3 with --quick)
  --only scenario  one scenario, by the name of its file; may be repeated
  --quick          smaller messages and shorter samples; the figures are too rough to quote
  --profile        CPU profiles of all processes, and a summary of their hot spots`;

export function readOptions(args) {
  const { quick, only, profile, rounds } = parse(args);
  const wanted = rounds === undefined ? (quick ? 3 : 5) : Number(rounds);
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > 100) usage('--rounds takes a whole number from 1 to 100');
  return { quick, only, profile, rounds: wanted };
}

function parse(args) {
  try {
    return parseArgs({
      args,
      options: {
        rounds: { type: 'string' },
        only: { type: 'string', multiple: true, default: [] },
        quick: { type: 'boolean', default: false },
        profile: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return usage(error.message);
  }
}

function usage(why) {
  console.error(`${why}\n\n${USAGE}`);
  process.exit(2);
}
