/** A result of the command palette: a page, an object or an action. */
export interface Hit {
  title: string
  /** What it is, or the group of a page. */
  kind: string
  address: string
  external?: boolean
  /** Done in place of going to an address. */
  run?: () => unknown
  /** The field then begins with this: more is to be typed. */
  fills?: string
}
