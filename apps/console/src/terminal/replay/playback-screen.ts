/** The screen of a recording. */
export interface PlaybackScreen {
  /** Begins again at this size with these contents, and forgets what was waiting. */
  reset: (size: { cols: number; rows: number }, contents: string) => void
  write: (text: string) => void
  resize: (size: { cols: number; rows: number }) => void
  /** Characters that are waiting to be shown. */
  backlog: () => number
}

/** A screen in a box of the page. */
export interface Stage extends PlaybackScreen {
  /** Takes the size of the box again. */
  fit: () => void
  dispose: () => void
}
