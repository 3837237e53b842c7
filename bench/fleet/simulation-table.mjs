// The figures of the simulation as Markdown.

const whole = (value) => (Number.isFinite(value) ? Math.round(value).toLocaleString('en-US') : '–');
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
const traffic = ({ messages, bytes }) => `${whole(messages)}; ${whole(bytes / 1024)} KB`;

const rows = [
  ['slots', ({ total }) => whole(total)],
  ['all nodes have joined after', ({ joinMs }) => seconds(joinMs)],
  ['all slots are claimed after', ({ placeMs }) => seconds(placeMs)],
  ['… of that, writing the servers to NATS', ({ applyMs }) => seconds(applyMs)],
  ['slots of the fullest node', ({ most }) => whole(most)],
  [
    'slots of a dead node are claimed again after: median of 5, slowest',
    ({ deathMs, deathMaxMs }) => `${seconds(deathMs)}, ${seconds(deathMaxMs)}`,
  ],
  ['at rest, a node and minute: messages; bytes', ({ rest }) => traffic(rest.node)],
  ['… a node with its routing table', ({ rest }) => traffic(rest.withTable)],
  ['… the busiest node, which places', ({ rest }) => traffic(rest.most)],
  [
    'a node that joins reads the table: time; messages; bytes',
    ({ table }) => `${seconds(table.ms)}; ${traffic(table)}`,
  ],
  ['1 % of the nodes come and go each minute, a node and minute', ({ churn }) => traffic(churn.node)],
  ['… a node with its routing table', ({ churn }) => traffic(churn.withTable)],
  ['… the busiest node, which places', ({ churn }) => traffic(churn.most)],
  ['NATS: memory, at the end', ({ natsRssBytes }) => `${whole(natsRssBytes / 1024 / 1024)} MB`],
];

export function figuresOf(runs, machine) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line(['nodes', ...runs.map(({ count }) => whole(count))]),
    line(['---', ...runs.map(() => '--:')]),
    ...rows.map(([name, figure]) => line([name, ...runs.map(figure)])),
    '',
    `${machine}. Messages and bytes are those that NATS counts for the connection of a node, both ways.`,
  ].join('\n');
}
