import { expect, it } from 'vitest';
import { type Askable, ClientsAskable, isQuestion } from './askable.ts';

const client = (id: string, principal: string) => ({ id, affinity: id, principal });
const extensions = (name: string, count: number) =>
  Array.from({ length: count }, (_, at): Askable => `extensions {"com.example/${name}-${at}":{}}`);
const opaqueIn = (all: ReadonlySet<Askable>) => [...all].filter((each) => !isQuestion(each));

it('the capabilities of one principal leave space for those of others, and for all questions', () => {
  const clients = new ClientsAskable();
  for (let at = 0; at < 100; at++) clients.add(client(`m${at}`, 'mallory'), extensions(`m${at}`, 32));
  clients.add(client('a', 'ada'), ['elicitation.form', 'sampling', ...extensions('ada', 1)]);
  const { all } = clients;
  expect([...all]).toEqual(expect.arrayContaining(['elicitation.form', 'sampling', ...extensions('ada', 1)]));
  expect(opaqueIn(all)).toHaveLength(65);
});

it('principals that declare more than the limit have equal shares', () => {
  const clients = new ClientsAskable();
  for (let at = 0; at < 8; at++) {
    clients.add(client(`${at}`, `p${at}`), extensions(`p${at}`, 32));
    clients.add(client(`${at}`, `p${at}`), extensions(`q${at}`, 32));
  }
  const all = opaqueIn(clients.all);
  expect(all).toHaveLength(256);
  for (let at = 0; at < 8; at++) expect(all.filter((each) => each.includes(`p${at}-`))).toHaveLength(32);
});

it('the extensions of clients that have left are forgotten, unless another client has them', () => {
  const clients = new ClientsAskable();
  clients.add(client('1', 'ada'), ['sampling', ...extensions('x', 2)]);
  clients.add(client('2', 'ada'), extensions('x', 1));
  clients.gone(client('1', 'ada'));
  expect([...clients.all]).toEqual(['sampling', ...extensions('x', 1)]);
  clients.gone(client('2', 'ada'));
  expect([...clients.all]).toEqual(['sampling']);
});

it('limits the number of known principals', () => {
  const clients = new ClientsAskable();
  for (let at = 0; at < 1000; at++) clients.add(client(`${at}`, `p${at}`), extensions(`p${at}`, 1));
  expect(opaqueIn(clients.all)).toHaveLength(256);
  expect(clients.all.has(extensions('p999', 1)[0]!)).toBe(true);
});
