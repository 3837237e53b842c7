// Asks the server to complete an argument of a prompt or a variable of a template. A server that cannot complete is asked once.

import { useMemo } from 'react';
import { api } from '../../api/request.ts';
import type { Suggest } from '../../schema-form/completed-field.tsx';
import type { Draft } from '../../schema-form/use-draft.ts';
import { offers } from '../../state/offers.ts';
import type { Offered } from './offered.ts';

export function useSuggest(offered: Offered, draft: Draft): Suggest | undefined {
  const { server, kind, name } = offered;
  const known = offers.read()[server];
  const completes = known?.state === 'known' && known.offer.capabilities?.completions !== undefined;
  const value = draft.value as Record<string, unknown> | undefined;
  return useMemo(() => {
    if (!completes || (kind !== 'prompt' && kind !== 'template')) return undefined;
    const ref = kind === 'prompt' ? { type: 'ref/prompt', name } : { type: 'ref/resource', uri: name };
    return async (argument: string, typed: string) => {
      const others = Object.entries(value ?? {}).filter(
        ([other, given]) => other !== argument && typeof given === 'string' && given !== '',
      );
      const body = { ref, argument: { name: argument, value: typed }, context: Object.fromEntries(others) };
      return (await api.complete(server, body)).values;
    };
  }, [completes, server, kind, name, value]);
}
