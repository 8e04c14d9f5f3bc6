/** Wishes about history. */
export interface HistoryRequest {
  /** What happened before does not come. */
  from?: Date
  /** Folder of their media, with the recordings; none come without. */
  media?: string
  /** Recordings are copied rather than played from where they lie. */
  isCopied?: boolean
}
