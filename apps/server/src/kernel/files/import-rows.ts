/** Rows of one file or background import: reading more would hold up everybody's requests. */
export const MAX_IMPORT_ROWS = 50_000
