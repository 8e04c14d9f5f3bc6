/** What a search for statements within a text may find: so many, and of so many characters: so much for any text, and as many for each of its own. */
export const MAX_FOUND = 256
export const SPARE = 64 * 1024
export const FOUND_OF_LENGTH = 4
/** Texts within texts. */
export const MAX_DEPTH = 8
/** What is quoted reads so while places are looked for. */
export const FILLER = '\ue000'
