// Reads `place`: on which nodes of a fleet a server runs, and how often.

import type { Findings, Position } from '../problem.ts';
import type { Fields } from './fields.ts';
import { placeKeys } from './known-keys.ts';

export interface Place {
  /** The node must have all of these. */
  labels: readonly string[];
  /** How many processes, on as many nodes where possible. */
  replicas: number;
  /** `nodes`: never two replicas on one node, even if some then run nowhere. `prefer`: on different nodes where possible. */
  spread: (typeof spreads)[number];
  /** Any replica may answer any request, and more than `replicas` processes do no harm. */
  stateless: boolean;
}

export const spreads = ['nodes', 'prefer'] as const;

export const defaultPlace: Readonly<Place> = { labels: [], replicas: 1, spread: 'prefer', stateless: false };

/** Of a server. */
export const MOST_REPLICAS = 1_000;
const labelName = /^[A-Za-z0-9_-]{1,64}$/;

export interface PlaceDraft extends Place {
  at: Position;
}

/** Undefined if the entry has none, or there is an error in the findings. */
export function readPlace(fields: Fields, findings: Findings): PlaceDraft | undefined {
  const place = fields.object('place', 'Write "place": {"replicas": 2, "labels": ["gpu"]}.');
  if (!place) return undefined;
  place.refuseUnknown(placeKeys); // without its labels, a server would run on any node
  const labels = place.texts('labels', 'Write "labels": ["gpu", "eu"].') ?? [];
  for (const { text, at } of labels) {
    if (labelName.test(text)) continue;
    findings.error(at, 'A label consists of letters, digits, "-" and "_", at most 64', 'Rename the label.');
  }
  return {
    labels: [...new Set(labels.map(({ text }) => text))],
    replicas: place.count('replicas', 1, MOST_REPLICAS) ?? defaultPlace.replicas,
    spread: place.choice('spread', spreads) ?? defaultPlace.spread,
    stateless: place.boolean('stateless') ?? defaultPlace.stateless,
    at: fields.keyAt('place'),
  };
}
