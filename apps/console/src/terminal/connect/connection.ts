/** What a terminal is opened to: an asset, and the system user that signs in there. */
export interface Connection {
  targetId: string
  /** Host name of the asset. */
  targetName: string
  systemUserId: string
  /** Empty when the page was opened by address alone. */
  systemUserName: string
  /** Protocol of the system user. */
  protocol: string
}
