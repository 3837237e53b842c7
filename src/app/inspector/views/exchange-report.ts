// A client's request with the resulting requests to servers and the questions during it, on one clock.

import type { Analysis } from '../../../observe/analysis/analysis.ts';
import { type Exchange, isFailure } from '../../../observe/analysis/exchange.ts';
import { timesOf } from '../../../observe/analysis/exchange-times.ts';
import { hopTimes } from '../../../observe/analysis/hop-times.ts';
import { linkedWith } from '../../../observe/analysis/links.ts';
import type { ExchangeReport } from '../api.ts';

/** Empty if the event belongs neither to a client's request nor to a request that another node answered. */
export function exchangeReport(seq: number, analysis: Analysis, startedAt: Date): ExchangeReport {
  const all = analysis.exchangesOf(seq);
  const own =
    all.find(({ direction, causes }) => direction === 'fromClient' || causes?.[0]) ?? all.find(({ hop }) => hop);
  if (!own) return { requests: [] };
  const requests = linkedWith(own);
  const asked = own.direction === 'fromClient' ? own : own.causes?.[0];
  return { requests: requests.map((each) => partOf(each, startedAt)), times: asked && timesOf(asked) };
}

function partOf(exchange: Exchange, startedAt: Date): ExchangeReport['requests'][number] {
  const { server, life, direction, method, tool, requestSeq, answerSeq, startMs, endMs, outcome } = exchange;
  const failed = isFailure(exchange);
  const hop = hopTimes(exchange, startedAt.getTime());
  return { server, life, direction, method, tool, requestSeq, answerSeq, startMs, endMs, outcome, failed, hop };
}
