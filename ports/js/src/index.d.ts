/** The names of section 14. */
export type ErrorName =
  | 'no-token'
  | 'unknown-scheme'
  | 'padding'
  | 'bad-character'
  | 'bad-length'
  | 'spare-bits'
  | 'scheme-mismatch'
  | 'over-limit';

/** An error of section 14; `name` identifies it. */
export class SimhashDocError extends Error {
  constructor(name: ErrorName, message: string);
  name: ErrorName;
}

/** An entry of the registry of schemes. */
export interface Scheme {
  /** The long name. */
  name: string;
  /** The short id. */
  id: string;
  /** New data should not use a deprecated scheme. */
  state: 'reserved' | 'active' | 'deprecated';
  bits: number;
  /** The number of characters of the text form. */
  characters: number;
  /** Documents at this distance or less are close. */
  close: number;
  /** Documents at this distance or less are loose. */
  loose: number;
}

/** A decoded text form. */
export interface Fingerprint {
  /** The short id of the scheme. */
  scheme: string;
  /** False for a customised fingerprint (section 11). */
  canonical: boolean;
  /** The bytes of the fingerprint, lane by lane, most significant first. */
  bytes: Uint8Array;
  /** The same bytes in hexadecimal. */
  hex: string;
}

/** The result of each step. */
export interface Trace {
  folded: string;
  /** The link-free text. */
  prepared: string;
  /** In the order of their UTF-8 bytes, repeated ones repeated (before the cap). */
  tokens: string[];
  /** One per token, in hexadecimal; in wide schemes lane by lane. */
  hashes: string[];
  /** Number 64 j + i is bucket i of lane j. */
  buckets: number[];
  hex: string;
  /** The text form with the scheme. */
  fingerprint: string;
}

/** The version of the specification. */
export const VERSION: number;

/** SHA-256 digests of the Unicode data and the registry, by file. */
export const DIGESTS: Readonly<Record<string, string>>;

/** The registry, by short id. */
export const SCHEMES: ReadonlyMap<string, Readonly<Scheme>>;

/** The longest document, 16,000,000 UTF-16 code units; a longer one is `over-limit`, and so are over 48,000,003 bytes. */
export const MAX_LENGTH: number;

/**
 * The fingerprint of a text, or of its UTF-8 bytes, with its scheme, such as "sd64:raeidodvqipge". `scheme` is a short
 * id exactly as in the registry, "sd64" by default. Errors: `no-token`, `over-limit`, `unknown-scheme`, and a
 * `TypeError` if the document is of another type.
 */
export function fingerprint(document: string | Uint8Array, scheme?: string): string;

/** The buckets of a document, from -127 to 127: number 64 j + i is bucket i of lane j. Errors: as `fingerprint`. */
export function buckets(document: string | Uint8Array, scheme?: string): number[];

/** The result of each step for a document. Errors: as `fingerprint`. */
export function trace(document: string | Uint8Array, scheme?: string): Trace;

/**
 * A document that arrives in pieces, which may end anywhere: inside a character, a word or a link. The result is that of
 * the complete document. Memory is proportional to the distinct tokens and the longest run of word characters.
 */
export class Accumulator {
  constructor();

  /**
   * Adds a piece: a string, or UTF-8 bytes, which can be overwritten afterwards. In a document of both, a string ends an
   * incomplete byte sequence, and bytes end an incomplete surrogate pair. Returns the accumulator. Errors: `over-limit`,
   * and from then on for every call.
   */
  update(piece: string | Uint8Array): this;

  /** The fingerprint of the pieces so far, with its scheme; more can follow. Errors: as the function `fingerprint`. */
  fingerprint(scheme?: string): string;

  /** The buckets of the pieces so far; more can follow. Errors: as the function `fingerprint`. */
  buckets(scheme?: string): number[];
}

/** UTF-8 bytes to text: the step "decode". */
export function decodeUtf8(bytes: Uint8Array): string;

/** Text to folded text: the step "fold". */
export function fold(text: string): string;

/** Folded text to link-free text: the step "remove links". */
export function removeLinks(folded: string): string;

/** Link-free text to tokens, in the order of their UTF-8 bytes, repeated ones repeated. */
export function tokens(linkFree: string): string[];

/** The hash of a token as 16 hexadecimal digits; `lane` is the lane of a wide scheme. */
export function hashToken(token: string, lane?: number): string;

/**
 * The text form of the bytes of a fingerprint, with the scheme if one is given (such as "sd64"), otherwise without.
 * A fingerprint that is not canonical is marked with "+custom". Errors: `unknown-scheme`, `bad-length`.
 */
export function encode(bytes: Uint8Array, scheme?: string, canonical?: boolean): string;

/**
 * Reads a text form. Without a scheme in the text, the given one is used, or the one with its number of characters.
 * Errors: `unknown-scheme`, `scheme-mismatch` if its scheme is not the given one, `padding`, `bad-character`,
 * `bad-length`, `spare-bits`.
 */
export function decode(text: string, scheme?: string): Fingerprint;

/**
 * The fingerprint of the same text in a scheme that is not wider, with its scheme: its first bits. A customised
 * fingerprint stays customised. Errors: `unknown-scheme`, those of `decode`, and `scheme-mismatch` if the scheme is wider.
 */
export function narrow(text: string, scheme: string): string;

/** The number of bits in which two fingerprints differ. Errors: as `decode`, and `scheme-mismatch`. */
export function distance(a: string, b: string): number;

/** 1 - distance / bits. Errors: as `distance`. */
export function similarity(a: string, b: string): number;

/**
 * An exact index of fingerprints of one scheme, in memory, for some ten thousand entries: a query compares every entry.
 * Ids are compared as the keys of a Map are.
 */
export class Index {
  /** An empty index of a scheme, "sd64" by default. Errors: `unknown-scheme`. */
  constructor(scheme?: string);

  /** The number of entries. */
  get size(): number;

  /** Adds an entry. Errors: as `decode`, `scheme-mismatch`, and a `RangeError` if the id is in the index. */
  insert(id: string, fingerprint: string): void;

  /** Removes an entry. Errors: a `RangeError` if the id is not in the index. */
  remove(id: string): void;

  /**
   * The ids of all entries within a distance of a fingerprint, in the order in which they were inserted. Errors: as
   * `decode`, `scheme-mismatch`, and a `RangeError` unless the distance is an integer of 0 or more.
   */
  query(fingerprint: string, distance: number): string[];

  /** The ids of all pairs of entries within a distance of each other, each pair once. Errors: a `RangeError` as `query`. */
  findAll(distance: number): [string, string][];
}
