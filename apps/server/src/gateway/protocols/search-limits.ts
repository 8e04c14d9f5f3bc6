/**
 * Limits of a search for statements within a text, by number and characters: so much for any text,
 * and as many for each of its own.
 */
export const MAX_FOUND = 256
export const SPARE = 64 * 1024
export const FOUND_OF_LENGTH = 4
/** Texts within texts. */
export const MAX_DEPTH = 8
/** Placeholder of quoted text while places are looked for. */
export const FILLER = '\ue000'
