/**
 * What files of recordings end in, in the order they are looked for: asciicast v2, the old JSON
 * form, the oldest (docs/rules/terminal.md#replay_files), logs of statements, and desktops; all
 * gzip.
 */
export const REPLAY_SUFFIXES = ['.cast.gz', '.replay.gz', '.gz', '.statements.gz', '.desktop.gz'] as const

export type ReplaySuffix = (typeof REPLAY_SUFFIXES)[number]

/** A log of statements has no screen: it is read, not played. */
export const STATEMENTS: ReplaySuffix = '.statements.gz'

/** A desktop has a picture, and no text: what was noted beside it is searched. */
export const DESKTOP: ReplaySuffix = '.desktop.gz'
