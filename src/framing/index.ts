// The subpath `standpipe/framing`: every codec, and the one interface they share.

export * from './framing.ts';
export { newline } from './newline.ts';
