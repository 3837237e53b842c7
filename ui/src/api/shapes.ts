// Types of the API. The page imports no other file of the package.

import type { InspectedServer, Question, ServerOffer } from '../../../src/app/inspector/api.ts';
import type { ContentBlock, ReadResourceResult } from '../../../src/mcp/types.ts';

export type ServerStatus = NonNullable<InspectedServer['status']>;
export type LastExit = NonNullable<ServerStatus['lastExit']>;
export type Tool = ServerOffer['tools'][number];
export type Resource = ServerOffer['resources'][number];
export type ResourceTemplate = ServerOffer['resourceTemplates'][number];
export type Prompt = ServerOffer['prompts'][number];
export type ResourceContents = ReadResourceResult['contents'][number];
export type Elicitation = Extract<Question, { kind: 'elicit' }>;
export type Sampling = Extract<Question, { kind: 'sample' }>;
export type Schema = Record<string, unknown>;
export type { ContentBlock };
