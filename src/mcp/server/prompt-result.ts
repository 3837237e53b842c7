// What a prompt's handler returned, as messages: text is one message of the user.

import type { ContentBlock, GetPromptResult, PromptMessage } from '../types.ts';

export type PromptReturn = string | ContentBlock | PromptMessage | PromptMessage[] | GetPromptResult;

export function toPromptResult(returned: unknown, description: string | undefined): GetPromptResult {
  const result = withMessages(returned as PromptReturn);
  return description === undefined || result.description !== undefined ? result : { description, ...result };
}

function withMessages(returned: PromptReturn): GetPromptResult {
  if (typeof returned === 'string') return { messages: [fromUser({ type: 'text', text: returned })] };
  if (Array.isArray(returned)) return { messages: returned };
  if ('messages' in returned) return returned;
  if ('role' in returned) return { messages: [returned] };
  return { messages: [fromUser(returned)] };
}

function fromUser(content: ContentBlock): PromptMessage {
  return { role: 'user', content };
}
