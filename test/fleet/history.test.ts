// The checker of histories finds each kind of violation. Each case changes one detail of a correct history.

import { expect, test } from 'vitest';
import { type Call, checkHistory, type SeenClaim } from './history.ts';

const right = [
  'open s a 1 10',
  'run s a 1 10 c1',
  'done s a 1 10 c1',
  'run s a 1 10 c2',
  'open s b 2 20',
  'run s b 2 20 c2',
  'done s b 2 20 c2',
  'close s b 2 20',
  'open-shared t a - 30',
  'open-shared t b - 40',
  'run t b - 40 c4',
  'run t a - 30 c5',
  'done t b - 40 c4',
];

const calls: Call[] = [
  { id: 'c1', server: 's', isRepeatable: false, fate: { kind: 'answered', text: 'c1 s a 1 10' } },
  { id: 'c2', server: 's', isRepeatable: true, fate: { kind: 'answered', text: 'c2 s b 2 20' } },
  { id: 'c3', server: 's', isRepeatable: false, fate: { kind: 'failed', code: 'NOT_SENT' } },
  { id: 'c4', server: 't', isRepeatable: false, fate: { kind: 'answered', text: 'c4 t b - 40' } },
  { id: 'c5', server: 't', isRepeatable: false, fate: { kind: 'failed', code: 'OUTCOME_UNKNOWN' } },
];

const claim = (generation: number, node: string, session: string): SeenClaim => ({
  server: 's',
  slot: 1,
  node,
  session,
  generation,
});
const claims = [claim(1, 'a', 'x'), claim(1, 'a', 'x'), claim(2, 'b', 'y')];

const changed = (id: string, change: Partial<Call>) =>
  calls.map((call) => (call.id === id ? { ...call, ...change } : call));
const inserted = (at: number, line: string) => right.toSpliced(at, 0, line);

test('a correct history has no violation, and its runs and processes are counted', () => {
  expect(checkHistory(right, calls, claims)).toEqual({ runs: 5, processes: 4, violations: [] });
});

test.each<[string, string[], Call[], SeenClaim[]]>([
  ['s b 2 20 started while another process of s was alive', inserted(4, 'violation s b 2 20'), calls, claims],
  ['generation 1 of s has two owners: a and b', inserted(4, 'open s b 1 15'), changed('c2', { id: 'c2' }), claims],
  ['s a 1 50 started after generation 2', inserted(7, 'open s a 1 50'), calls, claims],
  ['s a 1 10 answered c2 after s b 2 20 had started', inserted(5, 'done s a 1 10 c2'), calls, claims],
  [
    's a 1 10 ran c1 after s b 2 20 had started',
    inserted(7, 'run s a 1 10 c1'),
    changed('c1', { isRepeatable: true }),
    claims,
  ],
  ['process 10 answered call c9, which it never ran', inserted(3, 'done s a 1 10 c9'), calls, claims],
  ['The history has a line that is none: rum s a 1 10 c1', inserted(3, 'rum s a 1 10 c1'), calls, claims],
  [
    'call c2 ran 2 times, and is not repeatable: s a 1 10, s b 2 20',
    right,
    changed('c2', { isRepeatable: false }),
    claims,
  ],
  ['call c5 has no fate; it ran 1 times', right, changed('c5', { fate: undefined }), claims],
  [
    'call c5 was reported as not sent, and ran: t a - 30',
    right,
    changed('c5', { fate: { kind: 'failed', code: 'NOT_SENT' } }),
    claims,
  ],
  [
    'call c1 got the answer of another: c2 s a 1 10',
    right,
    changed('c1', { fate: { kind: 'answered', text: 'c2 s a 1 10' } }),
    claims,
  ],
  [
    'call c1 was answered by s b 2 20, and ran there never: s a 1 10',
    right,
    changed('c1', { fate: { kind: 'answered', text: 'c1 s b 2 20' } }),
    claims,
  ],
  [
    'call c3 was answered by s a 1 10, and ran there never: ',
    right,
    changed('c3', { fate: { kind: 'answered', text: 'c3 s a 1 10' } }),
    claims,
  ],
  [
    'call c5 was answered by t a - 30, and ran there never: t a - 30',
    right,
    changed('c5', { fate: { kind: 'answered', text: 'c5 t a - 30' } }),
    claims,
  ],
  ['call c4 was for s, and ran at t b - 40', right, changed('c4', { server: 's' }), claims],
  ['call c5 ran, and no caller made it', right, calls.filter(({ id }) => id !== 'c5'), claims],
  ['the generation of s#1 fell from 2 to 1', right, calls, [...claims, claim(1, 'a', 'x')]],
  ['generation 2 of s#1 has two owners: b and c', right, calls, [...claims, claim(2, 'c', 'z')]],
])('%s', (violation, lines, made, seen) => {
  expect(checkHistory(lines, made, seen).violations).toContain(violation);
});
